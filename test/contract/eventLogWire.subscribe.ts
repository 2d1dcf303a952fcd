import { randomUUID } from 'node:crypto';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { describe, expect, test } from 'vitest';
import {
  event,
  events,
  type Message,
  type ReadOptions,
  rawAppend,
  rawDelete,
  rawRead,
  rawSubscribe,
  rawTombstone,
} from './eventLogRaw.ts';

const isCaughtUp = (messages: readonly Message[]): boolean => messages.some(({ kind }) => kind === 'caughtUp');
const withEvents = (count: number) => (messages: readonly Message[]) => events({ messages }).length >= count;
const checkpoints = (messages: readonly Message[]): number[] =>
  messages.flatMap((message) => (message.kind === 'checkpoint' ? [message.position] : []));

/** Rules of catch-up subscriptions. */
export const subscribeRules = (client: () => StreamsClient): void => {
  const stream = (): string => `wire-${randomUUID()}`;
  const append = (name: string, count: number, type = 'Raw') =>
    rawAppend(
      client(),
      name,
      'any',
      Array.from({ length: count }, () => event({ type })),
    );
  const newest = async (): Promise<number> =>
    events(await rawRead(client(), { from: 'end', backwards: true, count: 1 }))[0]?.position ?? 0;
  const subscribed = async (
    options: ReadOptions,
    use: (subscription: ReturnType<typeof rawSubscribe>) => Promise<void>,
  ) => {
    const subscription = rawSubscribe(client(), options);
    try {
      await use(subscription);
    } finally {
      subscription.cancel();
    }
  };
  const revisions = (result: { readonly messages: readonly Message[] }): number[] =>
    events(result).map((message) => Number(message.event?.revision));

  describe('A subscription to a stream', () => {
    test('is confirmed first, delivers what is there, says once that it caught up, and goes on live', async () => {
      const name = stream();
      await append(name, 40);
      await subscribed({ stream: name }, async (subscription) => {
        const { messages } = await subscription.until(isCaughtUp);
        const [confirmation] = messages;
        expect(confirmation).toMatchObject({ kind: 'confirmation', id: expect.stringMatching(/^[0-9a-f-]{36}$/) });
        expect(revisions({ messages })).toEqual(Array.from({ length: 40 }, (_, n) => n));
        await append(name, 3);
        const later = await subscription.until(withEvents(43));
        expect(revisions(later).slice(40)).toEqual([40, 41, 42]);
        expect(later.messages.filter(({ kind }) => kind === 'caughtUp')).toHaveLength(1);
      });
    });

    test('begins behind the given revision, or at the end', async () => {
      const name = stream();
      await append(name, 5);
      await subscribed({ stream: name, from: 2 }, async (subscription) => {
        expect(revisions(await subscription.until(withEvents(2)))).toEqual([3, 4]);
      });
      await subscribed({ stream: name, from: 'end' }, async (subscription) => {
        await subscription.until(isCaughtUp);
        await append(name, 1);
        expect(revisions(await subscription.until(withEvents(1)))).toEqual([5]);
      });
    });

    test('a missing and a soft-deleted stream are caught up with at once, and delivered when they come', async () => {
      const [missing, removed] = [stream(), stream()];
      await append(removed, 2);
      await rawDelete(client(), removed, 'any');
      for (const [name, revision] of [
        [missing, 0],
        [removed, 2],
      ] as const) {
        await subscribed({ stream: name }, async (subscription) => {
          const { messages } = await subscription.until(isCaughtUp);
          expect(messages.map(({ kind }) => kind)).toEqual(['confirmation', 'caughtUp']);
          await append(name, 1);
          expect(revisions(await subscription.until(withEvents(1)))).toEqual([revision]);
        });
      }
    });

    test('a tombstone is delivered to a live reader and then ends it; later readers get the error at once', async () => {
      const name = stream();
      await append(name, 1);
      await subscribed({ stream: name }, async (subscription) => {
        await subscription.until(isCaughtUp);
        await append(name, 1);
        await rawTombstone(client(), name, 'any');
        const result = await subscription.until(() => false);
        expect(events(result).map((message) => [message.event?.type, message.event?.revision])).toEqual([
          ['Raw', '0'],
          ['Raw', '1'],
          ['$streamDeleted', '9223372036854775807'],
        ]);
        expect(result.failure).toMatchObject({ trailers: { exception: 'stream-deleted' } });
      });
      await subscribed({ stream: name }, async (subscription) => {
        const result = await subscription.until(() => false);
        expect(result).toMatchObject({ messages: [], failure: { trailers: { exception: 'stream-deleted' } } });
      });
    });

    test('links are resolved, live ones too', async () => {
      const [target, links] = [stream(), stream()];
      await append(target, 1);
      await subscribed({ stream: links, resolveLinks: true }, async (subscription) => {
        await subscription.until(isCaughtUp);
        await rawAppend(client(), links, 'any', [event({ type: '$>', data: `0@${target}` })]);
        const [message] = events(await subscription.until(withEvents(1)));
        expect([message?.event?.stream, message?.link?.stream]).toEqual([target, links]);
      });
    });

    test('a live reader gets what metadata hides from those who read later', async () => {
      const name = stream();
      await rawAppend(client(), `$$${name}`, 'any', [event({ type: '$metadata', data: '{"$maxCount":1}' })]);
      await append(name, 3);
      await subscribed({ stream: name }, async (subscription) => {
        expect(revisions(await subscription.until(isCaughtUp))).toEqual([2]);
        await append(name, 3);
        expect(revisions(await subscription.until(withEvents(4)))).toEqual([2, 3, 4, 5]);
      });
    });
  });

  describe('A subscription to $all', () => {
    test('begins behind the given position, keeps the order of the log and shows system events', async () => {
      const from = await newest();
      const [one, two] = [stream(), stream()];
      await append(one, 2);
      await subscribed({ from }, async (subscription) => {
        await subscription.until(isCaughtUp);
        await append(two, 1);
        await rawDelete(client(), two, 'any');
        const { messages } = await subscription.until(withEvents(4));
        expect(events({ messages }).map((message) => message.event?.stream)).toEqual([one, one, two, `$$${two}`]);
        expect(checkpoints(messages)).toEqual([]);
      });
      await subscribed({ from: 'end' }, async (subscription) => {
        await subscription.until(isCaughtUp);
        await append(one, 1);
        expect(revisions(await subscription.until(withEvents(1)))).toEqual([2]);
      });
    });

    test('a reader that stops reading for a while misses nothing', async () => {
      const name = stream();
      await subscribed({ from: await newest() }, async (subscription) => {
        await subscription.until(isCaughtUp);
        subscription.pause();
        for (let n = 0; n < 20; n++) await append(name, 100);
        subscription.resume();
        const result = await subscription.until(withEvents(2_000));
        expect(revisions(result)).toEqual(Array.from({ length: 2_000 }, (_, n) => n));
      });
    });

    test('with a filter, matching events come with checkpoints that never go back and pass over the others', async () => {
      const type = `Type${randomUUID()}`;
      const from = await newest();
      const name = stream();
      await append(name, 10, type);
      await append(name, 200);
      const filter = { on: 'type', prefixes: [type], max: 10, multiplier: 2 } as const;
      await subscribed({ from, filter }, async (subscription) => {
        const caughtUp = await subscription.until(isCaughtUp);
        expect(events(caughtUp)).toHaveLength(10);
        const during = checkpoints(caughtUp.messages);
        expect(during.length).toBeGreaterThan(0);
        expect(during).toEqual([...new Set(during)].sort((a, b) => a - b));
        const before = during.length;
        await append(name, 20);
        const live = await subscription.until((messages) => checkpoints(messages).length > before);
        expect(checkpoints(live.messages).at(-1)).toBeGreaterThan(from + 210);
      });
    });

    test('live, every event counts towards a checkpoint, which follows the event it stands for', async () => {
      const type = `Type${randomUUID()}`;
      const name = stream();
      await append(name, 1);
      const filter = { on: 'type', prefixes: [type], max: 4, multiplier: 1 } as const;
      await subscribed({ from: await newest(), filter }, async (subscription) => {
        await subscription.until(isCaughtUp);
        const start = checkpoints(subscription.messages).length;
        await append(name, 3);
        await append(name, 1, type);
        const { messages } = await subscription.until((all) => checkpoints(all).length > start);
        const [matched] = events({ messages });
        expect(checkpoints(messages).at(-1)).toBe(matched?.position);
        expect(messages.at(-1)?.kind).toBe('checkpoint');
      });
    });

    test('a checkpoint multiplier of zero is refused', async () => {
      const filter = { on: 'type', prefixes: ['x'], multiplier: 0 } as const;
      await subscribed({ filter }, async (subscription) => {
        expect((await subscription.until(() => false)).failure).toBeDefined();
      });
    });
  });
};
