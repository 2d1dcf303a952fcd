import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { encodeAppend } from '../../../src/platform/eventLog/appendWire.ts';
import { AppendRefused } from '../../../src/platform/eventLog/errors.ts';
import type { NewEvent } from '../../../src/platform/eventLog/port.ts';

const text = fc.string({ minLength: 1 });
const json = fc.dictionary(text, fc.oneof(text, fc.integer(), fc.boolean()));
const event: fc.Arbitrary<NewEvent> = fc.record({ id: fc.uuid(), type: text, data: json, metadata: json });
const correlation = '00000000-0000-4000-8000-000000000001';

const proposed = (messages: readonly Buffer[]) =>
  messages.flatMap((message) => BatchAppendReq.deserializeBinary(message).getProposedMessagesList());

test("an encoded append is what the client's own classes read", () => {
  const expectations = fc.oneof(
    fc.nat(),
    fc.constantFrom('any' as const, 'noStream' as const, 'streamExists' as const),
  );
  fc.assert(
    fc.property(text, fc.array(event, { maxLength: 5 }), expectations, (stream, events, expected) => {
      const messages = encodeAppend(stream, events, expected).messages(correlation);
      const [first] = messages.map((message) => BatchAppendReq.deserializeBinary(message));
      const options = first?.getOptions();
      expect(first?.getCorrelationId()?.getString()).toBe(correlation);
      expect(first?.getIsFinal()).toBe(true);
      expect(Buffer.from(options?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(stream);
      expect(options?.hasAny()).toBe(expected === 'any');
      expect(options?.hasNoStream()).toBe(expected === 'noStream');
      expect(options?.hasStreamExists()).toBe(expected === 'streamExists');
      if (typeof expected === 'number') expect(options?.getStreamPosition()).toBe(String(expected));
      const read = proposed(messages).map((message) => ({
        id: message.getId()?.getString(),
        type: message.getMetadataMap().get('type'),
        data: JSON.parse(Buffer.from(message.getData_asU8()).toString()),
        metadata: JSON.parse(Buffer.from(message.getCustomMetadata_asU8()).toString()),
      }));
      expect(read).toEqual(events);
    }),
  );
});

test('a large append is sent in pieces, of which the last is marked, and no event is lost', () => {
  const events = Array.from({ length: 9 }, (_, n) => ({
    ...{ id: crypto.randomUUID(), type: 'Large', metadata: {} },
    data: { n, text: 'x'.repeat(1_000_000) },
  }));
  const messages = encodeAppend('large-1', events, 'any').messages(correlation);
  expect(messages.length).toBeGreaterThan(1);
  const pieces = messages.map((message) => BatchAppendReq.deserializeBinary(message));
  expect(pieces.map((piece) => piece.getIsFinal())).toEqual(pieces.map((_, index) => index === pieces.length - 1));
  expect(pieces.map((piece) => piece.hasOptions())).toEqual(pieces.map((_, index) => index === 0));
  expect(proposed(messages).map((message) => message.getId()?.getString())).toEqual(events.map(({ id }) => id));
});

test('an event that no message can carry is refused before it is sent', () => {
  const event = { id: crypto.randomUUID(), type: 'Huge', data: { text: 'x'.repeat(17_000_000) }, metadata: {} };
  expect(() => encodeAppend('huge-1', [event], 'any')).toThrow(AppendRefused);
});
