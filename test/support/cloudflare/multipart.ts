import { type Refused, refuse } from './answer.ts';
import type { ApiRequest } from './context.ts';
import { parseJson } from './json.ts';
import type { Module } from './state.ts';

export type Upload = { readonly metadata: unknown; readonly modules: readonly Module[] };

/** What a module of a Worker may be. */
export const moduleTypes: ReadonlySet<string> = new Set([
  'application/javascript+module',
  'text/javascript+module',
  'application/javascript',
  'text/javascript',
  'text/plain',
  'text/x-python',
  'application/octet-stream',
  'application/wasm',
  'application/source-map',
  'application/json',
]);

const readForm = async (request: ApiRequest): Promise<FormData | undefined> => {
  try {
    const body = new Uint8Array(request.body);
    return await new Response(body, { headers: { 'content-type': request.contentType } }).formData();
  } catch {
    return undefined;
  }
};

const typeOf = (file: File): string => file.type.split(';')[0]?.trim().toLowerCase() ?? '';

/** A client that sends a list of files names the parts `files[0]` and so on; then the file name counts. */
const nameOf = (part: string, file: File): string => (/^files(\[\d*\])?$/.test(part) ? file.name : part);

/**
 * The JSON of the part `jsonPart` and the modules beside it.
 * 10001 when the body is no form, 10006 when it cannot be parsed, 10021 for a part that cannot be used.
 */
export const readUpload = async (request: ApiRequest, jsonPart: string): Promise<Upload | Refused> => {
  if (!request.contentType.startsWith('multipart/form-data'))
    return refuse(10001, 'The Content-Type here is multipart/form-data');
  const form = await readForm(request);
  if (form === undefined) return refuse(10006);
  let metadata: { readonly value: unknown } | undefined;
  const modules: Module[] = [];
  for (const [part, value] of form) {
    if (part === jsonPart) {
      metadata = parseJson(typeof value === 'string' ? value : await value.text());
      if (metadata === undefined) return refuse(10021, `could not read content for part ${jsonPart}: it is not JSON`);
      continue;
    }
    if (typeof value === 'string') return refuse(10021, `part "${part}" is neither ${jsonPart} nor a file with a type`);
    const type = typeOf(value);
    if (!moduleTypes.has(type)) return refuse(10021, `part "${part}" has the type "${type}", which no module has`);
    modules.push({ name: nameOf(part, value), type, content: new Uint8Array(await value.arrayBuffer()) });
  }
  if (metadata === undefined) return refuse(10021, `there is no part ${jsonPart}`);
  const names = modules.map(({ name }) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) return refuse(10021, `there are two parts named "${twice}"`);
  return { metadata: metadata.value, modules };
};

/** Script content as the API gives it back: a form with one part per module. */
export const writeModules = (modules: readonly Module[], boundary: string): Uint8Array =>
  Buffer.concat([
    ...modules.flatMap(({ name, type, content }) => [
      Buffer.from(
        `--${boundary}\r\nContent-Disposition: form-data; name="${name}"; filename="${name}"\r\nContent-Type: ${type}\r\n\r\n`,
      ),
      content,
      Buffer.from('\r\n'),
    ]),
    Buffer.from(`--${boundary}--\r\n`),
  ]);
