import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { EventLogUnavailable } from '../../../src/platform/eventLog/errors.ts';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import type { EventLog, ExpectedRevision, NewEvent } from '../../../src/platform/eventLog/port.ts';
import { startEventStore } from '../../../src/platform/eventstore/server.ts';
import { startTestEventStore } from '../../support/eventStore.ts';
import { startChildServer } from '../eventstore/childServer.ts';
import { type LossyWire, startProxy } from './proxy.ts';

const happened = (n = 0): NewEvent => ({ id: randomUUID(), type: 'Happened', data: { n }, metadata: {} });

const idsIn = async (log: EventLog, stream: string): Promise<string[]> => {
  const found: string[] = [];
  for await (const { id } of log.readStream(stream)) found.push(id);
  return found;
};

const until = async (isTrue: () => Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await nextTurn();
};

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-faults-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

/** A server behind a wire that can lose its answers; `direct` goes around it. */
const withLossyWire = async (
  use: (parts: { log: EventLog; direct: EventLog; proxy: LossyWire; warnings: string[] }) => Promise<void>,
): Promise<void> => {
  const server = await startTestEventStore();
  const proxy = await startProxy(Number(new URL(server.connectionString.replace('esdb', 'http')).port));
  const warnings: string[] = [];
  const log = await openEventLog({
    connectionString: proxy.connectionString,
    log: { warn: (_details, message) => void warnings.push(message) },
  });
  try {
    await use({ log, direct: server.log, proxy, warnings });
  } finally {
    await log.close();
    await proxy.close();
    await server.stop();
  }
};

describe('An append whose answer is lost', () => {
  test.each<[ExpectedRevision, number]>([
    ['noStream', 0],
    [0, 1],
    ['any', 1],
    ['streamExists', 1],
  ])('with the expectation %s is recognised as done and not repeated', async (expected, before) => {
    await withLossyWire(async ({ log, direct, proxy }) => {
      const earlier = Array.from({ length: before }, happened);
      if (before > 0) await log.append('thing-1', earlier, 'noStream');
      else await log.head();
      proxy.loseAnswers();
      const events = [happened(1), happened(2)];
      const outcome = log.append('thing-1', events, expected);
      await until(async () => (await idsIn(direct, 'thing-1')).length === before + 2);
      proxy.restore();
      expect(await direct.append('thing-1', [happened(3)], 'any')).toMatchObject({ ok: true });
      expect(await outcome).toMatchObject({ ok: true, revision: before + 1 });
      expect((await idsIn(direct, 'thing-1')).slice(0, before + 2)).toEqual(
        [...earlier, ...events].map(({ id }) => id),
      );
      expect(await idsIn(direct, 'thing-1')).toHaveLength(before + 3);
    });
  });

  test('is recognised even when the server was killed and has forgotten the ids it saw', async () => {
    const server = await startChildServer(folder);
    const proxy = await startProxy(server.port);
    const log = await openEventLog({ connectionString: proxy.connectionString });
    const direct = await openEventLog({ connectionString: server.connectionString });
    await log.append('thing-1', [happened(0)], 'any');
    proxy.loseAnswers();
    const outcome = log.append('thing-1', [happened(1)], 'any');
    await until(async () => (await idsIn(direct, 'thing-1')).length === 2);
    await server.kill();
    proxy.restore();
    const again = await startChildServer(folder, { port: server.port });
    expect(await outcome).toMatchObject({ ok: true, revision: 1 });
    expect(await idsIn(direct, 'thing-1')).toHaveLength(2);
    await Promise.all([log.close(), direct.close()]);
    await proxy.close();
    await again.kill();
  });

  test('a conflict after a lost answer is told from the own write', async () => {
    await withLossyWire(async ({ log, direct, proxy }) => {
      await log.append('thing-1', [happened()], 'noStream');
      proxy.loseAnswers();
      const lost = log.append('thing-1', [happened()], 4);
      await nextTurn();
      proxy.restore();
      expect(await lost).toEqual({ ok: false, conflict: 'revision', actual: 0 });
      expect(await idsIn(direct, 'thing-1')).toHaveLength(1);
    });
  });
});

