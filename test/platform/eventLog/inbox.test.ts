import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { batchBound } from '../../../src/platform/eventLog/bound.ts';
import type { ReadMessage } from '../../../src/platform/eventLog/decode.ts';
import { batchesOf, type InboxOptions, type MessageCall } from '../../../src/platform/eventLog/inbox.ts';
import type { StoredEvent } from '../../../src/platform/eventLog/port.ts';

const eventAt = (position: number): ReadMessage => ({
  kind: 'event',
  position,
  event: {
    ...{ id: `${position}`, stream: 's-1', revision: position, position: BigInt(position), type: 'T', recordedAt: 0 },
    ...{ data: {}, metadata: {} },
  },
});
const range = (from: number, to: number): ReadMessage[] =>
  Array.from({ length: to - from + 1 }, (_, index) => eventAt(from + index));

const started = (options: Partial<InboxOptions> = {}) => {
  const source = new Readable({ objectMode: true, highWaterMark: 1_000, read: () => {} });
  const call: MessageCall = Object.assign(source, { cancel: () => void source.destroy() });
  const send = (...messages: readonly ReadMessage[]): void => {
    for (const message of messages) source.push(message);
  };
  const batches = batchesOf(call, {
    after: 0n,
    most: batchBound(10),
    follows: true,
    isAtEnd: async () => true,
    ...options,
  });
  const next = async () => {
    const { value } = await batches.next();
    if (value === undefined) throw new Error('There is no more batch');
    return {
      positions: value.events.map(({ position }) => Number(position)),
      caughtUp: value.caughtUp,
      position: value.position,
    };
  };
  return { call, send, next, batches, source };
};

test('everything that arrives while the consumer works is one batch, as far as it fits', async () => {
  const { send, next } = started();
  send({ kind: 'caughtUp' });
  expect(await next()).toEqual({ positions: [], caughtUp: true, position: 0n });
  send(...range(1, 7));
  await nextTurn();
  expect(await next()).toEqual({ positions: [1, 2, 3, 4, 5, 6, 7], caughtUp: true, position: 7n });
  send(...range(8, 19));
  await nextTurn();
  expect(await next()).toMatchObject({ positions: [8, 9, 10, 11, 12, 13, 14, 15, 16, 17], caughtUp: false });
  expect(await next()).toMatchObject({ positions: [18, 19], caughtUp: true });
});

test('a consumer that does not take what is there stops the call, and starts it again when it does', async () => {
  const { call, send, next } = started();
  send({ kind: 'caughtUp' });
  await next();
  send(...range(1, 500));
  await nextTurn();
  expect(call.isPaused()).toBe(true);
  const seen: number[] = [];
  while (seen.length < 500) seen.push(...(await next()).positions);
  expect(seen).toEqual(Array.from({ length: 500 }, (_, index) => index + 1));
  expect(call.isPaused()).toBe(false);
});

test('large events make small batches, and stop the call when too many bytes wait', async () => {
  const most = { events: 10, bytes: 100, bytesOf: ({ position }: StoredEvent) => (position % 10n === 0n ? 250 : 30) };
  const { call, send, next } = started({ most });
  send({ kind: 'caughtUp' });
  await next();
  send(...range(1, 50));
  await nextTurn();
  expect(call.isPaused()).toBe(true);
  expect(call.readableLength).toBe(50 - 7);
  const batches: number[][] = [];
  while (batches.flat().length < 50) batches.push((await next()).positions);
  expect(batches.flat()).toEqual(Array.from({ length: 50 }, (_, index) => index + 1));
  expect(batches[0]).toEqual([1, 2, 3]);
  for (const batch of batches) expect(batch.length).toBeLessThanOrEqual(batch.some((at) => at % 10 === 0) ? 1 : 3);
  expect(call.isPaused()).toBe(false);
});

test('after it was held back a reader is caught up only when nothing more lies behind', async () => {
  let isAtEnd = false;
  const { send, next } = started({ isAtEnd: async () => isAtEnd });
  send({ kind: 'caughtUp' });
  await next();
  send(...range(1, 30));
  await nextTurn();
  const held = [await next(), await next(), await next()];
  expect(held.map(({ caughtUp }) => caughtUp)).toEqual([false, false, false]);
  isAtEnd = true;
  send(eventAt(31));
  expect(await next()).toMatchObject({ positions: [31], caughtUp: true });
});

test('system events and checkpoints move the position', async () => {
  const { send, next } = started();
  send({ kind: 'caughtUp' });
  await next();
  send({ kind: 'event', position: 4, event: undefined });
  expect(await next()).toEqual({ positions: [], caughtUp: true, position: 4n });
  send({ kind: 'checkpoint', position: 9 });
  expect(await next()).toEqual({ positions: [], caughtUp: true, position: 9n });
});

test('what comes a second time is dropped', async () => {
  const { send, next } = started();
  send(...range(1, 3), ...range(2, 4), { kind: 'caughtUp' });
  await nextTurn();
  expect((await next()).positions).toEqual([1, 2, 3, 4]);
});

test('what arrived before a failure is delivered before it is thrown', async () => {
  const { send, next, batches, source } = started();
  send({ kind: 'caughtUp' });
  await next();
  send(...range(1, 12));
  await nextTurn();
  source.destroy(new Error('cut'));
  expect((await next()).positions).toHaveLength(10);
  expect((await next()).positions).toEqual([11, 12]);
  await expect(batches.next()).rejects.toThrow('cut');
});

test('what a reader that had enough leaves behind flows off: the call comes to its end', async () => {
  const source = new Readable({ objectMode: true, highWaterMark: 1_000, read: () => {} });
  // A call that is cancelled keeps what has arrived, and ends only when that was read.
  const call: MessageCall = Object.assign(source, { cancel: () => void source.push(null) });
  const batches = batchesOf(call, { after: 0n, most: batchBound(1), follows: true, isAtEnd: async () => true });
  for (const message of range(1, 50)) source.push(message);
  await batches.next();
  expect(call.isPaused()).toBe(true);
  await batches.return();
  await expect.poll(() => source.readableEnded).toBe(true);
});
