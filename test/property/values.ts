import fc from 'fast-check';
import { isSchema, resolved, type Schema, schemaIn } from './described.ts';
import type { Json, Member } from './json.ts';

// Values that fit a schema of the document. `{{name}}` stands for something of the world the request is sent to.

export const placeholder = (name: string): string => `{{${name}}}`;

/** A URL has no way to say half a surrogate pair. */
export const inUrl = (text: string): string => encodeURIComponent(text.replaceAll(/\p{Surrogate}/gu, '\ufffd'));

const raw = (value: unknown): Json => ({ raw: JSON.stringify(value) });

const numberIn = (schema: Schema, key: string, otherwise: number): number => {
  const value = schema[key];
  return typeof value === 'number' ? value : otherwise;
};

// Made once: an alphabet as large as Unicode takes a while to build.
const grapheme = fc.string({ unit: 'grapheme', minLength: 1, maxLength: 1 });
const letter = fc.string({ unit: 'grapheme-ascii', minLength: 1, maxLength: 1 });
const patterns = new Map<string, fc.Arbitrary<string>>();

/** Of any words: from all of Unicode, short ones and those that are as long as they may be. */
const textOf = (schema: Schema): fc.Arbitrary<string> => {
  const min = numberIn(schema, 'minLength', 0);
  const max = numberIn(schema, 'maxLength', 2_000);
  const short = Math.max(min, Math.min(max, 24));
  return fc.oneof(
    { weight: 6, arbitrary: fc.string({ unit: grapheme, minLength: min, maxLength: short }) },
    { weight: 4, arbitrary: fc.string({ unit: letter, minLength: min, maxLength: short }) },
    { weight: 1, arbitrary: fc.constantFrom('x'.repeat(max), '漢'.repeat(max), 'x'.repeat(Math.max(min, 1))) },
  );
};

/** Regular expressions of the document that are known to be anchored. */
const matching = (schema: Schema, pattern: string): fc.Arbitrary<string> => {
  const max = numberIn(schema, 'maxLength', 4_000);
  const known = patterns.get(pattern) ?? fc.stringMatching(new RegExp(pattern, 'u'), { size: 'small' });
  patterns.set(pattern, known);
  return known.filter((text) => text.length <= max);
};

/** What the text names, if it names anything, as paths call it. */
const namedBy = (schema: Schema, name: string): string | undefined => {
  const said = schema['x-opslog-identifier'];
  if (typeof said === 'string') return said;
  return schema['format'] === 'uuid' || /Ids?$/.test(name) ? name.replace(/Ids$/, 'Id') : undefined;
};

/** As text, for a body as well as for a query. */
export const textFor = (schema: Schema, name: string): fc.Arbitrary<string> => {
  const { enum: choices, pattern, format } = schema;
  if (Array.isArray(choices)) return fc.constantFrom(...choices.map(String));
  const named = namedBy(schema, name);
  if (named !== undefined) {
    return fc.oneof({ weight: 8, arbitrary: fc.constant(placeholder(named)) }, { weight: 1, arbitrary: fc.uuid() });
  }
  // Mostly times of which there is not much to replay.
  if (format === 'date-time') return fc.constantFrom('then', 'then', 'then', 'before', 'now').map(placeholder);
  if (format === 'date') return fc.constantFrom('2026-01-01', '2025-06-30', '2024-02-29');
  if (name === 'limit') return fc.integer({ min: 1, max: 50 }).map(String);
  if (name === 'cursor') return fc.constant(placeholder('cursor'));
  if (name === 'waitFor') return fc.constant('0');
  return typeof pattern === 'string' ? matching(schema, pattern) : textOf(schema);
};

const integerIn = (schema: Schema, name: string): fc.Arbitrary<Json> => {
  const named = namedBy(schema, name);
  const [min, max] = [numberIn(schema, 'minimum', -1_000), numberIn(schema, 'maximum', 1_000_000)];
  if (named !== undefined) return fc.constant({ raw: placeholder(named) });
  return fc.oneof(fc.constantFrom(min, max), fc.integer({ min, max })).map(raw);
};

/** Fits the schema. A field that the document describes less strictly than the rules do may still be refused. */
export const valueFor = (given: Schema, name = ''): fc.Arbitrary<Json> => {
  const schema = resolved(given);
  const { const: only, type, items } = schema;
  if (only !== undefined) return fc.constant(raw(only));
  const choices = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(choices)) return fc.oneof(...choices.map((each) => valueFor(schemaIn(each), name)));
  switch (type) {
    case 'string':
      return textFor(schema, name).map(raw);
    case 'integer':
    case 'number':
      return integerIn(schema, name);
    case 'boolean':
      return fc.boolean().map(raw);
    case 'null':
      return fc.constant(raw(null));
    case 'array': {
      const minLength = numberIn(schema, 'minItems', 0);
      const maxLength = Math.max(minLength, Math.min(numberIn(schema, 'maxItems', 3), 3));
      return fc.array(valueFor(schemaIn(items), name), { minLength, maxLength }).map((list) => ({ list }));
    }
    case 'object':
      return objectFor(schema);
    default:
      throw new Error(`No value can be made for ${JSON.stringify(schema).slice(0, 200)}.`);
  }
};

const objectFor = (schema: Schema): fc.Arbitrary<Json> => {
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : []);
  const { properties, additionalProperties: others, propertyNames } = schema;
  const known = isSchema(properties) ? Object.entries(properties) : [];
  const fields = known.map(([name, each]): fc.Arbitrary<readonly Member[]> => {
    const member = valueFor(schemaIn(each), name).map((value): readonly Member[] => [[name, value]]);
    return required.has(name) ? member : fc.option(member, { nil: [], freq: 1 });
  });
  const free = isSchema(others)
    ? fc
        .uniqueArray(fc.tuple(textFor(isSchema(propertyNames) ? propertyNames : {}, ''), valueFor(others)), {
          maxLength: 3,
          selector: ([name]) => name,
        })
        .map((entries): readonly Member[] => entries)
    : fc.constant<readonly Member[]>([]);
  return fc.tuple(free, ...fields).map((parts) => ({ members: parts.flat() }));
};
