import { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { checkedEvent, checkedStreamName, uuidText } from './proposed.ts';
import { eachField } from './protobuf.ts';
import { invalidArgument } from './rpcErrors.ts';
import type { ProposedEvent } from './writeCommand.ts';
import type { Expected } from './writeRules.ts';

/** A BatchAppendReq as it came; its parts are read where a fault in them can be answered for this append alone. */
export type BatchAppendRequest = {
  /** The UUID message, which goes back as it is. */
  readonly correlation: Uint8Array | undefined;
  readonly options: Uint8Array | undefined;
  readonly events: readonly Uint8Array[];
  readonly isFinal: boolean;
};

export type AppendOptions = {
  readonly stream: string;
  readonly expected: Expected;
  /** Milliseconds since the epoch, where the client gave one. */
  readonly deadline: number | undefined;
};

const EMPTY: Uint8Array = new Uint8Array(0);

const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

const field = (message: Uint8Array, wanted: number): Uint8Array => {
  let found = EMPTY;
  eachField(message, (each, _value, bytes) => {
    if (each === wanted) found = bytes;
  });
  return found;
};

/** The generated class takes several times as long. Throws for bytes that are no such message. */
export const decodeBatchAppend = (message: Uint8Array): BatchAppendRequest => {
  let correlation: Uint8Array | undefined;
  let options: Uint8Array | undefined;
  let isFinal = false;
  const events: Uint8Array[] = [];
  eachField(message, (each, value, bytes) => {
    if (each === 1) correlation = bytes;
    else if (each === 2) options = bytes;
    else if (each === 3) events.push(bytes);
    else if (each === 4) isFinal = value !== 0;
  });
  return { correlation, options, events, isFinal };
};

/** The StreamIdentifier message of the options, for the answer. */
export const identifierOf = (options: Uint8Array): Uint8Array => field(options, 1);

const timeOf = (timestamp: Uint8Array): number => {
  let time = 0;
  eachField(timestamp, (each, value) => {
    if (each === 1) time += value * 1_000;
    else if (each === 2) time += Math.floor(value / 1e6);
  });
  return time;
};

/** Throws INVALID_ARGUMENT. */
export const readOptions = (options: Uint8Array): AppendOptions => {
  let expected: Expected | undefined;
  let deadline: number | undefined;
  eachField(options, (each, value, bytes) => {
    if (each === 2) expected = value;
    else if (each === 3) expected = 'noStream';
    else if (each === 4) expected = 'any';
    else if (each === 5) expected = 'streamExists';
    else if (each === 6) deadline = timeOf(bytes);
  });
  const stream = checkedStreamName(text(field(identifierOf(options), 3)));
  if (expected === undefined) throw invalidArgument('No expected stream position is given.');
  return { stream, expected, deadline };
};

const idOf = (uuid: Uint8Array): string | undefined => uuidText(UUID.deserializeBinary(uuid));

const PLAIN_UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;

/** Nearly always text in lower case. Anything else is left to the generated class, which knows both forms. */
const readId = (uuid: Uint8Array): string | undefined => {
  const asText = uuid[0] === 0x12 && uuid.length === 38 ? text(uuid.subarray(2)) : '';
  return PLAIN_UUID.test(asText) ? asText : idOf(uuid);
};

/** Throws INVALID_ARGUMENT. */
export const readProposed = (message: Uint8Array): ProposedEvent => {
  let id: string | undefined;
  let type: string | undefined;
  let contentType: string | undefined;
  let data = EMPTY;
  let metadata = EMPTY;
  eachField(message, (each, _value, bytes) => {
    if (each === 1) id = readId(bytes);
    else if (each === 2) {
      const key = text(field(bytes, 1));
      if (key === 'type') type = text(field(bytes, 2));
      else if (key === 'content-type') contentType = text(field(bytes, 2));
    } else if (each === 3) metadata = bytes;
    else if (each === 4) data = bytes;
  });
  return checkedEvent({ id, type, contentType, data, metadata });
};
