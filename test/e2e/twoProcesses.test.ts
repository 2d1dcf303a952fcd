import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { firstLine, type Workbench, workbench } from '../cli/support.ts';
import { type TestDatabase, testDatabases } from '../support/database.ts';
import { freePort, type Program, startProgram } from '../support/program.ts';

// Two processes of the program that answer requests, one log and one database between them: what one is told holds at the other.

const promisedMs = 1_000;
const password = 'correct horse battery';
const email = 'admin@opslog.local';

type Side = { readonly name: string; readonly url: string };
type Asked = { readonly status: number; readonly body: unknown };

const idOf = (body: unknown): string => z.object({ id: z.string() }).parse(body).id;
const tokenOf = (body: unknown): string => z.object({ token: z.string() }).parse(body).token;

const ask = async (side: Side, method: string, path: string, token: string, body?: unknown): Promise<Asked> => {
  const response = await fetch(`${side.url}${path}`, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, body: text === '' ? undefined : JSON.parse(text) };
};

const must = async (...args: Parameters<typeof ask>): Promise<unknown> => {
  const { status, body } = await ask(...args);
  if (status >= 300) throw new Error(`${args[1]} ${args[2]} at ${args[0].name}: ${status} ${JSON.stringify(body)}`);
  return body;
};

const postgres = (await testDatabases()).find(({ name }) => name === 'PostgreSQL');
const isRequired = process.env['OPSLOG_REQUIRE_SERVICES'] === '1';

