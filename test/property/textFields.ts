import { type Asking, askedOperations, isSchema, resolved, type Schema, schemaIn } from './described.ts';

// Every string that the body of a request can hold, as openapi.json has them.

export type TextField = {
  readonly operation: Asking;
  /** `name`, `files.*.path`, `variables.{}`, `variables.{key}`, `value(sshKey).userName`. */
  readonly way: string;
  readonly schema: Schema;
  /** `free`: people write what they like. `closed`: only certain values, or what a pattern takes of ASCII. */
  readonly kind: 'free' | 'closed';
};

/** Beyond ASCII, and nothing that a pattern for ids, words or dates would take. */
const anything = ['漢é', '漢'];

const isClosed = ({ enum: choices, const: only, pattern, format }: Schema): boolean => {
  if (choices !== undefined || only !== undefined) return true;
  if (format !== undefined && format !== 'password') return true;
  if (typeof pattern !== 'string') return false;
  const taken = new RegExp(pattern, 'u');
  return !anything.some((text) => taken.test(text));
};

type Leaf = { readonly way: string; readonly schema: Schema };

const below = (way: string, part: string): string => (way === '' ? part : `${way}.${part}`);

/** Of several kinds of one thing, which one. */
const kindIn = (schema: Schema): string => {
  const { properties } = schema;
  const kind = isSchema(properties) ? properties['kind'] : undefined;
  return isSchema(kind) && typeof kind['const'] === 'string' ? `(${kind['const']})` : '';
};

const leavesOf = (given: Schema, way: string): readonly Leaf[] => {
  const schema = resolved(given);
  const { type, properties, items, additionalProperties: others, propertyNames } = schema;
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) {
    return choices.flatMap((each) => leavesOf(schemaIn(each), `${way}${kindIn(resolved(schemaIn(each)))}`));
  }
  if (type === 'string') return [{ way, schema }];
  return [
    ...(isSchema(properties)
      ? Object.entries(properties).flatMap(([key, each]) => leavesOf(schemaIn(each), below(way, key)))
      : []),
    ...(isSchema(items) ? leavesOf(items, below(way, '*')) : []),
    ...(isSchema(others) ? leavesOf(others, below(way, '{}')) : []),
    ...(isSchema(propertyNames) ? [{ way: below(way, '{key}'), schema: propertyNames }] : []),
  ];
};

export const textFields = (): readonly TextField[] =>
  askedOperations().flatMap((operation) => {
    const leaves = operation.body ? leavesOf(operation.body.schema, '') : [];
    const once = new Map(leaves.map((leaf) => [leaf.way, leaf.schema]));
    return [...once].map(
      ([way, schema]): TextField => ({ operation, way, schema, kind: isClosed(schema) ? 'closed' : 'free' }),
    );
  });

/** The field as it is called across operations. */
export const nameOf = ({
  operation,
  way,
}: Pick<TextField, 'way'> & { readonly operation: { readonly id: string } }): string => `${operation.id} ${way}`;
