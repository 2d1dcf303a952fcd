import { randomUUID } from 'node:crypto';
import {
  type EventStoreDBClient,
  jsonEvent,
  StreamDeletedError,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import { GossipClient } from '@eventstore/db-client/generated/gossip_grpc_pb.js';
import type { MemberInfo } from '@eventstore/db-client/generated/gossip_pb.js';
import { PersistentSubscriptionsClient } from '@eventstore/db-client/generated/persistent_grpc_pb.js';
import { CreateReq } from '@eventstore/db-client/generated/persistent_pb.js';
import { ServerFeaturesClient } from '@eventstore/db-client/generated/serverfeatures_grpc_pb.js';
import { Empty } from '@eventstore/db-client/generated/shared_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { credentials, type ServiceError } from '@grpc/grpc-js';
import { describe, expect, test } from 'vitest';
import { type Expected, event, events, rawAppend, rawDelete, rawRead, rawTombstone } from './eventLogRaw.ts';

const MAX = '9223372036854775807';

/** Rules of deleting, of stream metadata, and of what the server says about itself. */
export const streamRules = (client: () => StreamsClient, high: () => EventStoreDBClient): void => {
  const stream = (): string => `wire-${randomUUID()}`;
  const append = (name: string, expected: Expected, count = 1) =>
    rawAppend(
      client(),
      name,
      expected,
      Array.from({ length: count }, () => event()),
    );
  const metadata = (name: string, data: string) =>
    rawAppend(client(), `$$${name}`, 'any', [event({ type: '$metadata', data })]);
  const read = (name: string, backwards = false) =>
    rawRead(client(), { stream: name, count: 100, backwards, ...(backwards ? { from: 'end' as const } : {}) });
  const revisions = async (name: string): Promise<number[]> =>
    events(await read(name)).map((message) => Number(message.event?.revision));
  const lastMetadata = async (name: string) => events(await read(`$$${name}`, true))[0]?.event;
  const isMissing = async (name: string): Promise<boolean> =>
    (await read(name)).messages.some(({ kind }) => kind === 'streamNotFound');
  const channel = (): [string, ReturnType<typeof credentials.createInsecure>] => [
    client().getChannel().getTarget().replace(/^dns:/, ''),
    credentials.createInsecure(),
  ];

  describe('A soft delete', () => {
    test('makes the stream missing by one metadata event that replaces what was there', async () => {
      const name = stream();
      await append(name, 'noStream', 3);
      await metadata(name, '{"$maxCount":5,"custom":1}');
      const answer = await rawDelete(client(), name, 2);
      expect(await isMissing(name)).toBe(true);
      const last = events(await rawRead(client(), { from: 'end', backwards: true, count: 1 }))[0];
      expect(last?.event).toMatchObject({
        stream: `$$${name}`,
        type: '$metadata',
        revision: '1',
        data: `{"$tb":${MAX}}`,
      });
      expect(answer.ok ? answer.response?.commitPosition : answer).toBe(String(last?.position));
    });

    test.each<[string, Expected, number]>([
      ['any', 'any', 3],
      ['no stream', 'noStream', 3],
      ['the last revision', 2, 3],
    ])(
      'the next append with %s goes on behind the last revision and shows only what is new',
      async (_name, expected) => {
        const name = stream();
        await append(name, 'noStream', 3);
        await rawDelete(client(), name, 'any');
        const answer = await append(name, expected, 2);
        expect(answer.ok ? answer.response.success?.currentRevision : answer).toBe('4');
        expect(await revisions(name)).toEqual([3, 4]);
        expect(JSON.parse((await lastMetadata(name))?.data ?? '')).toEqual({ $tb: 3 });
      },
    );

    test('metadata written to a soft-deleted stream is kept and brings the stream back, empty', async () => {
      const name = stream();
      await append(name, 'noStream', 3);
      await rawDelete(client(), name, 'any');
      await metadata(name, '{"$maxCount":9,"custom":"kept"}');
      expect(JSON.parse((await lastMetadata(name))?.data ?? '')).toEqual({ $maxCount: 9, custom: 'kept', $tb: 3 });
      expect(await isMissing(name)).toBe(false);
      await append(name, 2);
      expect(await revisions(name)).toEqual([3]);
    });

    test('of a stream that never was is a wrong version, with nothing but metadata it works', async () => {
      const wrong = { code: 9, trailers: { exception: 'wrong-expected-version', 'actual-version': '-1' } };
      expect(await rawDelete(client(), stream(), 'any')).toMatchObject(wrong);
      expect(await rawDelete(client(), stream(), 'noStream')).toMatchObject(wrong);
      const name = stream();
      await metadata(name, '{"custom":1}');
      expect(await rawDelete(client(), name, 'noStream')).toMatchObject({ ok: true });
    });

    test('a wrong version is an error with both versions, and the stream stays', async () => {
      const name = stream();
      await append(name, 'noStream', 2);
      for (const [expected, number] of [
        [7, '7'],
        ['noStream', '-1'],
      ] as const) {
        expect(await rawDelete(client(), name, expected)).toMatchObject({
          code: 9,
          trailers: {
            exception: 'wrong-expected-version',
            'stream-name': name,
            'expected-version': number,
            'actual-version': '1',
          },
        });
      }
      expect(await revisions(name)).toEqual([0, 1]);
    });

    test('can be repeated with any, and not with stream exists', async () => {
      const name = stream();
      await append(name, 'noStream');
      await rawDelete(client(), name, 'any');
      expect(await rawDelete(client(), name, 'any')).toMatchObject({ ok: true });
      expect(await rawDelete(client(), name, 'streamExists')).toMatchObject({
        trailers: { exception: 'stream-deleted' },
      });
      expect(await append(name, 'streamExists')).toMatchObject({ trailers: { exception: 'stream-deleted' } });
    });
  });

  describe('A tombstone', () => {
    test('ends a stream and its metadata for good', async () => {
      const name = stream();
      await append(name, 'noStream', 2);
      const answer = await rawTombstone(client(), name, 1);
      const last = events(await rawRead(client(), { from: 'end', backwards: true, count: 1 }))[0];
      expect(last?.event).toMatchObject({ stream: name, type: '$streamDeleted', revision: MAX });
      expect(answer.ok ? answer.response?.commitPosition : answer).toBe(String(last?.position));
      const deleted = { trailers: { exception: 'stream-deleted' } };
      for (const target of [name, `$$${name}`]) {
        expect(await append(target, 'any')).toMatchObject(deleted);
        expect(await rawDelete(client(), target, 'any')).toMatchObject(deleted);
        expect(await rawTombstone(client(), target, 'any')).toMatchObject(deleted);
        expect((await read(target)).failure).toMatchObject(deleted);
      }
    });

    test('works on a missing stream with any and no stream, and checks the version', async () => {
      expect(await rawTombstone(client(), stream(), 'any')).toMatchObject({ ok: true });
      expect(await rawTombstone(client(), stream(), 'noStream')).toMatchObject({ ok: true });
      const wrong = { trailers: { exception: 'wrong-expected-version' } };
      expect(await rawTombstone(client(), stream(), 3)).toMatchObject(wrong);
    });

    test("the client's own errors are those of a real server", async () => {
      const name = stream();
      await high().appendToStream(name, jsonEvent({ type: 'A', data: {} }));
      await expect(
        high().appendToStream(name, jsonEvent({ type: 'A', data: {} }), { expectedRevision: 5n }),
      ).rejects.toThrow(WrongExpectedVersionError);
      await expect(high().deleteStream(name, { expectedRevision: 5n })).rejects.toThrow(WrongExpectedVersionError);
      await high().tombstoneStream(name);
      await expect(high().appendToStream(name, jsonEvent({ type: 'A', data: {} }))).rejects.toThrow(StreamDeletedError);
      await expect(high().tombstoneStream(name)).rejects.toThrow(StreamDeletedError);
    });
  });

  describe('Stream metadata', () => {
    test.each<[string, string, number[]]>([
      ['$maxCount', '{"$maxCount":2}', [3, 4]],
      ['$tb', '{"$tb":4}', [4]],
      ['the stricter of both', '{"$maxCount":4,"$tb":3}', [3, 4]],
      ['$maxAge of events that are young', '{"$maxAge":1000}', [0, 1, 2, 3, 4]],
      ['more than there is', '{"$tb":50}', []],
      ['what cannot be read', '{"$maxCount":', [0, 1, 2, 3, 4]],
      ['what is out of range', '{"$maxCount":0,"$tb":3}', [0, 1, 2, 3, 4]],
    ])('%s decides what the next read shows', async (_name, data, visible) => {
      const name = stream();
      await append(name, 'noStream', 5);
      await metadata(name, data);
      expect(await revisions(name)).toEqual(visible);
      const backwards = events(await read(name, true)).map((message) => Number(message.event?.revision));
      expect(backwards).toEqual([...visible].reverse());
      expect(await isMissing(name)).toBe(false);
    });

    test('the last metadata wins at once, and hides nothing from $all nor from the version check', async () => {
      const name = stream();
      const from = events(await rawRead(client(), { from: 'end', backwards: true, count: 1 }))[0]?.position ?? 0;
      await append(name, 'noStream', 5);
      await metadata(name, '{"$maxCount":1}');
      expect(await revisions(name)).toEqual([4]);
      await metadata(name, '{}');
      expect(await revisions(name)).toEqual([0, 1, 2, 3, 4]);
      await metadata(name, '{"$tb":5}');
      const [, ...all] = events(await rawRead(client(), { from, count: 100 }));
      expect(all).toHaveLength(8);
      expect(await append(name, 4)).toMatchObject({ ok: true });
    });

    test('only the newest event of a metadata stream is shown, its revisions go on', async () => {
      const name = stream();
      await metadata(name, '{"a":1}');
      await metadata(name, '{"a":2}');
      expect(await revisions(`$$${name}`)).toEqual([1]);
    });

    test('the client sets and gets it', async () => {
      const name = stream();
      await high().setStreamMetadata(name, { maxCount: 7, custom: 'x' });
      expect((await high().getStreamMetadata(name)).metadata).toEqual({ maxCount: 7, custom: 'x' });
      expect((await high().getStreamMetadata(stream())).metadata).toBeUndefined();
    });
  });

  describe('About itself the server says', () => {
    test('its version and its methods, with what each of them can do', async () => {
      const features = new ServerFeaturesClient(...channel());
      const { eventStoreServerVersion, methodsList } = await new Promise<{
        eventStoreServerVersion: string;
        methodsList: { serviceName: string; methodName: string; featuresList: string[] }[];
      }>((resolve, reject) =>
        features.getSupportedMethods(new Empty(), (error, answer) =>
          error ? reject(error) : resolve(answer.toObject()),
        ),
      );
      features.close();
      expect(eventStoreServerVersion).toMatch(/^\d+\.\d+\.\d+$/);
      const streams = methodsList.filter(({ serviceName }) => serviceName === 'event_store.client.streams.streams');
      expect(Object.fromEntries(streams.map(({ methodName, featuresList }) => [methodName, featuresList]))).toEqual({
        append: [],
        batchappend: ['deadline_duration'],
        delete: [],
        read: ['position', 'events'],
        tombstone: [],
      });
    });

    test('in its gossip, that it is alive and leads', async () => {
      const gossip = new GossipClient(...channel());
      const members = await new Promise<MemberInfo.AsObject[]>((resolve, reject) =>
        gossip.read(new Empty(), (error, answer) => (error ? reject(error) : resolve(answer.toObject().membersList))),
      );
      gossip.close();
      expect(members).toHaveLength(1);
      expect(members[0]).toMatchObject({ state: 8, isAlive: true });
      expect(Number(members[0]?.httpEndPoint?.port)).toBeGreaterThan(0);
    });
  });
};

/** What the embedded server leaves out. */
export const omissions = (client: () => StreamsClient): void => {
  test('persistent subscriptions are not implemented', async () => {
    const target = client().getChannel().getTarget().replace(/^dns:/, '');
    const persistent = new PersistentSubscriptionsClient(target, credentials.createInsecure());
    const error = await new Promise<ServiceError | null>((resolve) => persistent.create(new CreateReq(), resolve));
    persistent.close();
    expect(error?.code).toBe(12);
  });
};
