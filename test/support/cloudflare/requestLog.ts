import { isRefused } from './answer.ts';
import type { ApiRequest } from './context.ts';
import { isRecord, parseJson } from './json.ts';
import { readUpload } from './multipart.ts';
import type { Step } from './router.ts';

/** A request as it came, without its token and with every secret replaced. */
export type LoggedRequest = {
  readonly method: string;
  /** Below `/client/v4`, without the query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly step: Step | undefined;
  readonly body: unknown;
  /** Milliseconds of the server's clock. */
  readonly at: number;
  /** Whether the handler ran, whatever was answered then. */
  handled: boolean;
  /** Of the answer; undefined while there is none and when the connection was closed without one. */
  status: number | undefined;
};

export const hidden = '[secret]';

/** Replaces the text of everything that calls itself a secret, at any depth; `all` does not wait for the type. */
const mask = (value: unknown, all = false): unknown => {
  if (Array.isArray(value)) return value.map((inner) => mask(inner, all));
  if (!isRecord(value)) return value;
  const secret = all || value['type'] === 'secret_text' || value['type'] === 'secret_key';
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [
      key,
      secret && ['text', 'key_base64', 'key_jwk'].includes(key) ? hidden : mask(inner, all),
    ]),
  );
};

/** JSON, the parts of a form, or the number of bytes of anything else. */
export const describeBody = async (request: ApiRequest, step: Step | undefined): Promise<unknown> => {
  if (request.body.length === 0) return undefined;
  if (request.contentType.startsWith('multipart/form-data')) {
    const part = request.method === 'PATCH' ? 'settings' : 'metadata';
    const upload = await readUpload(request, part);
    if (isRefused(upload)) return { bytes: request.body.length };
    const modules = upload.modules.map(({ name, type, content }) => ({ name, type, bytes: content.length }));
    return { [part]: mask(upload.metadata), modules };
  }
  const parsed = parseJson(Buffer.from(request.body).toString('utf8'));
  return parsed === undefined ? { bytes: request.body.length } : mask(parsed.value, step?.startsWith('secret.'));
};
