import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startFront } from '../../src/compose/front.ts';
import { readConfig } from '../../src/config.ts';
import { type ApiWorld, aCompany, anInvitation, type Company, problemOf, startApi } from '../support/api.ts';
import { sendRaw } from './raw.ts';

let world: ApiWorld;
let company: Company;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
});
afterAll(() => world.stop());

const wanted = [
  'strict-transport-security: max-age=31536000',
  'x-content-type-options: nosniff',
  'referrer-policy: no-referrer',
  'cache-control: no-store',
  "content-security-policy: default-src 'none'",
  'x-frame-options: DENY',
];

const expectAll = (head: string): void => {
  for (const each of wanted) expect(head.toLowerCase()).toContain(each.toLowerCase());
};

describe('The headers that keep browsers from rendering, framing, guessing and keeping', () => {
  test('are on answers of operations and on problems alike', async () => {
    for (const path of [
      '/auth/me',
      '/nowhere',
      '/health/live',
      '/metrics',
      '/openapi.json',
      '/problems/RateExceeded',
    ]) {
      expectAll(await sendRaw(world.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    }
  });

  test('are on the answer to what never became a request', async () => {
    const answer = await sendRaw(world.url, 'this is not HTTP\r\n\r\n');
    expect(answer).toContain('HTTP/1.1 400');
    expectAll(answer);
  });

  test('are on the answers of a server that is still starting', async () => {
    const read = readConfig({ OPSLOG_PORT: '0' });
    if (!read.ok) throw new Error(read.problems.join());
    const front = await startFront(read.config);
    for (const path of ['/health/live', '/auth/me']) {
      expectAll(await sendRaw(front.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`));
    }
    await front.close();
  });
});

describe('No answer', () => {
  test('sets a cookie or lets another origin read it, whatever origin asks', async () => {
    for (const origin of ['https://evil.example', 'null', world.url]) {
      for (const [method, path] of [
        ['GET', '/auth/me'],
        ['OPTIONS', '/workspaces'],
        ['POST', '/auth/sessions'],
      ] as const) {
        const { headers } = await world.ask(method, path, { headers: { origin }, token: company.token });
        expect(
          [...headers.keys()].filter((name) => name === 'set-cookie' || name.startsWith('access-control-')),
        ).toEqual([]);
      }
    }
  });

  test('with text in it leaves its encoding to be guessed', async () => {
    const seen = [];
    for (const path of ['/docs', '/metrics', '/problems/RateExceeded', `${company.base}/resource-graph?format=dot`]) {
      const { headers } = await world.ask('GET', path, { token: company.token });
      seen.push(headers.get('content-type') ?? '');
    }
    expect(seen.filter((type) => type.startsWith('text/')).length).toBe(4);
    expect(seen.filter((type) => type.startsWith('text/') && !/; ?charset=utf-8/.test(type))).toEqual([]);
  });
});

describe('A command', () => {
  test('needs the token in its own header: a form, a cookie or the address carries none', async () => {
    const body = { name: 'Forged', slug: 'forged' };
    const before = await world.holdings();
    const { token } = company;
    const tries = [
      await world.ask('POST', `${company.base}/departments`, { body, headers: { cookie: `token=${token}` } }),
      await world.ask('POST', `${company.base}/departments?token=${token}`, { body }),
      await world.ask('POST', `${company.base}/departments?access_token=${token}`, { body }),
      await world.ask('POST', `${company.base}/departments`, {
        token,
        bytes: new TextEncoder().encode(JSON.stringify(body)),
        headers: { 'content-type': 'text/plain' },
      }),
    ];
    expect(tries.map(({ status }) => status)).toEqual([401, 401, 401, 415]);
    expect(await world.holdings()).toEqual(before);
  });

  test.each(['x-http-method-override', 'x-http-method', 'x-method-override'])(
    'is not made of a read by %s',
    async (name) => {
      const before = await world.holdings();
      const answered = await world.ask('GET', `${company.base}/departments`, {
        token: company.token,
        headers: { [name]: 'POST' },
      });
      expect(answered.status).toBe(200);
      expect(await world.holdings()).toEqual(before);
    },
  );
});

describe('The server', () => {
  test('serves no file, whatever the path is made of', async () => {
    for (const path of [
      '/.git/config',
      '/.env',
      '/package.json',
      '/../etc/passwd',
      '/%2e%2e/etc/passwd',
      '/docs/..%2f',
    ]) {
      const answer = await sendRaw(world.url, `GET ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n`);
      expect(answer, path).toContain('"title":"RouteNotFound"');
    }
  });
});

describe('A password', () => {
  test('is taken as it is given: long, in any characters, and no other one in its place', async () => {
    const email = 'exact@example.com';
    const invited = await anInvitation(world, company, { email, role: 'VIEWER' });
    const password = ` Ünïcode 密码 🔑 ${'x'.repeat(90)}A `;
    const body = { token: invited.token, displayName: 'Exact', password };
    expect((await world.ask('POST', '/auth/invitations/register', { body })).status).toBe(201);
    const signIn = async (word: string) =>
      (await world.ask('POST', '/auth/sessions', { body: { email, password: word } })).status;
    expect(await signIn(password)).toBe(201);
    for (const other of [password.trim(), password.toLowerCase(), password.slice(0, 72), password.slice(0, -2)]) {
      expect(await signIn(other)).toBe(401);
    }
  });

  test.each([8, 11])('of %i characters is refused', async (length) => {
    const invited = await anInvitation(world, company, { email: `short${length}@example.com`, role: 'VIEWER' });
    const body = { token: invited.token, displayName: 'Short', password: 'kq3v9zt1mw7x'.slice(0, length) };
    const answered = await world.ask('POST', '/auth/invitations/register', { body });
    expect(problemOf(answered)).toMatchObject({ title: 'RequestInvalid', field: 'password' });
  });
});
