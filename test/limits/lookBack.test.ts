import { fork } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { turnLimits } from '../../src/api/turns.ts';
import { type ApiWorld, aCompany, type Company, problemOf, startApi } from '../support/api.ts';

let world: ApiWorld;
let company: Company;
let at: string;
beforeAll(async () => {
  world = await startApi();
  company = await aCompany(world);
  const position = await world.log.head();
  await world.ask('GET', `${company.base}?waitFor=${position}`, { token: company.token });
  at = new Date().toISOString();
});
afterAll(() => world.stop());

const ask = (door: ApiWorld, path = '/departments') =>
  door.ask('GET', `${company.base}${path}?at=${at}`, { token: company.token });

/** Numbers of the processes that have been started, by what was logged. */
const started = (): readonly number[] =>
  world.logged.flatMap((line) => {
    const pid = /^\{"pid":(\d+)\} began to look back$/.exec(line)?.[1];
    return pid === undefined ? [] : [Number(pid)];
  });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

/** The process that the next question starts. */
const nextProcess = async (before: readonly number[]): Promise<number> => {
  await expect.poll(() => started().length, { timeout: 30_000 }).toBeGreaterThan(before.length);
  const pid = started().at(-1);
  if (pid === undefined) throw new Error('There is none.');
  return pid;
};

// A process is started for each, which comes last on a machine that is busy.
describe('The process in which a workspace is replayed', { timeout: 90_000 }, () => {
  test('ends without anything else: who waits is told to come back, the next one is answered', async () => {
    const door = await world.behind({});
    const before = started();
    const asked = ask(door);
    process.kill(await nextProcess(before), 'SIGKILL');
    const lost = await asked;
    expect(problemOf(lost)).toMatchObject({ title: 'ServerBusy', status: 503 });
    expect(lost.headers.get('retry-after')).toBe('3');
    expect((await ask(door)).status).toBe(200);
    await door.stop();
  });

  test('is replaced when it ended while nobody asked', async () => {
    const door = await world.behind({});
    const before = started();
    expect((await ask(door)).status).toBe(200);
    const pid = await nextProcess(before);
    process.kill(pid, 'SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
    await expect.poll(async () => (await ask(door)).status, { timeout: 60_000 }).toBe(200);
    expect(await nextProcess([...before, pid])).not.toBe(pid);
    await door.stop();
  });

  test('is ended when it takes too long, and that is told', async () => {
    const door = await world.behind({ pastProcess: { replayMs: 1 } });
    const before = started();
    const late = await ask(door);
    expect(problemOf(late)).toMatchObject({ title: 'ServerBusy', status: 503 });
    expect(late.text).toContain('took too long');
    await expect.poll(() => started().slice(before.length).map(isAlive), { timeout: 30_000 }).toEqual([false]);
    await door.stop();
  });

  test.runIf(existsSync('/proc/self/status'))(
    'is ended when it takes too much memory: that history is too long',
    async () => {
      const door = await world.behind({ pastProcess: { memoryBytes: 1024 ** 2 } });
      expect(problemOf(await ask(door))).toMatchObject({ title: 'HistoryTooLong', status: 422 });
      await door.stop();
    },
  );

  test.runIf(existsSync('/proc/self/environ'))(
    'is given nothing of the environment, and yields to the one that answers',
    async () => {
      const door = await world.behind({});
      const before = started();
      expect((await ask(door)).status).toBe(200);
      const pid = await nextProcess(before);
      const names = readFileSync(`/proc/${pid}/environ`, 'utf8')
        .split('\0')
        .map((each) => each.split('=')[0] ?? '');
      const known = ['', 'NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'SSL_CERT_DIR', 'TZ', 'NODE_CHANNEL_FD'];
      expect(names.filter((name) => !known.includes(name) && !name.startsWith('NODE_CHANNEL_'))).toEqual([]);
      const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
      const nice = stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16];
      expect(Number(nice)).toBeGreaterThan(0);
      await door.stop();
    },
  );

  test('says so when the log does not answer it, as the one that answers would', async () => {
    const pastLog = 'esdb://127.0.0.1:1?tls=false';
    const door = await world.behind({ pastLog, pastProcess: { logPatienceMs: 200 } });
    expect(problemOf(await ask(door))).toMatchObject({ title: 'LogUnavailable', status: 503 });
    await door.stop();
  });

  test('ends with the one that started it, however that ends', async () => {
    const child = join(import.meta.dirname, '../../dist/pastChild.js');
    const starter = `
      const { fork } = require('node:child_process');
      const child = fork(${JSON.stringify(child)}, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'ignore', 'ipc'] });
      process.send(child.pid);
      setInterval(() => {}, 1_000);`;
    const parent = fork('-e', [starter], { execArgv: [], stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
    const pid = await new Promise<number>((resolve) => parent.once('message', (told) => resolve(Number(told))));
    expect(isAlive(pid)).toBe(true);
    parent.kill('SIGKILL');
    await expect.poll(() => isAlive(pid), { timeout: 30_000 }).toBe(false);
  });
});

describe('A look back whose turn has not come', { timeout: 90_000 }, () => {
  /** A door where one look back is done at a time, and what it read of the workspace's stream from the beginning. */
  const aDoor = async () => {
    const read: string[] = [];
    let open = (): void => {};
    const opened = new Promise<void>((resolve) => {
      open = resolve;
    });
    const narrow = { total: 1, alone: 1, shared: 1, waiting: 16, presenceMs: 1_000, yieldMs: 0 };
    const door = await world.behind({
      limits: { turns: { ...turnLimits, lookBacks: narrow } },
      aroundLog: (log) => ({
        ...log,
        readStream: (stream, options) => {
          if ((options?.from ?? 0) === 0) read.push(stream);
          return log.readStream(stream, options);
        },
      }),
      aroundQueries: (queries) => ({
        ...queries,
        changedThings: async (args) => {
          await opened;
          return queries.changedThings(args);
        },
      }),
    });
    const holding = door.ask('GET', `${company.base}/diff`, { token: company.token });
    await expect.poll(() => door.load().turns[1]?.running).toBe(1);
    read.length = 0;
    return { door, read, open, holding };
  };

  test('has folded nothing yet', async () => {
    const { door, read, open, holding } = await aDoor();
    const waiting = ask(door, '');
    await expect.poll(() => door.load().turns[1]?.waiting).toBe(1);
    expect(read).not.toContain(`workspace-${company.workspaceId}`);
    open();
    expect((await waiting).status).toBe(200);
    expect(read).toContain(`workspace-${company.workspaceId}`);
    expect((await holding).status).toBe(200);
    await door.stop();
  });

  test('waits for it at the address of a deployment as well', async () => {
    const { door, open, holding } = await aDoor();
    const id = '00000000-0000-4000-8000-000000000000';
    const waiting = door.ask('GET', `/worker/deployments/${id}?at=${at}`, { token: company.token });
    await expect.poll(() => door.load().turns[1]?.waiting).toBe(1);
    open();
    expect((await waiting).status).toBe(404);
    expect((await holding).status).toBe(200);
    await door.stop();
  });
});
