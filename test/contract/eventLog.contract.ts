import { randomUUID } from 'node:crypto';
import { inspect } from 'node:util';
import { binaryEvent, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { AppendRefused, EventLogUnavailable } from '../../src/platform/eventLog/errors.ts';
import { openEventLog } from '../../src/platform/eventLog/open.ts';
import type { EventLog, LogBatch, NewEvent, StoredEvent } from '../../src/platform/eventLog/port.ts';

export type Server = { readonly connectionString: string; stop(): Promise<void> };

export const collect = async <T>(items: AsyncIterable<T>): Promise<T[]> => {
  const collected: T[] = [];
  for await (const item of items) collected.push(item);
  return collected;
};

export const happened = (data: NewEvent['data'] = {}): NewEvent => ({
  id: randomUUID(),
  type: 'Happened',
  data,
  metadata: { $correlationId: 'c' },
});

const many = (count: number): NewEvent[] => Array.from({ length: count }, (_, n) => happened({ n }));
const rejections = (results: readonly PromiseSettledResult<unknown>[]): PromiseRejectedResult[] =>
  results.flatMap((result) => (result.status === 'rejected' ? [result] : []));
const ids = (events: readonly { readonly id: string }[]): string[] => events.map(({ id }) => id);

/** Follows until `isEnough` and answers everything that came. */
export const follow = async (
  log: EventLog,
  options: { after?: bigint; maxBatch?: number },
  isEnough: (events: readonly StoredEvent[], batch: LogBatch) => boolean,
): Promise<{ events: StoredEvent[]; batches: LogBatch[] }> => {
  const stop = new AbortController();
  const events: StoredEvent[] = [];
  const batches: LogBatch[] = [];
  for await (const batch of log.subscribe({ ...options, signal: stop.signal })) {
    events.push(...batch.events);
    batches.push(batch);
    if (isEnough(events, batch)) stop.abort();
  }
  return { events, batches };
};

/** What every event log must do. The server may hold other events already: streams get new names. */
export const eventLogContract = (start: () => Promise<Server>): void => {
  let server: Server;
  let log: EventLog;
  let other: EventStoreDBClient;
  const stream = (): string => `contract-${randomUUID()}`;

  beforeAll(async () => {
    server = await start();
    log = await openEventLog({ connectionString: server.connectionString });
    other = EventStoreDBClient.connectionString(server.connectionString);
  });
  afterAll(async () => {
    await log.close();
    await other.dispose();
    await server.stop();
  });

  describe('append', () => {
    test('what was appended is read back, field by field', async () => {
      const name = stream();
      const before = Date.now();
      const event = { ...happened({ text: 'Grüße 你好 🚀', nested: [{ a: null }] }), metadata: { actor: 'ünï' } };
      const outcome = await log.append(name, [event], 'noStream');
      expect(outcome).toMatchObject({ ok: true, revision: 0 });
      const [read] = await collect(log.readStream(name));
      expect(read).toMatchObject({ ...event, stream: name, revision: 0 });
      expect(read?.position).toBe(outcome.ok ? outcome.position : -1n);
      expect(Math.abs((read?.recordedAt ?? 0) - before)).toBeLessThan(60_000);
    });

    test('the answer names the last of several events, which follow each other', async () => {
      const name = stream();
      const first = await log.append(name, many(3), 'noStream');
      const second = await log.append(name, many(2), 2);
      expect([first, second]).toMatchObject([
        { ok: true, revision: 2 },
        { ok: true, revision: 4 },
      ]);
      const read = await collect(log.readStream(name));
      expect(read.map(({ revision }) => revision)).toEqual([0, 1, 2, 3, 4]);
      expect(read.at(-1)?.position).toBe(second.ok ? second.position : -1n);
    });

    test('a wrong expectation is a conflict that names the actual revision, and appends nothing', async () => {
      const name = stream();
      const missing = stream();
      await log.append(name, many(3), 'noStream');
      const conflicts = [
        await log.append(name, many(1), 'noStream'),
        await log.append(name, many(1), 1),
        await log.append(name, many(1), 7),
        await log.append(missing, many(1), 0),
        await log.append(missing, many(1), 'streamExists'),
      ];
      expect(conflicts).toEqual([
        ...[2, 2, 2].map((actual) => ({ ok: false, conflict: 'revision', actual })),
        ...[-1, -1].map((actual) => ({ ok: false, conflict: 'revision', actual })),
      ]);
      expect(await collect(log.readStream(name))).toHaveLength(3);
      expect(await collect(log.readStream(missing))).toEqual([]);
    });

    test('any and streamExists append whatever the revision is', async () => {
      const name = stream();
      expect(await log.append(name, many(1), 'any')).toMatchObject({ ok: true, revision: 0 });
      expect(await log.append(name, many(1), 'streamExists')).toMatchObject({ ok: true, revision: 1 });
    });

    test('the same events with the same expectation are recognised and not stored twice', async () => {
      const name = stream();
      const events = many(2);
      const first = await log.append(name, events, 'noStream');
      await log.append(name, many(1), 1);
      expect(await log.append(name, events, 'noStream')).toEqual(first);
      expect(await collect(log.readStream(name))).toHaveLength(3);
    });

    test('of many writers with the same expectation exactly one wins', async () => {
      const name = stream();
      const outcomes = await Promise.all(Array.from({ length: 20 }, () => log.append(name, many(2), 'noStream')));
      expect(outcomes.filter(({ ok }) => ok)).toHaveLength(1);
      expect(await collect(log.readStream(name))).toHaveLength(2);
    });

    test('a tombstoned stream is a conflict of its own and reads as empty', async () => {
      const name = stream();
      await log.append(name, many(1), 'noStream');
      await other.tombstoneStream(name);
      expect(await log.append(name, many(1), 'any')).toEqual({ ok: false, conflict: 'deleted' });
      expect(await collect(log.readStream(name))).toEqual([]);
    });

    test('appending nothing checks the expectation only', async () => {
      const name = stream();
      await log.append(name, many(2), 'noStream');
      expect(await log.append(name, [], 1)).toMatchObject({ ok: true, revision: 1 });
      expect(await log.append(name, [], 'noStream')).toEqual({ ok: false, conflict: 'revision', actual: 1 });
      expect(await log.append(stream(), [], 'noStream')).toMatchObject({ ok: true, revision: -1 });
    });

    test('what the server will never take is refused at once, and others are not disturbed', async () => {
      const name = stream();
      const large = [12_000_000, 20_000_000].map((size) =>
        log.append(name, [happened({ text: 'x'.repeat(size) })], 'noStream'),
      );
      const small = log.append(stream(), many(1), 'noStream');
      const refused = rejections(await Promise.allSettled(large)).map(({ reason }) => reason instanceof AppendRefused);
      expect(refused).toEqual([true, true]);
      expect(await small).toMatchObject({ ok: true });
      expect(await collect(log.readStream(name))).toEqual([]);
    });

    test('ten thousand appends queued at once all complete, in order for one stream', async () => {
      const name = stream();
      const events = many(10_000);
      const outcomes = await Promise.all(events.map((event) => log.append(name, [event], 'any')));
      expect(outcomes.every(({ ok }) => ok)).toBe(true);
      expect(ids(await collect(log.readStream(name)))).toEqual(ids(events));
    }, 60_000);
  });

  describe('readStream', () => {
    test('direction, start and limit select what they would select of an array', async () => {
      const name = stream();
      const events = many(12);
      await log.append(name, events, 'noStream');
      const from = fc.oneof(fc.nat(14), fc.constantFrom('start' as const, 'end' as const));
      const direction = fc.constantFrom('forwards' as const, 'backwards' as const);
      await fc.assert(
        fc.asyncProperty(from, direction, fc.integer({ min: 0, max: 15 }), async (start, way, limit) => {
          const backwards = way === 'backwards';
          const end = backwards ? 11 : 12;
          const at = start === 'start' ? 0 : start === 'end' ? end : start;
          const all = ids(events);
          const expected = backwards ? all.slice(0, at + 1).reverse() : all.slice(at);
          const read = await collect(log.readStream(name, { from: start, direction: way, limit }));
          expect(ids(read)).toEqual(expected.slice(0, limit));
        }),
        { numRuns: 60 },
      );
    });

    test('a missing stream yields nothing', async () => {
      expect(await collect(log.readStream(stream()))).toEqual([]);
      expect(await collect(log.readStream(stream(), { from: 'end', direction: 'backwards', limit: 1 }))).toEqual([]);
    });

    test('a stream longer than any page is read whole, and reading may stop anywhere', async () => {
      const name = stream();
      const events = many(1_500);
      await log.append(name, events, 'noStream');
      expect(ids(await collect(log.readStream(name)))).toEqual(ids(events));
      for await (const event of log.readStream(name)) if (event.revision === 700) break;
      expect(await collect(log.readStream(name, { limit: 1 }))).toHaveLength(1);
    });

    test('only the newest events stay readable after keepNewest, and revisions go on', async () => {
      const name = stream();
      await log.append(name, many(5), 'noStream');
      await log.keepNewest(name, 2);
      expect((await collect(log.readStream(name))).map(({ revision }) => revision)).toEqual([3, 4]);
      expect(await log.append(name, many(1), 4)).toMatchObject({ ok: true, revision: 5 });
      expect((await collect(log.readStream(name))).map(({ revision }) => revision)).toEqual([4, 5]);
    });
  });

  describe('readAll', () => {
    test('the log is read in order from behind the given position, without system events', async () => {
      const start = await log.head();
      const name = stream();
      const events = many(5);
      await log.append(name, events.slice(0, 2), 'noStream');
      await log.keepNewest(name, 10);
      await log.append(name, events.slice(2), 1);
      const read = await collect(log.readAll({ after: start }));
      expect(ids(read)).toEqual(ids(events));
      const positions = read.map(({ position }) => position);
      expect(positions).toEqual([...positions].sort((a, b) => Number(a - b)));
      expect(await log.head()).toBe(positions.at(-1));
      expect(ids(await collect(log.readAll({ after: positions[1] ?? 0n, limit: 2 })))).toEqual(ids(events.slice(2, 4)));
      expect(await collect(log.readAll({ after: await log.head() }))).toEqual([]);
    });

    test('batches hold at most what was asked, give every event once, and the last one says so', async () => {
      const start = await log.head();
      const events = many(1_000);
      await log.append(stream(), events, 'noStream');
      const batches = await collect(log.readAllBatches({ after: start, maxBatch: 128 }));
      expect(ids(batches.flatMap((batch) => batch.events))).toEqual(ids(events));
      expect(Math.max(...batches.map((batch) => batch.events.length))).toBeLessThanOrEqual(128);
      expect(batches.map(({ caughtUp }) => caughtUp)).toEqual(batches.map((_, index) => index === batches.length - 1));
      for (const batch of batches) {
        const last = batch.events.at(-1);
        if (last !== undefined) expect(batch.position).toBeGreaterThanOrEqual(last.position);
      }
    });

    test('events of other writers, whatever they hold, are read without failing', async () => {
      const start = await log.head();
      const name = stream();
      const foreign = [
        binaryEvent({ type: 'Binary', data: Buffer.from([0, 255, 1]), metadata: Buffer.from([9]) }),
        jsonEvent({ type: 'NoMetadata', data: { a: 1 } }),
        jsonEvent({ type: 'ListMetadata', data: { a: 2 }, metadata: [1, 2] }),
        jsonEvent({ type: 'TextData', data: 'text' }),
        jsonEvent({ type: 'ListData', data: [null] }),
      ];
      await other.appendToStream(name, foreign);
      const read = await collect(log.readAll({ after: start }));
      expect(read.map(({ type, data, metadata }) => [type, data, metadata])).toEqual([
        ['Binary', {}, {}],
        ['NoMetadata', { a: 1 }, {}],
        ['ListMetadata', { a: 2 }, {}],
        ['TextData', {}, {}],
        ['ListData', {}, {}],
      ]);
    });
  });

  describe('subscribe', () => {
    test('what is there comes first, then what is appended, each once and in order', async () => {
      const after = await log.head();
      const name = stream();
      const events = many(40);
      await log.append(name, events.slice(0, 20), 'noStream');
      let appended: Promise<unknown> | undefined;
      const { events: seen } = await follow(log, { after }, (sofar, batch) => {
        if (batch.caughtUp) appended ??= Promise.all(events.slice(20).map((event) => log.append(name, [event], 'any')));
        return sofar.length >= 40;
      });
      await appended;
      expect(ids(seen)).toEqual(ids(events));
    });

    test('a reader at the end of the log is told so, and aborting ends it normally', async () => {
      const { events, batches } = await follow(log, { after: await log.head() }, (_events, batch) => batch.caughtUp);
      expect(events).toEqual([]);
      expect(batches.at(-1)?.caughtUp).toBe(true);
    });

    test('an abort before the first batch ends it too', async () => {
      expect(await collect(log.subscribe({ signal: AbortSignal.abort() }))).toEqual([]);
    });

    test('batches hold at most what was asked', async () => {
      const after = await log.head();
      await log.append(stream(), many(300), 'noStream');
      const { batches } = await follow(log, { after, maxBatch: 50 }, (events) => events.length >= 300);
      expect(Math.max(...batches.map(({ events }) => events.length))).toBeLessThanOrEqual(50);
    });

    test('a system event moves the position without being shown', async () => {
      const after = await log.head();
      const name = stream();
      await log.append(name, many(1), 'noStream');
      const last = await log.head();
      await log.keepNewest(name, 5);
      const { events } = await follow(log, { after }, (_events, batch) => batch.position > last);
      expect(events).toHaveLength(1);
    });

    test('a consumer far slower than the writers misses nothing and learns in the end that it caught up', async () => {
      const after = await log.head();
      const name = stream();
      const total = 4_000;
      const stop = new AbortController();
      const seen: string[] = [];
      const written: NewEvent[] = [];
      let writing: Promise<unknown> | undefined;
      for await (const batch of log.subscribe({ after, maxBatch: 16, signal: stop.signal })) {
        seen.push(...ids(batch.events));
        if (batch.caughtUp && writing === undefined) {
          for (let n = 0; n < total / 50; n++) written.push(...many(50));
          const appends = Array.from({ length: total / 50 }, (_, n) => written.slice(n * 50, n * 50 + 50));
          writing = Promise.all(appends.map((events) => log.append(name, events, 'any')));
          await writing;
        }
        if (seen.length === total && batch.caughtUp) stop.abort();
      }
      expect(seen).toEqual(ids(written));
    });

    test('several subscribers each see everything', async () => {
      const after = await log.head();
      const events = many(50);
      const followers = Array.from({ length: 5 }, () => follow(log, { after }, (seen) => seen.length >= 50));
      await log.append(stream(), events, 'noStream');
      for (const { events: seen } of await Promise.all(followers)) expect(ids(seen)).toEqual(ids(events));
    });
  });

  test('closing ends subscriptions normally and refuses what comes after', async () => {
    const closing = await openEventLog({ connectionString: server.connectionString });
    await closing.append(stream(), many(1), 'noStream');
    const batches: LogBatch[] = [];
    let closed: Promise<void> | undefined;
    for await (const batch of closing.subscribe({ after: await log.head(), signal: new AbortController().signal })) {
      batches.push(batch);
      closed = closing.close();
    }
    await closed;
    expect(batches.length).toBeGreaterThan(0);
    await expect(closing.append(stream(), many(1), 'noStream')).rejects.toThrow(EventLogUnavailable);
    await expect(closing.head()).rejects.toThrow(EventLogUnavailable);
    expect(await log.append(stream(), many(1), 'noStream')).toMatchObject({ ok: true });
  });

  test('closing comes to an end, whatever had been read of what arrived', async () => {
    for (let n = 0; n < 10; n += 1) await log.append(stream(), many(200), 'noStream');
    const closed = Array.from({ length: 20 }, async (_, n) => {
      const own = await openEventLog({ connectionString: server.connectionString });
      const stop = new AbortController();
      for await (const { caughtUp } of own.subscribe({ maxBatch: 1 + n, signal: stop.signal })) {
        if (caughtUp || n % 2 === 0) stop.abort();
      }
      expect(await collect(own.readAll({ limit: 1 + n }))).toHaveLength(1 + n);
      await own.close();
    });
    await Promise.all(closed);
  });

  test('a connection string that cannot be read is refused when opening, without repeating its password', async () => {
    for (const connectionString of ['http://user:secret@localhost', 'esdb://user:secret@localhost:port']) {
      const error: unknown = await openEventLog({ connectionString }).catch((reason: unknown) => reason);
      expect(error).toBeInstanceOf(Error);
      expect(inspect(error)).not.toContain('secret');
    }
  });
};
