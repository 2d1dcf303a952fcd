import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { generateApi } from '../../src/client/generate.ts';
import { typeOf } from '../../src/client/jsonSchema.ts';

const root = join(import.meta.dirname, '../..');

describe('Types made from openapi.json', () => {
  test('are committed as they are made: run "npm run generate" when this fails', async () => {
    const document: unknown = JSON.parse(await readFile(join(root, 'openapi.json'), 'utf8'));
    expect(await readFile(join(root, 'src/client/api.ts'), 'utf8')).toBe(generateApi(document));
  });

  test.each([
    [{ type: 'string' }, 'string'],
    [{ type: ['string', 'null'] }, 'string | null'],
    [{ type: 'string', format: 'binary' }, 'Uint8Array'],
    [{ type: 'integer', minimum: 1 }, 'number'],
    [{ enum: ['a', 'b', null] }, '"a" | "b" | null'],
    [{ const: true }, 'true'],
    [{ type: 'array', items: { type: ['string', 'null'] } }, '(string | null)[]'],
    [{ type: 'array', prefixItems: [{ type: 'number' }, { type: 'string' }] }, '[number, string]'],
    [{ anyOf: [{ $ref: '#/components/schemas/A' }, { type: 'null' }] }, 'components["schemas"]["A"] | null'],
    [
      { allOf: [{ $ref: '#/components/schemas/A' }, { anyOf: [{ type: 'string' }, { type: 'number' }] }] },
      'components["schemas"]["A"] & (string | number)',
    ],
    [{ type: 'object', additionalProperties: { type: 'number' } }, '{ [name: string]: number }'],
    [{ type: 'object', additionalProperties: false }, 'Record<string, never>'],
    [{}, 'unknown'],
    [true, 'unknown'],
    [false, 'never'],
  ])('%j is %s', (schema, type) => expect(typeOf(schema)).toBe(type));

  test('tell required properties from optional ones and quote names that need it', () => {
    const schema = { type: 'object', properties: { a: { type: 'string' }, 'b-c': {} }, required: ['a'] };
    expect(typeOf(schema)).toBe('{\n  a: string;\n  "b-c"?: unknown;\n}');
  });

  test('an operation without a name is refused with its place', () => {
    const document = { paths: { '/a': { get: { responses: {} } } } };
    expect(() => generateApi(document)).toThrow('GET /a has no operationId');
  });
});
