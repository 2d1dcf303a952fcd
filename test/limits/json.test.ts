import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { operations } from '../../src/api/operations.ts';
import { type ApiWorld, aCompany, type Company, problemOf, startApi } from '../support/api.ts';

let world: ApiWorld;
let company: Company;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
});
afterAll(() => world.stop());

const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);
const post = (body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}) =>
  world.ask('POST', `${company.base}/departments`, {
    token: company.token,
    bytes: typeof body === 'string' ? bytesOf(body) : body,
    headers: { 'content-type': 'application/json', ...headers },
  });
const withName = (name: string): string => `{"slug":"json","name":${name}}`;

describe('A body that', () => {
  const deep = 100_000;
  test.each<[string, string | Uint8Array, string]>([
    ['is nested a hundred thousand times in lists', withName('['.repeat(deep) + ']'.repeat(deep)), 'BodyMalformed'],
    [
      'is nested a hundred thousand times in members',
      withName(`${'{"a":'.repeat(deep)}1${'}'.repeat(deep)}`),
      'BodyMalformed',
    ],
    ['is nested and never closed', '['.repeat(deep), 'BodyMalformed'],
    [
      'has a hundred thousand members',
      `{${Array.from({ length: 60_000 }, (_, at) => `"k${at}":1`).join()}}`,
      'RequestInvalid',
    ],
    ['has a list of five hundred thousand', withName(`[${'1,'.repeat(500_000)}1]`), 'RequestInvalid'],
    ['has a number where a text must be', withName('1'), 'RequestInvalid'],
    ['has a number without end', withName('9'.repeat(500_000)), 'RequestInvalid'],
    ['has an exponent without end', withName('1e999999999'), 'RequestInvalid'],
    ['has a number in hexadecimal', withName('0x10'), 'BodyMalformed'],
    ['has NaN', withName('NaN'), 'BodyMalformed'],
    ['has a comment', `/* */${withName('"x"')}`, 'BodyMalformed'],
    ['has a comma too many', '{"name":"x","slug":"json",}', 'BodyMalformed'],
    ['goes on after its end', `${withName('"x"')}{}`, 'BodyMalformed'],
    ['begins with a byte order mark', `\ufeff${withName('"x"')}`, 'BodyMalformed'],
    ['is UTF-16', new Uint8Array(Buffer.from(withName('"x"'), 'utf16le')), 'BodyMalformed'],
    [
      'has an overlong character',
      Uint8Array.from([...bytesOf('{"slug":"json","name":"'), 0xc0, 0xaf, ...bytesOf('"}')]),
      'BodyMalformed',
    ],
    [
      'has half a character',
      Uint8Array.from([...bytesOf('{"slug":"json","name":"'), 0xe2, 0x82, ...bytesOf('"}')]),
      'BodyMalformed',
    ],
    ['has a control character in a text', withName('"a\u0001b"'), 'BodyMalformed'],
    ['has a NUL in a text', withName('"a\\u0000b"'), 'RequestInvalid'],
    ['has a text of a megabyte', withName(`"${'x'.repeat(1_000_000)}"`), 'RequestInvalid'],
  ])('%s is refused shortly with what is wrong, and leaves nothing behind', async (_what, body, title) => {
    const before = await world.holdings();
    const answered = await post(body);
    expect(problemOf(answered).title).toBe(title);
    expect(answered.text.length).toBeLessThan(10_000);
    expect(await world.holdings()).toEqual(before);
    expect((await world.ask('GET', company.base, { token: company.token })).status).toBe(200);
    expect(world.load().bodyBytes).toBe(0);
  });

  test.each(['gzip', 'br', 'deflate', 'zstd', 'identity, gzip', 'gzip, gzip, gzip'])(
    'is encoded as %s is refused',
    async (encoding) => {
      const bomb = new Uint8Array(gzipSync(Buffer.alloc(10_000_000, 0x20)));
      expect(problemOf(await post(bomb, { 'content-encoding': encoding })).title).toBe('MediaTypeUnsupported');
    },
  );

  test.each([
    'text/json',
    'application/jsonx',
    'application/x-www-form-urlencoded',
    'multipart/form-data; boundary=x',
    'application/json-patch+json',
    ';',
  ])('is said to be %s is refused', async (type) => {
    expect(problemOf(await post(withName('"x"'), { 'content-type': type })).title).toBe('MediaTypeUnsupported');
  });
});

describe('A member that is there twice', () => {
  test('counts as the last one says, which is what is judged and what is stored', async () => {
    const refused = await post('{"name":"good","slug":"twice-a","name":1}');
    expect(problemOf(refused)).toMatchObject({ title: 'RequestInvalid', field: 'name' });
    const taken = await post('{"name":1,"slug":"twice-b","name":"last"}');
    expect(taken.body).toMatchObject({ name: 'last', slug: 'twice-b' });
  });
});

describe('Names that stand for the inside of every object', () => {
  const names = ['__proto__', 'constructor', 'prototype', '\\u005f_proto__', 'constr\\u0075ctor'];
  const polluting = '{"isPolluted":true,"toString":"x"}';
  const bodies = names.flatMap((name) => [
    `{"${name}":${polluting}}`,
    `{"a":{"b":{"${name}":${polluting}}}}`,
    `{"a":[[{"${name}":${polluting}}]]}`,
    `[{"${name}":${polluting}}]`,
  ]);
  const addressOf = (path: string): string =>
    path
      .replace('{workspaceId}', company.workspaceId)
      .replace('{departmentId}', company.departmentId)
      .replaceAll(/\{\w+\}/g, company.departmentId);

  const expectClean = (): void => {
    const fresh: object = {};
    expect('isPolluted' in fresh).toBe(false);
    expect(Object.prototype.toString.call(fresh)).toBe('[object Object]');
    expect(`${fresh}`).toBe('[object Object]');
  };

  test.each(
    operations.filter(({ method }) => method !== 'get').map(({ id, method, path }) => [id, method, path] as const),
  )('are refused in every body of %s, at every level, and change nothing', async (_id, method, path) => {
    const before = await world.holdings();
    for (const body of bodies) {
      const answered = await world.ask(method.toUpperCase(), addressOf(path), {
        token: company.token,
        bytes: bytesOf(body),
        headers: { 'content-type': 'application/json' },
      });
      expect([400, 403, 404, 409, 413], `${body} ${answered.text}`).toContain(answered.status);
      if (answered.status === 400) expect(problemOf(answered).title).toBe('BodyMalformed');
      expectClean();
    }
    expect(await world.holdings()).toEqual(before);
  });

  test.each(
    operations
      .filter(({ id, path }) => !id.startsWith('follow') && !path.startsWith('/health'))
      .map(({ id, method, path }) => [id, method, path] as const),
  )('are refused or ignored as parameters of %s', async (_id, method, path) => {
    const before = await world.holdings();
    for (const query of [
      '__proto__=x',
      '__proto__[isPolluted]=1',
      'constructor.prototype.isPolluted=1',
      'constructor=x',
      'prototype=x',
    ]) {
      const answered = await world.ask(method.toUpperCase(), `${addressOf(path)}?${query}`, {
        token: company.token,
        ...(method !== 'get' && { bytes: bytesOf('{"isNothing":1}'), headers: { 'content-type': 'application/json' } }),
      });
      expect(answered.status, query).toBeGreaterThanOrEqual(400);
      expect(answered.status).toBeLessThan(500);
      expectClean();
    }
    expect(await world.holdings()).toEqual(before);
  });
});
