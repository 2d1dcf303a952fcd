import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { canonicalJson } from '../../src/commands/canonicalJson.ts';
import { generatePassword, mintToken, parseToken, sameDigest } from '../../src/commands/tokens.ts';
import { createPasswords } from '../../src/platform/password/argon2.ts';

const key = new Uint8Array(32).fill(7);
const id = '0b9c4a52-5c3e-4f0a-9a7e-2f1d3c4b5a69';

describe('A token', () => {
  test('leads back to its kind, its id and its digest', () => {
    for (const kind of ['session', 'apiToken'] as const) {
      const { token, digest } = mintToken(key, kind, id);
      expect(parseToken(token)).toEqual({ kind, id, digest });
    }
  });

  test('is the same for the same id and another for another key, id or kind', () => {
    const tokens = [
      mintToken(key, 'session', id),
      mintToken(key, 'apiToken', id),
      mintToken(new Uint8Array(32), 'session', id),
      mintToken(key, 'session', id.replace('0b', '0c')),
    ].map(({ token }) => token.slice(36, 76));
    expect(new Set(tokens).size).toBe(4);
    expect(mintToken(key, 'session', id)).toEqual(mintToken(key, 'session', id));
  });

  test('with any character changed is no token, before anything is looked up', () => {
    const { token } = mintToken(key, 'session', id);
    fc.assert(
      fc.property(fc.nat(token.length - 1), fc.string({ minLength: 1, maxLength: 1 }), (at, character) => {
        fc.pre(token[at] !== character);
        expect(parseToken(`${token.slice(0, at)}${character}${token.slice(at + 1)}`)).toBeUndefined();
      }),
    );
  });

  test('is compared whole', () => {
    expect(sameDigest('ab', 'ab')).toBe(true);
    expect(sameDigest('ab', 'ac')).toBe(false);
    expect(sameDigest('ab', 'abc')).toBe(false);
  });
});

test('A generated password is the same for a retry and unlike any other', () => {
  const made = Array.from({ length: 200 }, (_, index) => generatePassword(key, `command-${index}`));
  expect(new Set(made).size).toBe(200);
  expect(generatePassword(key, 'command-0')).toBe(made[0]);
  for (const password of made) expect(password).toMatch(/^[a-z2-9]{26}$/);
});

describe('Canonical JSON', () => {
  test('is the same text for the same data, whatever the order of members', () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        const text = canonicalJson(value);
        expect(canonicalJson(JSON.parse(text))).toBe(text);
        expect(canonicalJson(reversed(JSON.parse(text)))).toBe(text);
      }),
    );
  });
});

const reversed = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(reversed);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, each]) => [name, reversed(each)]),
  );
};

describe('Passwords', () => {
  test('are kept as argon2id of at least 19 MiB and two passes', async () => {
    const hash = await createPasswords().hash('correct horse battery');
    const [, memory = '', passes = ''] = /^\$argon2id\$v=19\$m=(\d+),t=(\d+),p=1\$/.exec(hash) ?? [];
    expect(Number(memory)).toBeGreaterThanOrEqual(19_456);
    expect(Number(passes)).toBeGreaterThanOrEqual(2);
  });

  test('are verified, and nobody’s password is ever right', async () => {
    const passwords = createPasswords();
    const hash = await passwords.hash('correct horse battery');
    expect(await passwords.verify(hash, 'correct horse battery')).toBe(true);
    expect(await passwords.verify(hash, 'wrong')).toBe(false);
    expect(await passwords.verify(undefined, 'nobody has this password')).toBe(false);
    expect(await passwords.verify('not a hash', 'x')).toBe(false);
  });

  test('are worked on a few at a time, and whoever comes too late is told', async () => {
    const passwords = createPasswords({ concurrency: 1, queue: 1 });
    const outcomes = await Promise.allSettled([1, 2, 3].map((each) => passwords.hash(`password ${each}`)));
    expect(outcomes.map(({ status }) => status)).toEqual(['fulfilled', 'fulfilled', 'rejected']);
    expect(outcomes[2]).toMatchObject({ reason: { name: 'PasswordsBusy' } });
    await expect(passwords.hash('afterwards')).resolves.toContain('$argon2id$');
  });
});
