import { ReadResp } from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { decodeRead } from '../../../src/platform/eventLog/decode.ts';
import { eachField, INT64_MAX, numberField } from '../../../src/platform/eventstore/protobuf.ts';
import {
  decodeStored,
  type EventRecord,
  encodeResolved,
  encodeStored,
  responseOf,
} from '../../../src/platform/eventstore/record.ts';

const text = fc.string({ minLength: 1, unit: 'grapheme' });
const bytes = fc.uint8Array({ maxLength: 400 });
const record: fc.Arbitrary<EventRecord> = fc.record({
  id: fc.uuid(),
  stream: text,
  revision: fc.oneof(fc.nat(), fc.constant(INT64_MAX)),
  position: fc.nat(),
  type: text,
  contentType: fc.constantFrom('application/json', 'application/octet-stream'),
  createdMs: fc.integer({ min: 1, max: 8.64e15 }),
  data: bytes,
  metadata: bytes,
});
const plain = (value: EventRecord) => ({ ...value, data: [...value.data], metadata: [...value.metadata] });

test('a number survives its encoding, and what is beyond a safe integer stands for Int64.Max', () => {
  fc.assert(
    fc.property(fc.maxSafeNat(), (value) => {
      fc.pre(value !== INT64_MAX);
      const found: number[] = [];
      eachField(numberField(3, value), (_field, number) => found.push(number));
      expect(found).toEqual([value]);
    }),
  );
  expect(numberField(1, INT64_MAX).toString('hex')).toBe('08ffffffffffffffff7f');
});

test('a stored event is read back as it was', () => {
  fc.assert(
    fc.property(record, (value) => {
      expect(plain(decodeStored(encodeStored(value)))).toEqual(plain(value));
    }),
  );
});

test("a stored event is a message that the client's own classes read", () => {
  fc.assert(
    fc.property(record, (value) => {
      const response = ReadResp.deserializeBinary(responseOf(encodeStored(value)));
      const event = response.getEvent()?.getEvent();
      expect(event?.getId()?.getString()).toBe(value.id);
      expect(Buffer.from(event?.getStreamIdentifier()?.getStreamName_asU8() ?? []).toString()).toBe(value.stream);
      expect(event?.getStreamRevision()).toBe(
        value.revision === INT64_MAX ? '9223372036854775807' : String(value.revision),
      );
      expect(event?.getCommitPosition()).toBe(String(value.position));
      expect(event?.getMetadataMap().get('type')).toBe(value.type);
      expect(event?.getMetadataMap().get('created')).toBe(String(BigInt(value.createdMs) * 10_000n));
      expect([...(event?.getData_asU8() ?? [])]).toEqual([...value.data]);
      expect([...(event?.getCustomMetadata_asU8() ?? [])]).toEqual([...value.metadata]);
    }),
  );
});

test('the event log reads what the server stores, and what the generated classes write', () => {
  fc.assert(
    fc.property(record, (value) => {
      const stored = responseOf(encodeStored({ ...value, data: Buffer.from('{"a":1}') }));
      const decoded = decodeRead(true)(stored);
      expect(decoded).toMatchObject({
        position: value.position,
        event: { id: value.id, stream: value.stream, type: value.type, data: { a: 1 }, recordedAt: value.createdMs },
      });
      expect(decodeRead(true)(ReadResp.deserializeBinary(stored).serializeBinary())).toEqual(decoded);
    }),
  );
});

test('a resolved link carries both events and the position of the link', () => {
  fc.assert(
    fc.property(record, record, fc.boolean(), (link, target, structured) => {
      const event = ReadResp.deserializeBinary(encodeResolved(link, target, structured)).getEvent();
      expect(event?.getCommitPosition()).toBe(String(link.position));
      expect(event?.getLink()?.getMetadataMap().get('type')).toBe(link.type);
      expect(event?.getEvent()?.getMetadataMap().get('type')).toBe(target.type);
      expect(event?.getEvent()?.getId()?.hasStructured()).toBe(structured);
    }),
  );
});
