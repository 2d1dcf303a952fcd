import { randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test, vi } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { createClient, type FollowedLine, followLogs } from '../../src/client/index.ts';
import { type RunningOpslog, startOpslog } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { callWorker, createCaller } from '../../src/demo/caller.ts';
import { silentLog } from '../../src/platform/log/port.ts';

// What people complain about elsewhere where the output of workers is concerned, and what holds here instead.

const ticketOf = z.object({ statusUrl: z.string() });
const withUrl = z.looseObject({ url: z.string().nullable() });
const page = z.looseObject({ items: z.array(z.looseObject({ message: z.string() })), next: z.string() });
const canary = `canary-${randomUUID()}`;

const content = `export default {
  fetch(request, env) {
    const path = new URL(request.url).pathname;
    if (path === '/flood') for (let n = 0; n < 2000; n += 1) console.log('flood ' + n);
    else console.warn('asked for ' + path, env.API_KEY);
    return new Response('ok');
  },
};`;

/** A proxy that breaks connections when it is told to, as they do between here and a browser. */
const startProxy = async (target: () => string) => {
  const sockets = new Set<Socket>();
  const server = createServer((near) => {
    const { hostname, port } = new URL(target());
    const far = connect(Number(port), hostname);
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.on('error', () => {});
      one.once('close', () => {
        sockets.delete(one);
        other.destroy();
      });
      one.pipe(other);
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  const cut = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    connections: () => sockets.size / 2,
    cut,
    close: () => {
      cut();
      server.close();
    },
  };
};

let folder: string;
let opslog: RunningOpslog;
let token: string;
let talker: Awaited<ReturnType<typeof aTalker>>;
const password = `pw-${randomUUID()}`;

const start = async (): Promise<void> => {
  const read = readConfig({
    ...{ OPSLOG_DATA_DIR: folder, OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0', OPSLOG_ADMIN_PASSWORD: password },
    OPSLOG_ROLES: 'api,projector,runner',
  });
  if (!read.ok) throw new Error(read.problems.join());
  opslog = await startOpslog(read.config, { logger: silentLog });
  const credentials = { email: read.config.admin.email, password };
  token = (await createCaller(opslog.url)(models.openedSession, 'POST', '/auth/sessions', credentials)).body.token;
};

const caller = () => createCaller(opslog.url, token);

/** A department with a worker on the air that reads a secret. */
const aTalker = async () => {
  const slug = `c-${randomUUID().slice(0, 8)}`;
  const { body: workspace } = await caller()(models.workspace, 'POST', '/workspaces', { name: slug, slug });
  const departments = `/workspaces/${workspace.id}/departments`;
  const { body: department } = await caller()(models.department, 'POST', departments, { name: 'Talk', slug: 'talk' });
  const worker = `${departments}/${department.id}/worker`;
  const stored = await fetch(`${opslog.url}${worker}/secrets/API_KEY`, {
    ...{ method: 'PUT', body: JSON.stringify({ value: canary }) },
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
  });
  expect(stored.status).toBe(200);
  const files = [{ path: 'index.js', content }];
  await caller()(z.unknown(), 'POST', `${worker}/revisions`, { files, secretNames: ['API_KEY'] });
  const { body: ticket } = await caller()(ticketOf, 'POST', `${worker}/deployments`, {});
  const status = async () => (await caller()(models.deploymentWithSteps, 'GET', ticket.statusUrl)).body.status;
  await vi.waitFor(async () => expect(await status()).toBe('completed'), { timeout: 30_000, interval: 50 });
  return {
    ...{ worker, departments, path: { workspaceId: workspace.id, departmentId: department.id } },
    ask: async (path: string) => callWorker((await caller()(withUrl, 'GET', worker)).body.url ?? '', path),
    read: async (query = '') => (await caller()(page, 'GET', `${worker}/logs${query}`)).body,
  };
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-worker-logs-'));
  await start();
  talker = await aTalker();
}, 60_000);
afterAll(async () => {
  await opslog.close();
  await rm(folder, { recursive: true, force: true });
});

describe('Following a worker', () => {
  test('survives broken connections and a restart of the server: every line comes once, in order', async () => {
    const proxy = await startProxy(() => opslog.url);
    onTestFinished(proxy.close);
    const stopping = new AbortController();
    const lines: FollowedLine[] = [];
    const gaps: (number | null)[] = [];
    const { next } = await talker.read();
    const following = followLogs(createClient({ url: proxy.url, token }), {
      ...{ path: talker.path, after: next, signal: stopping.signal },
      onLine: (line) => lines.push(line),
      onDropped: (count) => gaps.push(count),
    });
    const asked: string[] = [];
    const askFor = async (count: number): Promise<void> => {
      for (let n = 0; n < count; n += 1) {
        const path = `/${asked.length}`;
        asked.push(`asked for ${path} ***`);
        await talker.ask(path);
      }
    };
    const followed = () => lines.filter(({ origin }) => origin === 'console').map(({ message }) => message);
    const caughtUp = () => expect.poll(followed, { timeout: 20_000 }).toEqual(asked);

    await askFor(5);
    await caughtUp();
    for (let round = 0; round < 3; round += 1) {
      await askFor(3);
      proxy.cut();
      await askFor(3);
      await caughtUp();
    }
    const response = await fetch(`${opslog.url}${talker.worker}/logs/stream`, {
      headers: { authorization: `Bearer ${token}` },
    });
    const plain = response.text();
    await opslog.close();
    // The end of the server is told, and does not wait for its streams to be closed by others.
    expect(await plain).toMatch(/event: end\ndata: {"reason":"closing"}\n\n$/);
    await start();
    await expect.poll(async () => (await talker.ask('/warm-up')).status, { timeout: 20_000 }).toBe(200);
    asked.push('asked for /warm-up ***');
    await askFor(3);
    await expect
      .poll(() => followed().filter((message) => message !== 'asked for /warm-up ***'))
      .toEqual(asked.filter((message) => message !== 'asked for /warm-up ***'));
    expect(gaps).toEqual([]);
    stopping.abort();
    await following;
  }, 90_000);
});

describe('What a worker writes', () => {
  test('too fast is cut down, and how much is said', async () => {
    await talker.ask('/flood');
    const flood = async () => (await talker.read('?limit=1000')).items.filter(({ message }) => /^flood/.test(message));
    await expect.poll(async () => (await flood()).length, { timeout: 20_000 }).toBeGreaterThan(100);
    expect((await flood()).length).toBeLessThan(2_000);
    const told = async () => {
      await talker.ask('/again');
      return (await talker.read('?limit=1000')).items.map(({ message }) => message).join('\n');
    };
    await expect.poll(told, { timeout: 20_000 }).toMatch(/^\d+ lines dropped: the worker writes too fast$/m);
  }, 60_000);

  test('is kept without the secrets in it, and goes when the worker does', async () => {
    await talker.ask('/secret');
    await expect
      .poll(async () => (await talker.read()).items.map(({ message }) => message))
      .toContain('asked for /secret ***');
    const kept = await readdir(join(folder, 'worker-logs'), { recursive: true });
    const texts = await Promise.all(
      kept.filter((name) => name.endsWith('.jsonl')).map((name) => readFile(join(folder, 'worker-logs', name), 'utf8')),
    );
    expect(texts.join()).toContain('asked for /secret');
    expect(texts.join()).not.toContain(canary);
    const { scriptName } = (await caller()(z.looseObject({ scriptName: z.string() }), 'GET', talker.worker)).body;
    expect(await readdir(join(folder, 'worker-logs'))).toContain(scriptName);
    const removed = await fetch(`${opslog.url}${talker.departments}/${talker.path.departmentId}`, {
      ...{ method: 'DELETE', headers: { authorization: `Bearer ${token}` } },
    });
    expect(removed.status).toBeLessThan(300);
    await expect.poll(() => readdir(join(folder, 'worker-logs')), { timeout: 20_000 }).not.toContain(scriptName);
  }, 60_000);
});