describe.skipIf(postgres?.missing !== '' && !isRequired)(`Two processes (${postgres?.missing || 'PostgreSQL'})`, () => {
  let folder: string;
  let bench: Workbench;
  let database: TestDatabase<unknown>;
  const programs: Program[] = [];
  const children: ReturnType<Workbench['start']>[] = [];
  let sides: readonly [Side, Side];
  let administrator: string;
  let base: string;
  const measured: { readonly what: string; readonly from: string; readonly ms: number }[] = [];

  beforeAll(async () => {
    if (postgres === undefined) throw new Error('There is no PostgreSQL.');
    folder = await mkdtemp(join(tmpdir(), 'opslog-two-'));
    bench = await workbench();
    database = await postgres.create<unknown>();
    const store = bench.start(['--json', 'eventstore', '--port', '0', '--data', join(folder, 'log')]);
    children.push(store);
    const line: unknown = JSON.parse(await firstLine(store));
    const { connectionString } = z.object({ connectionString: z.string() }).parse(line);
    const start = async (name: string, roles: string): Promise<Side> => {
      const port = await freePort();
      const program = startProgram({
        ...{ OPSLOG_DATA_DIR: join(folder, name), OPSLOG_SHARED_DIR: join(folder, 'shared'), OPSLOG_ROLES: roles },
        ...{ OPSLOG_PORT: String(port), OPSLOG_EDGE_PORT: '0', EVENTSTORE_URL: connectionString },
        ...{ DATABASE_URL: database.url, OPSLOG_ADMIN_EMAIL: email, OPSLOG_ADMIN_PASSWORD: password },
      });
      programs.push(program);
      // What only projects answers nobody.
      if (roles === 'api') await program.ready();
      return { name, url: program.url };
    };
    await start('projector', 'projector');
    sides = [await start('first', 'api'), await start('second', 'api')];
    const [first] = sides;
    administrator = tokenOf(await must(first, 'POST', '/auth/sessions', '', { email, password }));
    const page = z.object({ items: z.array(z.object({ id: z.string() })).min(1) });
    const { items } = page.parse(await must(first, 'GET', '/workspaces', administrator));
    base = `/workspaces/${items[0]?.id}`;
  }, 120_000);

  afterAll(async () => {
    for (const program of programs) await program.kill('SIGTERM');
    for (const child of children) child.kill('SIGTERM');
    await database?.drop();
    await bench?.remove();
    if (folder !== undefined) await rm(folder, { recursive: true, force: true });
    for (const { what, from, ms } of measured) {
      process.stderr.write(`${what}, made at the ${from} process: in effect at the other after ${ms.toFixed(0)} ms\n`);
    }
  });

  /** A person with a session at each of the two. */
  const aMember = async (here: Side, there: Side, role: string) => {
    const invited = { email: `${randomUUID()}@example.com`, role };
    const invitation = tokenOf(await must(here, 'POST', `${base}/invitations`, administrator, invited));
    const registration = { token: invitation, displayName: 'A member', password };
    const registered = await must(there, 'POST', '/auth/invitations/register', '', registration);
    const { userId } = z.object({ userId: z.string() }).parse(registered);
    const signIn = (side: Side) => must(side, 'POST', '/auth/sessions', '', { email: invited.email, password });
    const [mine, other] = [tokenOf(await signIn(here)), tokenOf(await signIn(there))];
    return { userId, mine, other };
  };

  /** How long after the change was answered it was in effect; until then the answer was the one of before. */
  const measure = async (
    what: string,
    [here, there]: readonly [Side, Side],
    { path, token, change, becomes }: { path: string; token: string; change: () => Promise<unknown>; becomes: number },
  ): Promise<void> => {
    const look = async () => (await ask(there, 'GET', path, token)).status;
    expect(await look(), 'before').toBe(200);
    await change();
    const from = performance.now();
    await expect.poll(look, { interval: 5, timeout: 10_000 }).toBe(becomes);
    const ms = performance.now() - from;
    measured.push({ what, from: here.name, ms });
    expect(ms, what).toBeLessThanOrEqual(promisedMs);
  };

  const bothWays = () =>
    [
      ['first', 0],
      ['second', 1],
    ] as const;
  const pair = (at: 0 | 1): readonly [Side, Side] => (at === 0 ? sides : [sides[1], sides[0]]);

  describe.each(bothWays())('What is changed at the %s is in effect at the other within a second:', (_, at) => {
    test('a role', async () => {
      const [here, there] = pair(at);
      const { userId, other } = await aMember(here, there, 'ADMIN');
      const demote = () => must(here, 'PATCH', `${base}/members/${userId}`, administrator, { role: 'VIEWER' });
      await measure('A role', [here, there], {
        ...{ path: `${base}/invitations`, token: other, change: demote, becomes: 403 },
      });
    });

    test('a limit to departments', async () => {
      const [here, there] = pair(at);
      const create = async (slug: string) =>
        idOf(await must(here, 'POST', `${base}/departments`, administrator, { name: slug, slug }));
      const [kept, lost] = [await create(`kept-${at}`), await create(`lost-${at}`)];
      const { userId, other } = await aMember(here, there, 'MEMBER');
      const limited = { role: 'MEMBER', departmentIds: [kept] };
      await measure('A limit to departments', [here, there], {
        ...{ path: `${base}/departments/${lost}`, token: other, becomes: 404 },
        change: () => must(here, 'PATCH', `${base}/members/${userId}`, administrator, limited),
      });
      expect((await ask(there, 'GET', `${base}/departments/${kept}`, other)).status).toBe(200);
    });

    test('the revocation of a token', async () => {
      const [here, there] = pair(at);
      const issued = await must(there, 'POST', `${base}/api-tokens`, administrator, { name: 'CI', role: 'VIEWER' });
      const { id, token } = z.object({ id: z.string(), token: z.string() }).parse(issued);
      await measure('The revocation of a token', [here, there], {
        ...{ path: `${base}/departments`, token, becomes: 401 },
        change: () => must(here, 'DELETE', `${base}/api-tokens/${id}`, administrator),
      });
    });

    test('the end of a session', async () => {
      const [here, there] = pair(at);
      const { mine, other } = await aMember(here, there, 'MEMBER');
      const sessions = z.object({ items: z.array(z.object({ id: z.string(), isCurrent: z.boolean() })) });
      let ending = '';
      await expect
        .poll(async () => {
          const { items } = sessions.parse(await must(here, 'GET', '/auth/sessions', mine));
          ending = items.find(({ isCurrent }) => !isCurrent)?.id ?? '';
          return ending;
        })
        .not.toBe('');
      await measure('The end of a session', [here, there], {
        ...{ path: `${base}/departments`, token: other, becomes: 401 },
        change: () => must(here, 'DELETE', `/auth/sessions/${ending}`, mine),
      });
      expect((await ask(there, 'GET', '/auth/me', mine)).status).toBe(200);
    });

    test('the end of all other sessions by another password', async () => {
      const [here, there] = pair(at);
      const { mine, other } = await aMember(here, there, 'MEMBER');
      const change = { currentPassword: password, newPassword: 'another horse battery' };
      await measure('Another password', [here, there], {
        ...{ path: `${base}/departments`, token: other, becomes: 401 },
        change: () => must(here, 'POST', '/auth/password', mine, change),
      });
      expect((await ask(there, 'GET', '/auth/me', mine)).status).toBe(200);
    });
  });
});
