import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { type DescribedOperation, describedOperations } from '../matrix/document.ts';

// What openapi.json says of an operation beyond what the matrix reads of it: schemas of what may be sent, and of every answer.

const anySchema = z.record(z.string(), z.unknown());
export type Schema = z.output<typeof anySchema>;

const parameter = z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']), schema: anySchema });
const content = z.record(z.string(), z.object({ schema: anySchema }));
const operationObject = z.object({
  operationId: z.string(),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])),
  requestBody: z.object({ required: z.boolean(), content }).optional(),
  responses: z.record(
    z.string(),
    z.object({ content: content.optional(), 'x-problems': z.array(z.string()).optional() }),
  ),
});
const documentObject = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationObject)),
  components: z.object({ schemas: z.record(z.string(), anySchema), parameters: z.record(z.string(), parameter) }),
});

/** What may be answered with one status: pointers into the document, by media type. */
export type Answerable = { readonly content: ReadonlyMap<string, string>; readonly problems: readonly string[] };

export type Asking = DescribedOperation & {
  readonly query: readonly { readonly name: string; readonly schema: Schema }[];
  readonly body: { readonly required: boolean; readonly schema: Schema; readonly media: readonly string[] } | undefined;
  readonly answers: ReadonlyMap<number, Answerable>;
};

const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
export const wholeDocument: Schema = anySchema.parse(JSON.parse(text));
const { paths, components } = documentObject.parse(wholeDocument);

/** The schema itself, wherever it stands. */
export const resolved = (schema: Schema): Schema => {
  const { $ref: reference } = schema;
  if (typeof reference !== 'string') return schema;
  const found = components.schemas[reference.split('/').at(-1) ?? ''];
  if (!found) throw new Error(`The document has no ${reference}.`);
  return found;
};

export const schemaIn = (value: unknown): Schema => anySchema.parse(value);
export const isSchema = (value: unknown): value is Schema => anySchema.safeParse(value).success;

const pointerTo = (...parts: readonly string[]): string =>
  `#/${parts.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;

const readOperation = (base: DescribedOperation, path: string, method: string): Asking => {
  const operation = paths[path]?.[method];
  if (!operation) throw new Error(`The document has no ${method} ${path}.`);
  const parameters = operation.parameters.flatMap((each) => {
    const found = '$ref' in each ? components.parameters[each.$ref.split('/').at(-1) ?? ''] : each;
    return found ? [found] : [];
  });
  const json = operation.requestBody?.content['application/json'];
  const answers = Object.entries(operation.responses).map(([status, response]): [number, Answerable] => {
    const media = Object.keys(response.content ?? {});
    const at = (type: string) => pointerTo('paths', path, method, 'responses', status, 'content', type, 'schema');
    return [
      Number(status),
      { content: new Map(media.map((type) => [type, at(type)])), problems: response['x-problems'] ?? [] },
    ];
  });
  return {
    ...base,
    query: parameters.filter((each) => each.in === 'query').map(({ name, schema }) => ({ name, schema })),
    body: operation.requestBody &&
      json && {
        required: operation.requestBody.required,
        schema: json.schema,
        media: Object.keys(operation.requestBody.content),
      },
    answers: new Map(answers),
  };
};

/** Every operation of the document. */
export const askedOperations = (): readonly Asking[] =>
  describedOperations().map((base) => readOperation(base, base.path, base.method.toLowerCase()));
