import { Empty, StreamIdentifier, UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { BatchAppendReq } from '@eventstore/db-client/generated/streams_pb.js';
import fc from 'fast-check';
import { Timestamp } from 'google-protobuf/google/protobuf/timestamp_pb.js';
import { describe, expect, test } from 'vitest';
import {
  decodeBatchAppend,
  identifierOf,
  readOptions,
  readProposed,
} from '../../../src/platform/eventstore/batchAppendRequest.ts';

const { Options, ProposedMessage } = BatchAppendReq;

const bytes = fc.uint8Array({ maxLength: 200 });
const text = fc.string({ minLength: 1, unit: 'grapheme' });
const expectation = fc.oneof(fc.maxSafeNat(), fc.constantFrom('noStream', 'any', 'streamExists'));
const append = fc.record({
  correlation: fc.uuid(),
  stream: text.filter((name) => name !== '$$'),
  expected: expectation,
  deadline: fc.option(fc.integer({ min: 0, max: 4e9 }), { nil: undefined }),
  isFinal: fc.boolean(),
  events: fc.array(fc.record({ id: fc.uuid(), structured: fc.boolean(), type: text, data: bytes, metadata: bytes }), {
    maxLength: 5,
  }),
});

const halves = (id: string): readonly [string, string] => {
  const hex = id.replaceAll('-', '');
  const half = (part: string): string => String(BigInt.asIntN(64, BigInt(`0x${part}`)));
  return [half(hex.slice(0, 16)), half(hex.slice(16))];
};
const uuid = (id: string, structured: boolean): UUID => {
  const message = new UUID();
  if (structured) {
    const inner = new UUID.Structured();
    const [most, least] = halves(id);
    inner.setMostSignificantBits(most);
    inner.setLeastSignificantBits(least);
    message.setStructured(inner);
  } else message.setString(id.toUpperCase());
  return message;
};
const identifier = (stream: string): StreamIdentifier => {
  const named = new StreamIdentifier();
  named.setStreamName(Buffer.from(stream));
  return named;
};

type Append = typeof append extends fc.Arbitrary<infer Value> ? Value : never;

const requestOf = ({ correlation, stream, expected, deadline, isFinal, events }: Append): BatchAppendReq => {
  const options = new Options();
  options.setStreamIdentifier(identifier(stream));
  if (expected === 'noStream') options.setNoStream(new Empty());
  else if (expected === 'any') options.setAny(new Empty());
  else if (expected === 'streamExists') options.setStreamExists(new Empty());
  else options.setStreamPosition(String(expected));
  if (deadline !== undefined) {
    const at = new Timestamp();
    at.setSeconds(deadline);
    at.setNanos(5_000_000);
    options.setDeadline(at);
  }
  const request = new BatchAppendReq();
  request.setCorrelationId(uuid(correlation, false));
  request.setOptions(options);
  request.setIsFinal(isFinal);
  for (const { id, structured, type, data, metadata } of events) {
    const message = new ProposedMessage();
    message.setId(uuid(id, structured));
    message.getMetadataMap().set('type', type).set('content-type', 'application/json');
    message.setData(data);
    message.setCustomMetadata(metadata);
    request.addProposedMessages(message);
  }
  return request;
};

describe('A request to append', () => {
  test('is read as the generated classes wrote it', () => {
    fc.assert(
      fc.property(append, (given) => {
        const request = requestOf(given);
        const read = decodeBatchAppend(request.serializeBinary());
        expect(read.isFinal).toBe(given.isFinal);
        expect(Buffer.from(read.correlation ?? [])).toEqual(
          Buffer.from(uuid(given.correlation, false).serializeBinary()),
        );
        const options = read.options ?? new Uint8Array();
        const deadline = given.deadline === undefined ? undefined : given.deadline * 1_000 + 5;
        expect(readOptions(options)).toEqual({ stream: given.stream, expected: given.expected, deadline });
        expect(Buffer.from(identifierOf(options))).toEqual(Buffer.from(identifier(given.stream).serializeBinary()));
        const events = read.events.map(readProposed).map(({ data, metadata, ...event }) => ({
          ...event,
          data: [...data],
          metadata: [...metadata],
        }));
        const contentType = 'application/json';
        expect(events).toEqual(
          given.events.map(({ id, type, data, metadata }) => ({
            ...{ id, type, contentType },
            ...{ data: [...data], metadata: [...metadata] },
          })),
        );
      }),
    );
  });

  test('of bytes that are no message is read or refused, and does not go on for ever', () => {
    const attempt = (read: () => unknown): void => {
      try {
        read();
      } catch (error) {
        expect(error).toBeInstanceOf(Error);
      }
    };
    fc.assert(
      fc.property(append, fc.nat(), fc.nat(255), fc.nat(), (given, at, value, length) => {
        const message = requestOf(given).serializeBinary();
        message[at % message.length] = value;
        attempt(() => {
          const read = decodeBatchAppend(message.subarray(0, length % 3 === 0 ? length % message.length : undefined));
          for (const event of read.events) attempt(() => readProposed(event));
          attempt(() => readOptions(read.options ?? new Uint8Array()));
        });
      }),
      { numRuns: 500 },
    );
  });
});
