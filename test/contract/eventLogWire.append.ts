import { randomUUID } from 'node:crypto';
import { MaximumAppendSizeExceeded, WrongExpectedVersion } from '@eventstore/db-client/generated/shared_pb.js';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { describe, expect, test } from 'vitest';
import {
  type Answer,
  type Expected,
  event,
  events,
  type RawEvent,
  rawAppend,
  rawBatch,
  rawRead,
  rawTombstone,
} from './eventLogRaw.ts';

const MEBIBYTE = 1024 * 1024;

/** Rules of Append, BatchAppend, and of the version check with its recognition of repeated writes. */
export const appendRules = (client: () => StreamsClient): void => {
  const stream = (): string => `wire-${randomUUID()}`;
  const append = (name: string, expected: Expected, proposed: readonly RawEvent[]) =>
    rawAppend(client(), name, expected, proposed);
  const successOf = async (answer: Promise<Awaited<ReturnType<typeof append>>>) => {
    const result = await answer;
    return result.ok ? result.response.success : undefined;
  };
  const kindOf = (answer: Answer<{ success?: unknown; wrongExpectedVersion?: unknown }>): string => {
    if (!answer.ok) return String(answer.trailers['exception'] ?? answer.code);
    return answer.response.success === undefined ? 'wrong-version' : 'success';
  };
  const idsIn = async (name: string): Promise<(string | undefined)[]> =>
    events(await rawRead(client(), { stream: name, count: 100 })).map((message) => message.event?.id);

  describe('Append', () => {
    test('success names the last revision and the position of the last event, commit equal to prepare', async () => {
      const name = stream();
      const success = await successOf(append(name, 'noStream', [event(), event()]));
      expect(success).toMatchObject({ currentRevision: '1' });
      const [, last] = events(await rawRead(client(), { stream: name, count: 10 }));
      expect(success?.position).toEqual({
        commitPosition: String(last?.position),
        preparePosition: String(last?.position),
      });
    });

    test('a wrong version is an answer, in the present fields and in those of version 20.6', async () => {
      const name = stream();
      const missing = stream();
      await append(name, 'noStream', [event(), event()]);
      const wrong = async (target: string, expected: Expected) => {
        const answer = await append(target, expected, [event()]);
        return answer.ok ? answer.response.wrongExpectedVersion : answer;
      };
      expect(await wrong(name, 7)).toMatchObject({
        ...{ currentRevision: '1', currentRevision2060: 1 },
        ...{ expectedRevision: '7', expectedRevision2060: 7 },
      });
      expect(await wrong(name, 'noStream')).toMatchObject({ currentRevision: '1', expectedNoStream: {} });
      expect(await wrong(missing, 'streamExists')).toMatchObject({
        ...{ currentNoStream: {}, noStream2060: {} },
        ...{ expectedStreamExists: {}, streamExists2060: {} },
      });
    });

    test('an event without type or content type is refused with the names of both', async () => {
      for (const incomplete of [{ id: randomUUID() }, event({ contentType: '' })]) {
        expect(await append(stream(), 'any', [incomplete])).toMatchObject({
          code: 3,
          trailers: {
            exception: 'missing-required-metadata-property',
            'required-metadata-properties': 'type,content-type',
          },
        });
      }
    });

    test('an empty id, an empty type and the names that no stream can have are refused, and nothing is written', async () => {
      const name = stream();
      const nil = '00000000-0000-0000-0000-000000000000';
      for (const bad of [event({ id: '' }), event({ id: nil }), event({ type: '' })]) {
        expect(await append(name, 'any', [event(), bad])).toMatchObject({ ok: false });
      }
      expect(await idsIn(name)).toEqual([]);
      for (const bad of ['', '$$']) expect(await append(bad, 'any', [event()])).toMatchObject({ ok: false });
    });

    test('one mebibyte of data is taken, one byte more is refused with the limit', async () => {
      const half = new Uint8Array(MEBIBYTE / 2);
      const data = { data: half, contentType: 'application/octet-stream' };
      const name = stream();
      expect(kindOf(await append(name, 'any', [event(data), event(data)]))).toBe('success');
      const more = [event(data), event(data), event({ data: new Uint8Array(1) })];
      expect(await append(name, 'any', more)).toMatchObject({
        code: 3,
        details: `Maximum Append Size of ${MEBIBYTE} Exceeded.`,
        trailers: { exception: 'maximum-append-size-exceeded', 'maximum-append-size': String(MEBIBYTE) },
      });
      expect(await idsIn(name)).toHaveLength(2);
    });

    test('an empty list leaves the stream as it is, or missing, and a passed revision is still wrong', async () => {
      const name = stream();
      expect(await successOf(append(name, 'any', []))).toMatchObject({ noStream: {} });
      expect((await rawRead(client(), { stream: name, count: 1 })).messages).toEqual([{ kind: 'streamNotFound' }]);
      await append(name, 'noStream', [event(), event()]);
      expect(await successOf(append(name, 'any', []))).toMatchObject({ currentRevision: '1' });
      expect(await successOf(append(name, 1, []))).toMatchObject({ currentRevision: '1' });
      expect(kindOf(await append(name, 0, []))).toBe('wrong-version');
    });

    test('a tombstoned stream is an error that names it', async () => {
      const name = stream();
      await append(name, 'noStream', [event()]);
      await rawTombstone(client(), name, 'any');
      expect(await append(name, 'any', [event()])).toMatchObject({
        code: 9,
        details: `Event stream '${name}' is deleted.`,
        trailers: { exception: 'stream-deleted', 'stream-name': name },
      });
    });
  });

  describe('The version check', () => {
    const [a, b, c, x] = [event(), event(), event(), event()];

    test.each<[string, RawEvent[], Expected, RawEvent[], string | undefined]>([
      ['any: the first of two', [a, b], 'any', [a], '0'],
      ['any: the second of two', [a, b], 'any', [b], '1'],
      ['any: both', [a, b], 'any', [a, b], '1'],
      ['any: backwards, only membership counts', [a, b], 'any', [b, a], '0'],
      ['any: a known one, then an unknown one', [a, b], 'any', [a, x], undefined],
      ['any: an unknown one, then a known one is written', [a, b], 'any', [x, a], '3'],
      ['exists: both', [a, b], 'streamExists', [a, b], '1'],
      ['no stream: the first two of three', [a, b, c], 'noStream', [a, b], '1'],
      ['exact: the second of three', [a, b, c], 0, [b], '1'],
      ['exact: the last two of three', [a, b, c], 0, [b, c], '2'],
      ['exact: at another place', [a, b, c], 0, [c], undefined],
      ['exact: the first differs', [a, b, c], 0, [x], undefined],
      ['exact: a later one differs', [a, b, c], 0, [b, x], undefined],
      ['exact: more than there is', [a, b, c], 1, [c, x], undefined],
      ['exact: beyond the end', [a], 5, [x], undefined],
      ['exact at the end: the same id is stored again', [a], 0, [a], '1'],
    ])('%s', async (_name, before, expected, proposed, revision) => {
      const name = stream();
      await append(name, 'noStream', before);
      const answer = await append(name, expected, proposed);
      if (revision === undefined) expect(kindOf(answer)).toBe('wrong-version');
      else expect(answer.ok ? answer.response.success?.currentRevision : answer).toBe(revision);
      const written = revision === undefined ? 0 : Number(revision) + 1 - before.length;
      expect(await idsIn(name)).toHaveLength(before.length + Math.max(0, written));
    });

    test('a repeated write is answered with the position of its last event and changes nothing', async () => {
      const name = stream();
      const original = event({ data: '{"a":1}' });
      const first = await successOf(append(name, 'noStream', [original]));
      await append(name, 0, [event()]);
      const again = await successOf(append(name, 'noStream', [{ ...original, type: 'Other', data: '{"a":2}' }]));
      expect(again).toEqual(first);
      const [read] = events(await rawRead(client(), { stream: name, count: 10 }));
      expect(read?.event).toMatchObject({ type: 'Raw', data: '{"a":1}' });
    });

    test('an id that is known from another stream is written', async () => {
      const [one, two] = [stream(), stream()];
      const shared = event();
      await append(one, 'any', [shared]);
      expect(await successOf(append(two, 'any', [shared]))).toMatchObject({ currentRevision: '0' });
    });

    test('a stream with nothing but metadata exists', async () => {
      const name = stream();
      await append(`$$${name}`, 'noStream', [event({ type: '$metadata', data: '{"$maxCount":3}' })]);
      expect(kindOf(await append(name, 'streamExists', [event()]))).toBe('success');
      expect(kindOf(await append(stream(), 'streamExists', [event()]))).toBe('wrong-version');
    });
  });

  describe('BatchAppend', () => {
    test('appends of many streams and correlation ids share a call, in pieces, and each gets its answer', async () => {
      const batch = rawBatch(client());
      const names = Array.from({ length: 20 }, stream);
      const correlations = names.map(() => randomUUID());
      const at = (index: number) => ({ correlation: correlations[index] ?? '', stream: names[index] ?? '' });
      for (const index of names.keys())
        batch.send({ ...at(index), expected: 'noStream', events: [event()], final: false });
      for (const { correlation } of [...names.keys()].reverse().map(at)) batch.send({ correlation, events: [event()] });
      for (const [index, name] of names.entries()) {
        const answer = await batch.answer(correlations[index] ?? '');
        expect(answer).toMatchObject({ stream: name, revision: '1' });
        const read = events(await rawRead(client(), { stream: name, count: 10 }));
        expect(String(read.at(-1)?.position)).toBe(answer.position);
      }
      await batch.end();
    });

    test('pieces of an unknown correlation id are ignored, and an error leaves the call open', async () => {
      const batch = rawBatch(client());
      const [lost, wrong, good] = [randomUUID(), randomUUID(), randomUUID()];
      batch.send({ correlation: lost, events: [event()] });
      batch.send({ correlation: wrong, stream: stream(), expected: 3, events: [event()] });
      await batch.answer(wrong);
      batch.send({ correlation: good, stream: stream(), events: [event()] });
      expect(await batch.answer(good)).toMatchObject({ revision: '0' });
      expect(batch.answers.has(lost)).toBe(false);
      await batch.end();
    });

    test('everything that was complete is answered before the call ends', async () => {
      const batch = rawBatch(client());
      for (let n = 0; n < 50; n++) batch.send({ correlation: randomUUID(), stream: stream(), events: [event()] });
      await batch.end();
      expect(batch.answers.size).toBe(50);
    });

    test('errors carry the code, the name and the details of their kind', async () => {
      const batch = rawBatch(client());
      const [existing, deleted] = [stream(), stream()];
      await append(existing, 'noStream', [event(), event()]);
      await rawTombstone(client(), deleted, 'any');
      const ask = async (name: string, expected: Expected, proposed: RawEvent[], deadline = Date.now() + 10_000) => {
        const correlation = randomUUID();
        batch.send({ correlation, stream: name, expected, events: proposed, deadline });
        const { error } = await batch.answer(correlation);
        return { ...error, type: error?.type.replace('type.googleapis.com/event_store.client.', '') };
      };
      const wrong = await ask(existing, 9, [event()]);
      expect(wrong).toMatchObject({ code: 6, message: 'WrongExpectedVersion', type: 'WrongExpectedVersion' });
      expect(WrongExpectedVersion.deserializeBinary(wrong.value ?? new Uint8Array(0)).toObject()).toMatchObject({
        ...{ currentStreamRevision: '1', expectedStreamPosition: '9' },
      });
      const none = await ask(stream(), 'streamExists', [event()]);
      expect(WrongExpectedVersion.deserializeBinary(none.value ?? new Uint8Array(0)).toObject()).toMatchObject({
        ...{ currentNoStream: {}, expectedStreamExists: {} },
      });
      expect(await ask(deleted, 'any', [event()])).toMatchObject({
        code: 5,
        message: 'StreamDeleted',
        type: 'StreamDeleted',
      });
      const large = await ask(stream(), 'any', [event({ data: 'x'.repeat(MEBIBYTE + 1) })]);
      expect(large).toMatchObject({ code: 3, type: 'MaximumAppendSizeExceeded' });
      expect(MaximumAppendSizeExceeded.deserializeBinary(large.value ?? new Uint8Array(0)).toObject()).toEqual({
        maxappendsize: MEBIBYTE,
      });
      expect(await ask(stream(), 'any', [event()], 1_000)).toMatchObject({
        code: 4,
        message: 'Timeout',
        type: 'Timeout',
      });
      expect(await ask('', 'any', [event()])).toMatchObject({ code: 3, type: 'BadRequest' });
      expect(await ask(stream(), 'any', [event({ type: '' })])).toMatchObject({ code: 3, type: 'BadRequest' });
      await batch.end();
    });

    test('an append whose last piece never comes times out and writes nothing', async () => {
      const batch = rawBatch(client());
      const name = stream();
      const correlation = randomUUID();
      batch.send({ correlation, stream: name, events: [event()], final: false });
      expect((await batch.answer(correlation)).error).toMatchObject({ code: 4, message: 'Timeout' });
      batch.send({ correlation, events: [event()] });
      await batch.end();
      expect(await idsIn(name)).toEqual([]);
    });
  });
};
