import { block, comment, field, isObject, type JsonSchema, listOf, pad, propertyName, typeOf } from './jsonSchema.ts';

/** Where the generator cannot go on; names the place in the document. */
export class OpenApiUnreadable extends Error {
  override readonly name = 'OpenApiUnreadable';
}

const methods = ['get', 'put', 'post', 'delete', 'patch', 'head', 'options', 'trace'] as const;
const places = ['query', 'header', 'path', 'cookie'] as const;

/** Types for every path, operation and schema of an OpenAPI 3.1 document, in the shape that openapi-fetch takes. */
export const generateApi = (document: unknown): string => {
  const root = objectAt(document, 'the document');
  const paths = Object.entries(objectAt(root['paths'], 'paths'));
  const operations = paths.flatMap(([path, item]) => operationsOf(path, objectAt(item, path), root));
  const schemas = Object.entries(isObject(root['components']) ? entriesOf(root['components']['schemas']) : {});
  return [
    '// Made from openapi.json by "npm run generate". Changes here are lost.',
    '',
    `export type paths = ${block(
      paths.map(([path]) => pathType(path, operations)),
      0,
    )};`,
    '',
    `export type operations = ${block(
      operations.map(({ id, type, about }) => `${about}${pad(1)}${propertyName(id)}: ${type};`),
      0,
    )};`,
    '',
    'type Refusal = {',
    '  headers: { [name: string]: unknown };',
    '  content: { "application/problem+json": components["schemas"]["Problem"] };',
    '};',
    '',
    `export type components = ${block([`${pad(1)}schemas: ${block(schemas.map(schemaField), 1)};`], 0)};`,
    '',
  ].join('\n');
};

type Operation = {
  readonly path: string;
  readonly method: string;
  readonly id: string;
  readonly about: string;
  readonly type: string;
};

const schemaField = ([name, schema]: readonly [string, unknown]): string => field(name, schema, true, 2);

const operationsOf = (path: string, item: JsonSchema, root: JsonSchema): Operation[] =>
  methods.flatMap((method) => {
    if (!(method in item)) return [];
    const at = `${method.toUpperCase()} ${path}`;
    const operation = objectAt(item[method], at);
    const id = operation['operationId'];
    if (typeof id !== 'string') throw new OpenApiUnreadable(`${at} has no operationId.`);
    const summary = operation['summary'];
    const about = typeof summary === 'string' ? comment(summary, 1) : '';
    const shared = listOf(item['parameters']);
    const parameters = [...shared, ...listOf(operation['parameters'])].map((each) => resolve(each, root, at));
    const type = block(
      [
        `${pad(2)}parameters: ${parametersType(parameters)};`,
        ...requestBody(operation['requestBody'], root, at),
        `${pad(2)}responses: ${responsesType(objectAt(operation['responses'], at), root, at)};`,
      ],
      1,
    );
    return [{ path, method, id, about, type }];
  });

const pathType = (path: string, operations: readonly Operation[]): string => {
  const own = operations.filter((each) => each.path === path);
  const lines = own.map(({ method, id }) => `${pad(2)}${method}: operations[${JSON.stringify(id)}];`);
  return `${pad(1)}${JSON.stringify(path)}: ${block(lines, 1)};`;
};

const parametersType = (parameters: readonly JsonSchema[]): string => {
  const lines = places.map((place) => {
    const own = parameters.filter((each) => each['in'] === place);
    if (own.length === 0) return `${pad(3)}${place}?: never;`;
    const fields = own.map((each) => parameterField(each));
    const optional = own.every((each) => each['required'] !== true);
    return `${pad(3)}${place}${optional ? '?' : ''}: ${block(fields, 3)};`;
  });
  return block(lines, 2);
};

const parameterField = (parameter: JsonSchema): string => {
  const { name, schema, description, required } = parameter;
  const described = isObject(schema) && typeof description === 'string' ? { ...schema, description } : schema;
  return field(String(name), described, required === true, 4);
};

const requestBody = (body: unknown, root: JsonSchema, at: string): string[] => {
  if (body === undefined) return [`${pad(2)}requestBody?: never;`];
  const resolved = resolve(body, root, at);
  const optional = resolved['required'] === true ? '' : '?';
  return [`${pad(2)}requestBody${optional}: { content: ${contentType(resolved['content'], 2)} };`];
};

const responsesType = (responses: JsonSchema, root: JsonSchema, at: string): string =>
  block(
    Object.entries(responses).map(([status, response]) => {
      const resolved = resolve(response, root, at);
      const description = resolved['description'];
      const about = typeof description === 'string' && description !== '' ? comment(description, 3) : '';
      const key = /^\d{3}$/.test(status) ? status : JSON.stringify(status);
      if (isRefusal(resolved['content'])) return `${about}${pad(3)}${key}: Refusal;`;
      const content = isObject(resolved['content'])
        ? `content: ${contentType(resolved['content'], 3)}`
        : 'content?: never';
      return `${about}${pad(3)}${key}: { headers: { [name: string]: unknown }; ${content} };`;
    }),
    2,
  );

/** Most answers are problem documents, all of one shape. */
const isRefusal = (content: unknown): boolean =>
  isObject(content) && Object.keys(content).every((media) => media === 'application/problem+json');

/** JSON has a shape; bytes and text of other kinds have theirs from the schema, or are bytes. */
const contentType = (content: unknown, indent: number): string =>
  block(
    Object.entries(entriesOf(content)).map(([media, spec]) => {
      const schema = isObject(spec) ? spec['schema'] : undefined;
      const isEmpty = !isObject(schema) || Object.keys(schema).length === 0;
      const type = isEmpty && !media.includes('json') ? bare(media) : typeOf(schema, indent + 1);
      return `${pad(indent + 1)}${JSON.stringify(media)}: ${type};`;
    }),
    indent,
  );

const bare = (media: string): string => (media.startsWith('text/') ? 'string' : 'Uint8Array');

const resolve = (value: unknown, root: JsonSchema, at: string): JsonSchema => {
  const object = objectAt(value, at);
  const pointer = object['$ref'];
  if (typeof pointer !== 'string') return object;
  const target = pointer
    .replace(/^#\//, '')
    .split('/')
    .reduce<unknown>((parent, key) => (isObject(parent) ? parent[key] : undefined), root);
  return objectAt(target, `${at}: ${pointer}`);
};

const entriesOf = (value: unknown): JsonSchema => (isObject(value) ? value : {});

const objectAt = (value: unknown, at: string): JsonSchema => {
  if (!isObject(value)) throw new OpenApiUnreadable(`${at} is not an object.`);
  return value;
};
