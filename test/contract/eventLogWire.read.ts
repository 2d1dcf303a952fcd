import { randomUUID } from 'node:crypto';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { describe, expect, test } from 'vitest';
import { event, events, type RawEvent, type ReadOptions, rawAppend, rawRead, rawTombstone } from './eventLogRaw.ts';

/** Rules of Read with a count, on streams and on $all. */
export const readRules = (client: () => StreamsClient): void => {
  const read = (options: ReadOptions) => rawRead(client(), { count: 1_000, ...options });
  const revisions = async (options: ReadOptions): Promise<number[]> =>
    events(await read(options)).map((message) => Number(message.event?.revision));
  const streamOf = async (count: number, more: Partial<RawEvent> = {}): Promise<string> => {
    const name = `wire-${randomUUID()}`;
    await rawAppend(
      client(),
      name,
      'noStream',
      Array.from({ length: count }, () => event(more)),
    );
    return name;
  };
  const metadata = (name: string, data: string) =>
    rawAppend(client(), `$$${name}`, 'any', [event({ type: '$metadata', data })]);
  const newest = async (): Promise<number> =>
    events(await read({ from: 'end', backwards: true, count: 1 }))[0]?.position ?? 0;

  describe('Read of a stream', () => {
    test('begins at the given revision, inclusive, and ends at the count or at the end', async () => {
      const stream = await streamOf(100);
      expect(await revisions({ stream, from: 98 })).toEqual([98, 99]);
      expect(await revisions({ stream, from: 10, count: 3 })).toEqual([10, 11, 12]);
      expect(await revisions({ stream, from: 100 })).toEqual([]);
      expect(await revisions({ stream, from: 'end' })).toEqual([]);
      expect(await revisions({ stream, count: 65 })).toHaveLength(65);
      expect(await revisions({ stream, from: 2, backwards: true })).toEqual([2, 1, 0]);
      expect(await revisions({ stream, from: 'end', backwards: true, count: 2 })).toEqual([99, 98]);
      expect(await revisions({ stream, from: 5_000, backwards: true, count: 1 })).toEqual([99]);
      expect(await revisions({ stream, backwards: true })).toEqual([0]);
    });

    test('an event carries its id, name, time in ticks and two equal positions', async () => {
      const name = await streamOf(0);
      const written = event({ type: 'Typed', data: '{"a":"ü"}' });
      await rawAppend(client(), name, 'noStream', [written]);
      const [message] = events(await read({ stream: name }));
      expect(message?.event).toMatchObject({ ...written, stream: name, revision: '0' });
      expect(message?.position).toBe(message?.event?.position);
      expect(Math.abs(Number(message?.event?.created) / 10_000 - Date.now())).toBeLessThan(60_000);
    });

    test('ids come as two halves when asked', async () => {
      const name = await streamOf(0);
      const id = '01234567-89ab-cdef-fedc-ba9876543210';
      await rawAppend(client(), name, 'noStream', [event({ id })]);
      const [message] = events(await read({ stream: name, structured: true }));
      expect(JSON.parse(message?.event?.id ?? '')).toEqual({
        mostSignificantBits: String(0x0123456789abcdefn),
        leastSignificantBits: String(BigInt.asIntN(64, 0xfedcba9876543210n)),
      });
    });

    test('a missing stream is one message, not an error; a tombstoned one is an error', async () => {
      expect(await read({ stream: `wire-${randomUUID()}` })).toEqual({
        messages: [{ kind: 'streamNotFound' }],
        failure: undefined,
      });
      const stream = await streamOf(1);
      await rawTombstone(client(), stream, 'any');
      for (const name of [stream, `$$${stream}`]) {
        expect((await read({ stream: name })).failure).toMatchObject({
          code: 9,
          trailers: { exception: 'stream-deleted' },
        });
      }
    });

    test('the bounds of the stream are told when asked', async () => {
      const stream = await streamOf(5);
      await metadata(stream, '{"$maxCount":2}');
      const { messages } = await read({ stream, compatibility: 1 });
      expect(messages.filter(({ kind }) => kind === 'bounds')).toEqual([
        { kind: 'bounds', first: '3' },
        { kind: 'bounds', last: '4' },
      ]);
      expect((await read({ stream })).messages.map(({ kind }) => kind)).toEqual(['event', 'event']);
    });

    test.each<[string, ReadOptions, number]>([
      ['a filter on a stream', { stream: 'x', filter: { on: 'type', prefixes: ['a'] } }, 3],
      ['a subscription backwards', { stream: 'x', backwards: true }, 3],
      ['a filtered subscription on a stream', { stream: 'x', filter: { on: 'type', prefixes: ['a'] } }, 3],
      ['the empty stream name', { stream: '', count: 1 }, 3],
      ['a count of zero', { stream: 'x', count: 0 }, 2],
    ])('%s is refused', async (_name, options, code) => {
      expect((await rawRead(client(), options)).failure?.code).toBe(code);
    });
  });

  describe('Read of $all', () => {
    test('forwards includes the event at the position, backwards does not', async () => {
      const stream = await streamOf(3);
      const [first, second, third] = events(await read({ stream })).map(({ position }) => position);
      const at = second ?? 0;
      expect(events(await read({ from: at, count: 2 })).map(({ position }) => position)).toEqual([second, third]);
      const backwards = events(await read({ from: at, count: 1, backwards: true }));
      expect(backwards.map(({ position }) => position)).toEqual([first]);
      expect(events(await read({ from: 'end' }))).toEqual([]);
      expect(events(await read({ from: 'end', backwards: true, count: 1 }))[0]?.position).toBe(third);
      expect((await read({ from: 'start', backwards: true })).messages).toEqual([]);
    });

    test('positions rise strictly, and system events are part of it', async () => {
      const from = await newest();
      const stream = await streamOf(2);
      await metadata(stream, '{"$maxCount":1}');
      await rawTombstone(client(), stream, 'any');
      const [, ...after] = events(await read({ from }));
      expect(after.map((message) => [message.event?.stream, message.event?.type, message.event?.revision])).toEqual([
        [stream, 'Raw', '0'],
        [stream, 'Raw', '1'],
        [`$$${stream}`, '$metadata', '0'],
        [stream, '$streamDeleted', '9223372036854775807'],
      ]);
      const positions = after.map(({ position }) => position);
      expect(positions).toEqual([...new Set(positions)].sort((a, b) => a - b));
    });

    test('the bookkeeping of subscriptions to $all is hidden, its streams can still be read', async () => {
      const from = await newest();
      const hidden = ['checkpoint', 'parked'].map((end) => `$persistentsubscription-$all::g${randomUUID()}-${end}`);
      for (const name of hidden) await rawAppend(client(), name, 'any', [event()]);
      const shown = await streamOf(1);
      const [, ...after] = events(await read({ from }));
      expect(after.map((message) => message.event?.stream)).toEqual([shown]);
      for (const name of hidden) expect(events(await read({ stream: name }))).toHaveLength(1);
    });

    test('filters take prefixes or an unanchored expression, of the stream or of the type', async () => {
      const from = await newest();
      const key = randomUUID();
      const types = ['AlphaOne', 'AlphaTwo', 'BetaOne', 'Gamma'];
      for (const type of types) await rawAppend(client(), `${type}-${key}`, 'any', [event({ type })]);
      const matching = async (filter: ReadOptions['filter'], more: ReadOptions = {}) =>
        events(await read({ from: from + 1, ...more, ...(filter === undefined ? {} : { filter }) })).map(
          (message) => message.event?.type,
        );
      expect(await matching({ on: 'type', prefixes: ['Alpha', 'Gam'] })).toEqual(['AlphaOne', 'AlphaTwo', 'Gamma']);
      expect(await matching({ on: 'type', regex: 'One$' })).toEqual(['AlphaOne', 'BetaOne']);
      expect(await matching({ on: 'type', regex: 'mm' })).toEqual(['Gamma']);
      expect(await matching({ on: 'stream', prefixes: ['Beta'] })).toEqual(['BetaOne']);
      expect(await matching({ on: 'stream', regex: `^Alpha.*-${key}$` })).toEqual(['AlphaOne', 'AlphaTwo']);
      expect(await matching({ on: 'type', prefixes: ['Alpha'] }, { count: 1 })).toEqual(['AlphaOne']);
      expect(await matching({ on: 'type', prefixes: ['Alpha'] }, { from: 'end', backwards: true, count: 1 })).toEqual([
        'AlphaTwo',
      ]);
    });

    test('a commit position below the prepare position and a broken expression are refused', async () => {
      const broken = await read({ filter: { on: 'type', regex: '(' } });
      expect(broken.failure?.code).toBe(3);
      expect((await read({ from: 5, prepare: 6 })).failure).toBeDefined();
    });
  });

  describe('Links', () => {
    const link = (data: string) => event({ type: '$>', data, contentType: 'text/plain' });

    test('are resolved when asked: to their event, to nothing when it is gone, to themselves when unreadable', async () => {
      const [target, hidden, deleted] = [await streamOf(3), await streamOf(3), await streamOf(1)];
      await metadata(hidden, '{"$tb":2}');
      await rawTombstone(client(), deleted, 'any');
      const links = `wire-links-${randomUUID()}`;
      const data = [`1@${target}`, `9@${target}`, `0@${hidden}`, `0@${deleted}`, '0@missing', 'nonsense'];
      await rawAppend(client(), links, 'noStream', data.map(link));
      const resolved = events(await read({ stream: links, resolveLinks: true }));
      expect(resolved.map((message) => [message.event?.stream, message.event?.revision, message.link?.data])).toEqual([
        [target, '1', `1@${target}`],
        ...data.slice(1, 5).map((missing) => [undefined, undefined, missing]),
        [links, '5', undefined],
      ]);
      const plain = events(await read({ stream: links }));
      expect(plain.map((message) => message.event?.data)).toEqual(data);
      expect(resolved.map(({ position }) => position)).toEqual(plain.map(({ position }) => position));
      const [inAll] = events(await read({ from: plain[0]?.position ?? 0, count: 1, resolveLinks: true }));
      expect(inAll).toEqual(resolved[0]);
    });

    test('a link to a link is not followed further', async () => {
      const target = await streamOf(1);
      const [one, two] = [`wire-links-${randomUUID()}`, `wire-links-${randomUUID()}`];
      await rawAppend(client(), one, 'noStream', [link(`0@${target}`)]);
      await rawAppend(client(), two, 'noStream', [link(`0@${one}`)]);
      const [message] = events(await read({ stream: two, resolveLinks: true }));
      expect(message?.event).toMatchObject({ stream: one, type: '$>' });
    });
  });
};