describe('A server that is killed and comes back', () => {
  test('loses and doubles nothing of what writers append and a subscriber follows meanwhile', async () => {
    let server = await startChildServer(folder);
    const { port, connectionString } = server;
    const log = await openEventLog({ connectionString });
    const stop = new AbortController();
    const seen: string[] = [];
    const subscribing = (async () => {
      for await (const batch of log.subscribe({ maxBatch: 32, signal: stop.signal })) {
        for (const { id } of batch.events) seen.push(id);
      }
    })();
    const perWriter = 60;
    const written = Array.from({ length: 8 }, () => Array.from({ length: perWriter }, (_, n) => happened(n)));
    let appended = 0;
    const writing = Promise.all(
      written.map(async (events, writer) => {
        for (const [index, event] of events.entries()) {
          const outcome = await log.append(`writer-${writer}`, [event], index === 0 ? 'noStream' : index - 1);
          expect(outcome).toMatchObject({ ok: true, revision: index });
          appended += 1;
        }
      }),
    );
    for (const threshold of [60, 180, 300]) {
      await until(async () => appended >= threshold);
      await server.kill();
      server = await startChildServer(folder, { port });
    }
    await writing;
    await until(async () => seen.length >= 8 * perWriter);
    stop.abort();
    await subscribing;
    const all: string[] = [];
    for await (const { id } of log.readAll()) all.push(id);
    expect(seen).toEqual(all);
    expect([...seen].sort()).toEqual(
      written
        .flat()
        .map(({ id }) => id)
        .sort(),
    );
    await log.close();
    await server.kill();
  }, 60_000);

  test('a read goes on where it broke off', async () => {
    await withLossyWire(async ({ log, direct, proxy, warnings }) => {
      const events = Array.from({ length: 3_000 }, (_, n) => ({
        ...happened(n),
        metadata: { pad: 'x'.repeat(2_000) },
      }));
      for (let at = 0; at < events.length; at += 300) await direct.append('long-1', events.slice(at, at + 300), 'any');
      const read: string[] = [];
      for await (const { id, revision } of log.readStream('long-1')) {
        read.push(id);
        if (revision === 1_000) proxy.restore();
      }
      expect(read).toEqual(events.map(({ id }) => id));
      expect(warnings).toHaveLength(1);
      const all: string[] = [];
      let isCut = false;
      for await (const batch of log.readAllBatches({ maxBatch: 100 })) {
        all.push(...batch.events.map(({ id }) => id));
        if (isCut || all.length < 1_000) continue;
        isCut = true;
        proxy.restore();
      }
      expect(all).toEqual(read);
      expect(warnings).toHaveLength(2);
    });
  });
});

describe('A server that stays away', () => {
  test('is given up after the time that was set, and used again when it is there', async () => {
    const server = await startEventStore({ dataDir: folder });
    await server.close();
    const log = await openEventLog({ connectionString: server.connectionString, giveUpAfterMs: 200 });
    await expect(log.append('thing-1', [happened()], 'any')).rejects.toThrow(EventLogUnavailable);
    await expect(log.head()).rejects.toThrow(EventLogUnavailable);
    await expect(idsIn(log, 'thing-1')).rejects.toThrow(EventLogUnavailable);
    const again = await startEventStore({ dataDir: folder, port: server.port });
    expect(await log.append('thing-1', [happened()], 'noStream')).toMatchObject({ ok: true });
    await log.close();
    await again.close();
  });

  test('an append that began before the server did completes when it starts', async () => {
    const server = await startEventStore({ dataDir: folder });
    await server.close();
    const warnings: string[] = [];
    const log = await openEventLog({
      connectionString: server.connectionString,
      log: { warn: (_details, message) => void warnings.push(message) },
    });
    const outcome = log.append('thing-1', [happened()], 'noStream');
    await until(async () => warnings.length > 1);
    const late = await startEventStore({ dataDir: folder, port: server.port });
    expect(await outcome).toMatchObject({ ok: true, revision: 0 });
    await log.close();
    await late.close();
  });
});

test('an append that gets no answer at all is settled by reading once the wire is back', async () => {
  const server = await startTestEventStore();
  const proxy = await startProxy(Number(new URL(server.connectionString.replace('esdb', 'http')).port));
  const log = await openEventLog({ connectionString: proxy.connectionString, answerWithinMs: 100 });
  await log.append('thing-1', [happened()], 'any');
  proxy.loseAnswers();
  const outcome = log.append('thing-1', [happened()], 0);
  await until(async () => (await idsIn(server.log, 'thing-1')).length === 2);
  proxy.restore();
  expect(await outcome).toMatchObject({ ok: true, revision: 1 });
  await log.close();
  await proxy.close();
  await server.stop();
});

test('closing one log in the midst of its appends does not disturb another in the same process', async () => {
  const server = await startTestEventStore();
  const closing = await openEventLog({ connectionString: server.connectionString });
  const appends = Array.from({ length: 500 }, (_, n) => server.log.append(`kept-${n}`, [happened()], 'noStream'));
  const lost = Array.from({ length: 500 }, (_, n) => closing.append(`lost-${n}`, [happened()], 'noStream'));
  const settled = Promise.allSettled(lost);
  await closing.close();
  expect((await Promise.all(appends)).every(({ ok }) => ok)).toBe(true);
  for (const result of await settled) {
    if (result.status === 'rejected') expect(result.reason).toBeInstanceOf(EventLogUnavailable);
  }
  await server.stop();
});
