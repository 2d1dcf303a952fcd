import { randomUUID } from 'node:crypto';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { batchBound } from '../../../src/platform/eventLog/bound.ts';
import { bytesOf } from '../../../src/platform/eventLog/decode.ts';
import { LogRewound } from '../../../src/platform/eventLog/errors.ts';
import type { EventLog, LogBatch, NewEvent, Position, StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { createRecent } from '../../../src/platform/eventLog/recent.ts';
import { sharing } from '../../../src/platform/eventLog/shared.ts';
import { startTestEventStore } from '../../support/eventStore.ts';

type Subscribe = EventLog['subscribe'];

let server: Awaited<ReturnType<typeof startTestEventStore>>;
beforeAll(async () => {
  server = await startTestEventStore();
});
afterAll(() => server.stop());

const happened = (n: number): NewEvent => ({ id: randomUUID(), type: 'Happened', data: { n }, metadata: {} });
const append = async (count: number): Promise<string[]> => {
  const events = Array.from({ length: count }, (_, n) => happened(n));
  for (let from = 0; from < count; from += 100)
    await server.log.append(`thing-${randomUUID()}`, events.slice(from, from + 100), 'noStream');
  return events.map(({ id }) => id);
};
const until = async (isTrue: () => boolean): Promise<void> => {
  while (!isTrue()) await nextTurn();
};

/** The server's log, with the subscriptions that are open at the server, and how far any of them has got. */
const counted = () => {
  const open = new Set<object>();
  let reached: Position = 0n;
  const subscribe = sharing(async function* (wanted) {
    const mine = {};
    open.add(mine);
    try {
      for await (const batch of server.log.subscribe(wanted)) {
        if (batch.position > reached) reached = batch.position;
        yield batch;
      }
    } finally {
      open.delete(mine);
    }
  });
  return { subscribe, open, reached: () => reached };
};

const followed = (subscribe: Subscribe, after: Position, onBatch: () => Promise<void> = async () => undefined) => {
  const stop = new AbortController();
  const ids: string[] = [];
  let caughtUp = false;
  const ended = (async () => {
    for await (const batch of subscribe({ after, maxBatch: 64, signal: stop.signal })) {
      for (const { id } of batch.events) ids.push(id);
      caughtUp = batch.caughtUp;
      await onBatch();
    }
  })();
  return { ids, caughtUp: () => caughtUp, ended, stop: () => stop.abort() };
};

describe('Those who follow one log', () => {
  test('share a subscription once they have caught up, and each sees everything once and in order', async () => {
    const { subscribe, open } = counted();
    const after = await server.log.head();
    const earlier = await append(150);
    const all = Array.from({ length: 4 }, () => followed(subscribe, after));
    await until(() => all.every((each) => each.caughtUp()) && open.size === 1);
    const later = await append(700);
    await until(() => all.every(({ ids }) => ids.length === 850));
    for (const { ids } of all) expect(ids).toEqual([...earlier, ...later]);
    expect(open.size).toBe(1);
    for (const each of all) each.stop();
    await Promise.all(all.map(({ ended }) => ended));
    await until(() => open.size === 0);
  });

  test('do not wait for a slow one, which reads by itself what is no longer at hand, and misses nothing', async () => {
    const { subscribe, open } = counted();
    const after = await server.log.head();
    let release: (() => void) | undefined;
    let gate: Promise<void> = Promise.resolve();
    const quick = followed(subscribe, after);
    const slow = followed(subscribe, after, () => gate);
    await until(() => quick.caughtUp() && slow.caughtUp() && open.size === 1);
    gate = new Promise((resolve) => {
      release = resolve;
    });
    const written = await append(3_000);
    await until(() => quick.ids.length === 3_000);
    expect(slow.ids.length).toBeLessThan(3_000);
    release?.();
    await until(() => slow.ids.length === 3_000 && slow.caughtUp() && open.size === 1);
    expect(slow.ids).toEqual(written);
    quick.stop();
    slow.stop();
    await Promise.all([quick.ended, slow.ended]);
  });

  test('go on when the only one of them was so slow that it must read by itself', async () => {
    const { subscribe, open, reached } = counted();
    let release: (() => void) | undefined;
    let gate: Promise<void> = Promise.resolve();
    const only = followed(subscribe, await server.log.head(), () => gate);
    await until(() => only.caughtUp() && open.size === 1);
    gate = new Promise((resolve) => {
      release = resolve;
    });
    const written = await append(3_000);
    const last = await server.log.head();
    await until(() => reached() >= last);
    expect(only.ids.length).toBeLessThan(3_000);
    release?.();
    await Promise.race([only.ended, until(() => only.ids.length === 3_000 && only.caughtUp())]);
    expect(only.ids).toEqual(written);
    only.stop();
    await only.ended;
  });

  test('begin anew after the last of them has left', async () => {
    const { subscribe, open } = counted();
    for (const round of [1, 2]) {
      const one = followed(subscribe, await server.log.head());
      await until(() => one.caughtUp() && open.size === 1);
      const written = await append(round);
      await until(() => one.ids.length === round);
      expect(one.ids).toEqual(written);
      one.stop();
      await one.ended;
      await until(() => open.size === 0);
    }
  });

  test('are all told when the log is another one, and may follow that', async () => {
    let fail: (() => void) | undefined;
    let isRewound = false;
    const subscribe = sharing(async function* ({ signal, after = 0n }) {
      yield { events: [], position: after, caughtUp: true };
      await new Promise<void>((resolve) => {
        signal.addEventListener('abort', () => resolve());
        fail = () => {
          isRewound = true;
          resolve();
        };
      });
      if (isRewound) throw new LogRewound('It ends before what was read');
    });
    const all = [followed(subscribe, 5n), followed(subscribe, 5n)];
    await until(() => all.every((each) => each.caughtUp()) && fail !== undefined);
    await nextTurn();
    fail?.();
    for (const { ended } of all) await expect(ended).rejects.toThrow(LogRewound);
    isRewound = false;
    const anew = followed(subscribe, 0n);
    await until(() => anew.caughtUp());
    anew.stop();
    await anew.ended;
  });
});

describe('What is kept of the log', () => {
  const eventAt = (position: number): StoredEvent => ({
    ...{ id: String(position), stream: 'thing-1', revision: position, position: BigInt(position) },
    ...{ type: 'Happened', data: {}, metadata: {}, recordedAt: 0 },
  });
  const gaps = fc.array(fc.array(fc.integer({ min: 1, max: 3 }), { maxLength: 6 }), { maxLength: 30 });

  test('is less than so many events when they are large, and the newest of them', () => {
    const recent = createRecent(0n, { events: 512, bytes: 10_000, bytesOf: () => 1_000 });
    for (let position = 1; position <= 300; position += 1)
      recent.add({ events: [eventAt(position)], position: BigInt(position), caughtUp: true });
    expect(recent.after(280n, batchBound(512))).toBeUndefined();
    expect(recent.after(298n, batchBound(512))?.events.map(({ id }) => id)).toEqual(['299', '300']);
  });

  test('knows from the log which events are large', async () => {
    const after = await server.log.head();
    const stream = `thing-${randomUUID()}`;
    const event = { id: randomUUID(), type: 'Happened', data: { text: 'x'.repeat(100_000) }, metadata: {} };
    await server.log.append(stream, [event, happened(1)], 'noStream');
    const sizes: number[] = [];
    for await (const each of server.log.readAll({ after })) sizes.push(bytesOf(each));
    expect(sizes).toEqual([expect.closeTo(100_500, -3), 0]);
  });

  test('answers exactly what came after any position, in pieces of any size, or that it no longer has it', () => {
    fc.assert(
      fc.property(gaps, fc.nat({ max: 300 }), fc.integer({ min: 1, max: 8 }), (batches, cursor, maxBatch) => {
        const recent = createRecent(0n, { events: 8, bytes: 1, bytesOf: () => 0 });
        const all: StoredEvent[] = [];
        let end = 0;
        for (const steps of batches) {
          const events = steps.map((step) => {
            end += step;
            return eventAt(end);
          });
          all.push(...events);
          const batch: LogBatch = { events, position: BigInt(end), caughtUp: true };
          recent.add(batch);
        }
        const wanted = all.filter(({ position }) => position > BigInt(cursor));
        const found: StoredEvent[] = [];
        let position = BigInt(cursor);
        for (;;) {
          const batch = recent.after(position, batchBound(maxBatch));
          if (batch === undefined) {
            expect(wanted.length).toBeGreaterThanOrEqual(8);
            return;
          }
          expect(batch.events.length).toBeLessThanOrEqual(maxBatch);
          expect(batch.position).toBeGreaterThanOrEqual(position);
          found.push(...batch.events);
          if (batch.events.length === 0) break;
          position = batch.position;
        }
        expect(found).toEqual(wanted);
      }),
    );
  });
});
