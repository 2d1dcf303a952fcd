import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import type { EventLog, ExpectedRevision, NewEvent, StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { DataFolderInUse } from '../../../src/platform/eventstore/folderLock.ts';
import { startEventStore } from '../../../src/platform/eventstore/server.ts';
import { runEventStore } from '../../../src/platform/eventstore/standalone.ts';
import { startEventStoreThread } from '../../../src/platform/eventstore/thread.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-server-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const happened = (): NewEvent => ({ id: randomUUID(), type: 'Happened', data: {}, metadata: {} });

const read = async (log: EventLog, stream: string): Promise<StoredEvent[]> => {
  const events: StoredEvent[] = [];
  for await (const event of log.readStream(stream)) events.push(event);
  return events;
};

const withLog = async <T>(connectionString: string, use: (log: EventLog) => Promise<T>): Promise<T> => {
  const log = await openEventLog({ connectionString });
  try {
    return await use(log);
  } finally {
    await log.close();
  }
};

describe('After a restart', () => {
  test('everything is there, positions and revisions go on, and a repeated write is still recognised', async () => {
    const events = [happened(), happened()];
    const first = await startEventStore({ dataDir: folder });
    const before = await withLog(first.connectionString, (log) => log.append('thing-1', events, 'noStream'));
    await first.close();
    const second = await startEventStore({ dataDir: folder });
    await withLog(second.connectionString, async (log) => {
      expect(await log.append('thing-1', events, 'noStream')).toEqual(before);
      const after = await log.append('thing-1', [happened()], 1);
      expect(after).toMatchObject({ ok: true, revision: 2 });
      const positions = (await read(log, 'thing-1')).map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => Number(a - b)));
      expect(positions).toHaveLength(3);
    });
    await second.close();
  });
});

test('events grow too old for $maxAge as time goes by, and only then', async () => {
  let now = 1_700_000_000_000;
  const server = await startEventStore({ dataDir: folder, now: () => now });
  await withLog(server.connectionString, async (log) => {
    const metadata = { id: randomUUID(), type: '$metadata', data: { $maxAge: 60 }, metadata: {} };
    await log.append('$$thing-1', [metadata], 'any');
    await log.append('thing-1', [happened()], 'noStream');
    now += 40_000;
    await log.append('thing-1', [happened()], 0);
    const revisions = async () => (await read(log, 'thing-1')).map(({ revision }) => revision);
    expect(await revisions()).toEqual([0, 1]);
    now += 30_000;
    expect(await revisions()).toEqual([1]);
    now += 40_000;
    expect(await revisions()).toEqual([]);
    expect(await log.append('thing-1', [happened()], 1)).toMatchObject({ ok: true, revision: 2 });
  });
  await server.close();
});

test('whatever is appended concurrently, every stream and the log hold exactly what was acknowledged, in order', async () => {
  const streams = fc.constantFrom('a-1', 'b-1', 'c-1');
  const expected = fc.oneof(fc.nat(4), fc.constantFrom('any' as const, 'noStream' as const, 'streamExists' as const));
  const appends = fc.array(fc.tuple(streams, expected, fc.integer({ min: 1, max: 3 })), {
    minLength: 1,
    maxLength: 30,
  });
  const isMet = (expectation: ExpectedRevision, length: number): boolean => {
    if (expectation === 'any') return true;
    if (expectation === 'noStream') return length === 0;
    return expectation === 'streamExists' ? length > 0 : expectation === length - 1;
  };
  await fc.assert(
    fc.asyncProperty(appends, async (plan) => {
      const dataDir = await mkdtemp(join(folder, 'run-'));
      const server = await startEventStore({ dataDir });
      await withLog(server.connectionString, async (log) => {
        const model = new Map<string, string[]>();
        const all: string[] = [];
        const checks = plan.map(([stream, expectation, count]) => {
          const events = Array.from({ length: count }, happened);
          const ids = model.get(stream) ?? [];
          const met = isMet(expectation, ids.length);
          if (met) {
            ids.push(...events.map(({ id }) => id));
            all.push(...events.map(({ id }) => id));
            model.set(stream, ids);
          }
          const outcome = met ? { ok: true, revision: ids.length - 1 } : { ok: false, actual: ids.length - 1 };
          return [log.append(stream, events, expectation), outcome] as const;
        });
        for (const [append, outcome] of checks) expect(await append).toMatchObject(outcome);
        for (const [stream, ids] of model) expect((await read(log, stream)).map(({ id }) => id)).toEqual(ids);
        const inLog: string[] = [];
        for await (const { id } of log.readAll()) inLog.push(id);
        expect(inLog).toEqual(all);
      });
      await server.close();
    }),
    { numRuns: 15 },
  );
}, 60_000);

describe('Starting', () => {
  test('in a folder that is in use is refused, and the port is not taken', async () => {
    const server = await startEventStore({ dataDir: folder });
    await expect(startEventStore({ dataDir: folder })).rejects.toThrow(DataFolderInUse);
    await expect(startEventStoreThread({ dataDir: folder })).rejects.toThrow(DataFolderInUse);
    await server.close();
  });

  test('on a port that is in use is refused, and the folder is given back', async () => {
    const other = createServer();
    const port = await new Promise<number>((resolve) => {
      other.listen(0, '127.0.0.1', () => {
        const address = other.address();
        resolve(typeof address === 'object' && address !== null ? address.port : 0);
      });
    });
    await expect(startEventStore({ dataDir: folder, port })).rejects.toThrow(/EADDRINUSE|No address added/);
    await expect(startEventStoreThread({ dataDir: folder, port })).rejects.toThrow(/EADDRINUSE|No address added/);
    other.close();
    const server = await startEventStore({ dataDir: folder });
    await server.close();
  });
});

test('closing answers what was sent before', async () => {
  const server = await startEventStore({ dataDir: folder });
  const log = await openEventLog({ connectionString: server.connectionString });
  await log.append('thing-0', [happened()], 'noStream');
  const appends = Array.from({ length: 50 }, (_, n) => log.append(`kept-${n}`, [happened()], 'noStream'));
  await Promise.all(appends);
  await server.close();
  const again = await startEventStore({ dataDir: folder });
  await withLog(again.connectionString, async (fresh) => {
    let count = 0;
    for await (const _event of fresh.readAll()) count += 1;
    expect(count).toBe(51);
  });
  await again.close();
  await log.close();
});

test('in a thread of its own it does the same, and gives port and folder back when closed', async () => {
  const server = await startEventStoreThread({ dataDir: folder });
  await withLog(server.connectionString, async (log) => {
    expect(await log.append('thing-1', [happened()], 'noStream')).toMatchObject({ ok: true });
  });
  await server.close();
  await server.close();
  const again = await startEventStoreThread({ dataDir: folder, port: server.port });
  await withLog(again.connectionString, async (log) => expect(await read(log, 'thing-1')).toHaveLength(1));
  await again.close();
});

test('alone it runs until its signal aborts', async () => {
  const stop = new AbortController();
  let connectionString = '';
  const running = runEventStore({
    ...{ port: 0, dataDir: folder, signal: stop.signal },
    ready: (server) => {
      connectionString = server.connectionString;
      stop.abort();
    },
  });
  await running;
  expect(connectionString).toMatch(/^esdb:\/\/127\.0\.0\.1:\d+\?tls=false$/);
  await runEventStore({ port: 0, dataDir: folder, signal: AbortSignal.abort() });
});
