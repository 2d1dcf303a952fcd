import { execFile } from 'node:child_process';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterEach, describe, expect, expectTypeOf, test } from 'vitest';
import {
  answerOf,
  createClient,
  type Deployment,
  followTicket,
  OpslogProblem,
  OpslogUnreachable,
} from '../../src/client/index.ts';

type Seen = {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: string;
};
type Answer =
  | { readonly status: number; readonly body?: unknown; readonly headers?: Record<string, string> }
  | 'hangUp';

const servers: Server[] = [];
afterEach(async () => {
  for (const server of servers.splice(0)) {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
});

/** A server that gives these answers in turn, the last one for ever, and remembers what it was asked. */
const answering = async (...answers: readonly Answer[]): Promise<{ url: string; seen: Seen[] }> => {
  const seen: Seen[] = [];
  const server = createServer((request: IncomingMessage, response: ServerResponse) => {
    let body = '';
    request.on('data', (chunk: Buffer) => {
      body += chunk.toString('utf8');
    });
    request.on('end', () => {
      seen.push({ method: request.method ?? '', path: request.url ?? '', headers: request.headers, body });
      const answer = answers[Math.min(seen.length, answers.length) - 1] ?? 'hangUp';
      if (answer === 'hangUp') return void request.socket.destroy();
      response.writeHead(answer.status, { 'content-type': 'application/json', ...answer.headers });
      response.end(answer.body === undefined ? undefined : JSON.stringify(answer.body));
    });
  });
  servers.push(server);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return { url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`, seen };
};

const page = { items: [], next: null };
const problem = { type: '/problems/X', title: 'X', status: 409, detail: 'No.', code: 'x', requestId: 'r' };

describe('The typed client', () => {
  test('sends its token and answers typed data', async () => {
    const { url, seen } = await answering({ status: 200, body: page });
    const workspaces = await answerOf(createClient({ url: `${url}/`, token: 't' }).GET('/workspaces'));
    expectTypeOf(workspaces.items[0]?.slug).toEqualTypeOf<string | undefined>();
    expect(workspaces).toEqual(page);
    expect(seen).toMatchObject([{ method: 'GET', path: '/workspaces', headers: { authorization: 'Bearer t' } }]);
    expect(seen[0]?.headers['idempotency-key']).toBeUndefined();
  });

  test('a refusal is thrown with the whole problem', async () => {
    const { url } = await answering({
      status: 409,
      body: problem,
      headers: { 'content-type': 'application/problem+json' },
    });
    const refused = await answerOf(createClient({ url }).GET('/workspaces')).catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(OpslogProblem);
    expect(refused).toMatchObject({ code: 'x', status: 409, message: 'No.', problem });
  });

  test('a retried command is the same command: one key and one body for every try', async () => {
    const { url, seen } = await answering(
      'hangUp',
      { status: 503, headers: { 'retry-after': '0' } },
      { status: 201, body: {} },
    );
    await answerOf(createClient({ url }).POST('/workspaces', { body: { name: 'A', slug: 'a' } }));
    expect(seen).toHaveLength(3);
    const keys = seen.map(({ headers }) => headers['idempotency-key']);
    expect(keys).toEqual(Array(3).fill(expect.stringMatching(/^[0-9a-f-]{36}$/)));
    expect(new Set(keys).size).toBe(1);
    expect(new Set(seen.map(({ body }) => body))).toEqual(new Set(['{"name":"A","slug":"a"}']));
  });

  test('a refusal is not tried again', async () => {
    const { url, seen } = await answering({ status: 409, body: problem }, { status: 200, body: page });
    await expect(answerOf(createClient({ url }).GET('/workspaces'))).rejects.toThrow(OpslogProblem);
    expect(seen).toHaveLength(1);
  });

  test('a server that asks for more patience than there is gets its answer through', async () => {
    const { url, seen } = await answering({
      status: 429,
      body: { ...problem, status: 429 },
      headers: { 'retry-after': '600' },
    });
    await expect(answerOf(createClient({ url }).GET('/workspaces'))).rejects.toMatchObject({ status: 429 });
    expect(seen).toHaveLength(1);
  });

  test('says when nobody answers, or somebody else does', async () => {
    await expect(answerOf(createClient({ url: 'http://127.0.0.1:9' }).GET('/workspaces'))).rejects.toThrow(
      OpslogUnreachable,
    );
    const { url } = await answering({ status: 404, body: { message: 'nginx' } });
    await expect(answerOf(createClient({ url }).GET('/workspaces'))).rejects.toThrow(OpslogUnreachable);
  });

  test('an aborted call ends at once and is not tried again', async () => {
    const { url, seen } = await answering('hangUp');
    const signal = AbortSignal.abort();
    await expect(answerOf(createClient({ url }).GET('/workspaces', { signal }))).rejects.toMatchObject({
      name: 'AbortError',
    });
    expect(seen).toHaveLength(0);
  });
});

const at = '2026-01-01T00:00:00.000Z';
const step = (sequence: number): Deployment['steps'][number] => ({
  ...{ sequence, attempt: 1, step: `s${sequence}`, outcome: 'done', detail: null },
  ...{ mode: 'perform', facts: {}, startedAt: at, durationMs: 1 },
});
const deployment = (status: Deployment['status'], steps: number): Deployment => ({
  ...{ ticketId: 't', workspaceId: 'w', departmentId: 'd', workerId: 'k', versionId: 'v', revision: 1, kind: 'deploy' },
  ...{
    status,
    attempts: 1,
    maxAttempts: 8,
    cancelRequested: false,
    plan: ['s1', 's2'],
    reasonCode: null,
    reason: null,
  },
  ...{ url: null, next: null, createdAt: at, updatedAt: at, completedAt: null },
  explanation: {
    ...{ summary: 's', step: null, asked: null, answered: null, found: null },
    ...{ next: 'n', at: null, attemptsLeft: 0, ways: [] },
  },
  steps: Array.from({ length: steps }, (_, index) => step(index + 1)).toReversed(),
});

describe('Following a deployment', () => {
  test('shows each step once and in order, and answers how it ended', async () => {
    const { url } = await answering(
      { status: 200, body: deployment('pending', 0) },
      { status: 200, body: deployment('leased', 2) },
      { status: 200, body: deployment('leased', 2) },
      { status: 200, body: deployment('completed', 3) },
    );
    const shown: number[] = [];
    const settled = await followTicket(createClient({ url }), 't', { onStep: ({ sequence }) => shown.push(sequence) });
    expect(shown).toEqual([1, 2, 3]);
    expect(settled.status).toBe('completed');
  });

  test('ends when it is told to', async () => {
    const { url } = await answering({ status: 200, body: deployment('leased', 1) });
    const stop = new AbortController();
    const following = followTicket(createClient({ url }), 't', { signal: stop.signal, onStep: () => stop.abort() });
    await expect(following).rejects.toMatchObject({ name: 'AbortError' });
  });

  test('a deployment that is not there is a problem, not a wait', async () => {
    const { url } = await answering({ status: 404, body: { ...problem, code: 'ticket_not_found' } });
    await expect(followTicket(createClient({ url }), 't')).rejects.toMatchObject({ code: 'ticket_not_found' });
  });
});

describe('The package', () => {
  test('offers the client to others as opslog/client', async () => {
    const script = "import('opslog/client').then((client) => console.log(Object.keys(client).sort().join()))";
    const { stdout } = await promisify(execFile)(process.execPath, ['-e', script], {
      cwd: join(import.meta.dirname, '../..'),
    });
    expect(stdout.trim()).toBe(
      'OpslogProblem,OpslogUnreachable,answerOf,createClient,done,followEvents,followLogs,followTicket,isSettled',
    );
  });

  test('has types that hold in a program with settings of its own', async () => {
    const root = join(import.meta.dirname, '../..');
    const folder = await mkdtemp(join(tmpdir(), 'opslog-types-'));
    const run = promisify(execFile);
    try {
      await run(process.execPath, [join(root, 'types.mjs'), join(folder, 'types')]);
      await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
      const program = [
        "import { answerOf, createClient } from './types/index.js';",
        "const { items } = await answerOf(createClient({ url: 'http://a' }).GET('/workspaces'));",
        'export const slugs: string[] = items.map(({ slug }) => slug);',
        '// @ts-expect-error a slug is text',
        'export const numbers: number[] = items.map(({ slug }) => slug);',
      ];
      await writeFile(join(folder, 'program.ts'), program.join('\n'));
      await writeFile(join(folder, 'package.json'), '{ "type": "module" }');
      const settings = ['--noEmit', '--strict', '--skipLibCheck', '--module', 'nodenext', '--target', 'es2022'];
      const compiler = join(root, 'node_modules/typescript/bin/tsc');
      const checked = run(process.execPath, [compiler, ...settings, 'program.ts'], { cwd: folder });
      expect(await checked.catch((error: { stdout: string }) => error)).toMatchObject({ stdout: '' });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  });
});
