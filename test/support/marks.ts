import { openApi } from '../../src/api/openApi.ts';
import { operations } from '../../src/api/operations.ts';
import { isObject, listOf } from '../../src/client/jsonSchema.ts';

/** Where a field is in a body: names of members, `*` for every element of a list or every member of a map. */
export type Path = readonly string[];
export type Field = { readonly path: Path; readonly schema: Readonly<Record<string, unknown>> };
export type Described = {
  readonly operationId: string;
  readonly sent: readonly Field[];
  readonly answered: readonly Field[];
  /** Of the path and the query. */
  readonly parameters: readonly string[];
};

const document: Readonly<Record<string, unknown>> = JSON.parse(JSON.stringify(openApi(operations, 'test')));

const member = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((parent, name) => (isObject(parent) ? parent[name] : undefined), value);

/** Every field of a schema with the fields in it; a schema that holds itself is entered once. */
const fieldsOf = (schema: unknown, path: Path = [], within: readonly string[] = []): readonly Field[] => {
  if (!isObject(schema)) return [];
  const { $ref: reference } = schema;
  if (typeof reference === 'string') {
    if (within.includes(reference)) return [];
    return fieldsOf(member(document, ...reference.split('/').slice(1)), path, [...within, reference]);
  }
  const parts = [schema['anyOf'], schema['oneOf'], schema['allOf']].flatMap(listOf);
  return [
    ...parts.flatMap((part) => fieldsOf(part, path, within)),
    ...Object.entries(isObject(schema['properties']) ? schema['properties'] : {}).flatMap(([name, each]) =>
      fieldAt(each, [...path, name], within),
    ),
    ...fieldAt(schema['additionalProperties'], [...path, '*'], within),
    ...fieldAt(schema['items'], [...path, '*'], within),
  ];
};

const fieldAt = (schema: unknown, path: Path, within: readonly string[]): readonly Field[] =>
  isObject(schema) ? [{ path, schema }, ...fieldsOf(schema, path, within)] : [];

const jsonIn = (content: unknown): unknown => member(content, 'content', 'application/json', 'schema');

const describe = (operation: Readonly<Record<string, unknown>>): Described => ({
  operationId: String(operation['operationId']),
  sent: fieldsOf(jsonIn(operation['requestBody'])),
  answered: Object.values(isObject(operation['responses']) ? operation['responses'] : {}).flatMap((answer) =>
    fieldsOf(jsonIn(answer)),
  ),
  parameters: listOf(operation['parameters']).map((each) => String(member(each, 'name') ?? '')),
});

/** Every operation of `openapi.json` with its fields. */
export const described: readonly Described[] = Object.values(
  isObject(document['paths']) ? document['paths'] : {},
).flatMap((item) =>
  Object.values(isObject(item) ? item : {}).flatMap((each) => (isObject(each) ? [describe(each)] : [])),
);

export const isSecretInput = ({ schema }: Field): boolean =>
  schema['writeOnly'] === true && schema['format'] === 'password';
export const isSecretAnswer = ({ schema }: Field): boolean => schema['x-opslog-secret'] === true;

const markedBy = (of: (each: Described) => readonly Field[]): ReadonlyMap<string, readonly Path[]> =>
  new Map(described.map((each) => [each.operationId, of(each).map(({ path }) => path)]));
const inputs = markedBy(({ sent }) => sent.filter(isSecretInput));
const answers = markedBy(({ answered }) => answered.filter(isSecretAnswer));

/** Secrets of a part of a request that has a name of its own in the document. */
export const secretsInSchema = (name: string, value: unknown): readonly string[] =>
  fieldsOf({ $ref: `#/components/schemas/${name}` })
    .filter(isSecretInput)
    .flatMap(({ path }) => textsAt(value, path));

/** What a path leads to in a body, whatever the body is. */
export const textsAt = (value: unknown, [name, ...rest]: Path): readonly string[] => {
  if (name === undefined) return typeof value === 'string' ? [value] : [];
  if (typeof value !== 'object' || value === null) return [];
  if (name === '*') return Object.values(value).flatMap((each) => textsAt(each, rest));
  return Object.hasOwn(value, name) ? textsAt(member(value, name), rest) : [];
};

const without = (value: unknown, [name, ...rest]: Path): unknown => {
  if (name === undefined) return null;
  if (Array.isArray(value)) return name === '*' ? value.map((each) => without(each, rest)) : value;
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, each]) => [key, name === '*' || key === name ? without(each, rest) : each]),
  );
};

/** Secrets in the marked fields of a request's body. */
export const secretsSent = (operationId: string, body: unknown): readonly string[] =>
  (inputs.get(operationId) ?? []).flatMap((path) => textsAt(body, path));
/** Secrets in the marked fields of an answer. */
export const secretsAnswered = (operationId: string, body: unknown): readonly string[] =>
  (answers.get(operationId) ?? []).flatMap((path) => textsAt(body, path));
/** An answer without what it may tell once. */
export const withoutSecrets = (operationId: string, body: unknown): unknown =>
  (answers.get(operationId) ?? []).reduce(without, body);
