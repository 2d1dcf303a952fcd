import { describe, expect, test } from 'vitest';
import { described, type Field, isSecretAnswer, isSecretInput } from '../support/marks.ts';

/** As names of secrets look. */
const looksSecret = (name: string): boolean =>
  /passwo?r?d|passphrase|secret|token|key|credential|private|^(value|pin|otp|code)$/i.test(name) && !/Ids?$/.test(name);

/** Fields whose names look like it, and which hold none, with the reason. */
const noSecrets: Readonly<Record<string, string>> = {
  'submitRevision secretNames': 'names of secrets',
  publicKey: 'is public',
  keyType: 'says of which kind a public key is',
  keyid: 'names the public key that verifies a signature',
  secrets: 'names, versions and keyed digests of secrets',
  secretVersion: 'a count',
  previousSecretValidUntil: 'a time',
  code: 'says why something was refused',
};

/** A field that holds other fields is judged by them. */
const isText = ({ schema }: Field): boolean => {
  const { type, anyOf } = schema;
  const types = Array.isArray(type) ? type : [type];
  return types.includes('string') || (Array.isArray(anyOf) && JSON.stringify(anyOf).includes('"string"'));
};

const nameOf = ({ path }: Field): string => path.findLast((part) => part !== '*') ?? '';

const unmarked = (fields: readonly Field[], isMarked: (field: Field) => boolean, operationId: string) =>
  fields
    .filter((field) => isText(field) && looksSecret(nameOf(field)) && !isMarked(field))
    .filter((field) => !Object.hasOwn(noSecrets, nameOf(field)))
    .filter((field) => !Object.hasOwn(noSecrets, `${operationId} ${nameOf(field)}`))
    .map(({ path }) => `${operationId} ${path.join('.')}`);

describe('A field whose name looks like a secret', () => {
  test('is marked with secretInput in every request, or is listed here with the reason why it is none', () => {
    expect(described.flatMap(({ operationId, sent }) => unmarked(sent, isSecretInput, operationId))).toEqual([]);
  });

  test('is marked with secretAnswer in every answer, or is listed here with the reason why it is none', () => {
    expect(described.flatMap(({ operationId, answered }) => unmarked(answered, isSecretAnswer, operationId))).toEqual(
      [],
    );
  });

  test('is in no address: neither in a path nor in a query', () => {
    expect(
      described.flatMap(({ parameters }) =>
        parameters.filter((name) => looksSecret(name) && !Object.hasOwn(noSecrets, name)),
      ),
    ).toEqual([]);
  });
});

test('What an answer is said to tell once, or a request never to show again, is marked as a secret', () => {
  const said = ({ schema }: Field) => /never (shown )?again|nowhere else/i.test(String(schema['description']));
  const all = described.flatMap(({ operationId, sent, answered }) => [
    ...sent.filter((field) => said(field) && !isSecretInput(field)).map((field) => ({ operationId, field })),
    ...answered.filter((field) => said(field) && !isSecretAnswer(field)).map((field) => ({ operationId, field })),
  ]);
  // The certificate itself is public: whoever connects is given it.
  expect(all.filter(({ field }) => nameOf(field) !== 'certificate')).toEqual([]);
});

test('A half of the mark alone is on no field: what is write-only is a password to whoever reads the document', () => {
  const halves = described.flatMap(({ operationId, sent, answered }) =>
    [...sent, ...answered]
      .filter(({ schema }) => (schema['writeOnly'] === true) !== (schema['format'] === 'password'))
      .map(({ path }) => `${operationId} ${path.join('.')}`),
  );
  expect(halves).toEqual([]);
});
