import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';

// What openapi.json says: which operations there are, who may call them, and what in them names something.

export type IdentifierPlace = 'path' | 'query' | 'body';
export type Identifier = {
  readonly place: IdentifierPlace;
  /** As the thing is called in paths: by the field's `x-opslog-identifier`, else as it is called itself, in the singular. */
  readonly name: string;
  /** Of a body: the way to the field, `*` for every item of a list. Of anything else: the name as it is written. */
  readonly way: readonly string[];
  readonly isUuid: boolean;
};

export type DescribedOperation = {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly access: 'public' | 'signedIn' | 'workspace' | 'department';
  readonly role: Role | undefined;
  readonly isCommand: boolean;
  readonly isStream: boolean;
  /** Takes `?at=`. */
  readonly takesMoment: boolean;
  readonly identifiers: readonly Identifier[];
};

const role = z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER']);
export type Role = z.output<typeof role>;

const anyObject = z.record(z.string(), z.unknown());
const isObject = (value: unknown): value is z.output<typeof anyObject> => anyObject.safeParse(value).success;

const parameter = z.object({
  name: z.string(),
  in: z.enum(['path', 'query', 'header']),
  schema: anyObject,
});

const operationObject = z.object({
  operationId: z.string(),
  'x-opslog-access': z.enum(['public', 'signedIn', 'workspace', 'department']),
  'x-opslog-role': role.optional(),
  parameters: z.array(z.union([parameter, z.object({ $ref: z.string() })])),
  requestBody: z.object({ content: anyObject }).optional(),
  responses: anyObject,
});

const document = z.object({
  paths: z.record(z.string(), z.record(z.string(), operationObject)),
  components: z.object({ schemas: z.record(z.string(), anyObject) }),
});

/** Reads the document as it is committed; `drift.test.ts` holds it equal to the code. */
export const describedOperations = (): readonly DescribedOperation[] => {
  const text = readFileSync(join(import.meta.dirname, '../../openapi.json'), 'utf8');
  const { paths, components } = document.parse(JSON.parse(text));
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => describe(path, method, operation, components.schemas)),
  );
};

type Schemas = Readonly<Record<string, unknown>>;

const describe = (
  path: string,
  method: string,
  operation: z.output<typeof operationObject>,
  schemas: Schemas,
): DescribedOperation => {
  const access = operation['x-opslog-access'];
  const json = operation.requestBody?.content['application/json'];
  const body = isObject(json) ? inSchema(json['schema'], [], schemas) : [];
  const parameters = operation.parameters.flatMap((each): readonly Identifier[] => {
    if ('$ref' in each || each.in === 'header') return [];
    const { name, in: place, schema } = each;
    if (place === 'query' && !isIdentifier(name, schema)) return [];
    return [{ place, name: nameOf(name, schema), way: [name], isUuid: place === 'query' || isUuid(schema) }];
  });
  return {
    ...{ id: operation.operationId, method: method.toUpperCase(), path, access, role: operation['x-opslog-role'] },
    isCommand: operation.parameters.some((each) => '$ref' in each && each.$ref.endsWith('/Prefer')),
    takesMoment: operation.parameters.some((each) => 'name' in each && each.in === 'query' && each.name === 'at'),
    isStream: JSON.stringify(operation.responses).includes('"text/event-stream"'),
    identifiers: access === 'public' ? [] : [...parameters, ...body],
  };
};

/** By what its schema says; and a name that ends in `Id` is taken at its word. */
const isIdentifier = (name: string, schema: Readonly<Record<string, unknown>>): boolean =>
  isUuid(schema) || schema['x-opslog-identifier'] !== undefined || /Ids?$/.test(name);

const isUuid = (schema: Readonly<Record<string, unknown>>): boolean => schema['format'] === 'uuid';

/** A field may say what it names in other words than its own. */
const nameOf = (name: string, schema: Readonly<Record<string, unknown>>): string => {
  const said = schema['x-opslog-identifier'];
  return typeof said === 'string' ? said : name.replace(/Ids$/, 'Id');
};

/** Every field of a body that names something, however deep. */
const inSchema = (schema: unknown, way: readonly string[], schemas: Schemas): readonly Identifier[] => {
  if (!isObject(schema) || way.length > 8) return [];
  const { $ref: reference, properties, items } = schema;
  if (typeof reference === 'string') return inSchema(schemas[reference.split('/').at(-1) ?? ''], way, schemas);
  const name = way.findLast((part) => part !== '*') ?? '';
  const choices = ['anyOf', 'oneOf', 'allOf'].flatMap((key) => {
    const each = schema[key];
    return Array.isArray(each) ? each : [];
  });
  const isLeaf = choices.length === 0 && properties === undefined && items === undefined && schema['type'] !== 'null';
  if (way.length > 0 && isLeaf && isIdentifier(name, schema)) {
    return [{ place: 'body', name: nameOf(name, schema), way, isUuid: isUuid(schema) }];
  }
  const found = [
    ...(isObject(properties)
      ? Object.entries(properties).flatMap(([key, each]) => inSchema(each, [...way, key], schemas))
      : []),
    ...(items === undefined ? [] : inSchema(items, [...way, '*'], schemas)),
    ...choices.flatMap((each) => inSchema(each, way, schemas)),
  ];
  return found.filter(({ way: own }, at) => found.findIndex((each) => each.way.join() === own.join()) === at);
};
