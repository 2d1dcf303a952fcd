import { UUID } from '@eventstore/db-client/generated/shared_pb.js';
import { uuidText } from '../eventstore/proposed.ts';
import { eachField, lengthField, numberField, textField } from '../eventstore/protobuf.ts';
import { AppendRefused } from './errors.ts';
import type { ExpectedRevision, NewEvent, Position } from './port.ts';

/** What became of one attempt. After `unknown` the events may have been written, or may still be. */
export type Attempt =
  | { readonly kind: 'appended'; readonly revision: number; readonly position: Position }
  | { readonly kind: 'conflict'; readonly actual: number }
  | { readonly kind: 'deleted' }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'unknown'; readonly error: Error };

/** A message may not be larger than 16 MiB; an append may, so it is sent in pieces. */
const PIECE_BYTES = 3 * 1024 * 1024;
/** No server takes a larger event, and a message too large would break the call for everybody on it. */
const LARGEST_EVENT_BYTES = 16 * 1024 * 1024 - 20_000;
const EMPTY: Uint8Array = new Uint8Array(0);
const JSON_PROPERTIES = lengthField(2, Buffer.concat([textField(1, 'content-type'), textField(2, 'application/json')]));
const FINAL = numberField(4, 1);
const EXPECTED_FIELDS = { noStream: 3, any: 4, streamExists: 5 } as const;

const uuid = (id: string): Buffer => textField(2, id);

const encodeEvent = ({ id, type, data, metadata }: NewEvent): Buffer =>
  lengthField(
    3,
    Buffer.concat([
      lengthField(1, uuid(id)),
      lengthField(2, Buffer.concat([textField(1, 'type'), textField(2, type)])),
      JSON_PROPERTIES,
      textField(3, JSON.stringify(metadata)),
      textField(4, JSON.stringify(data)),
    ]),
  );

const encodeOptions = (stream: string, expected: ExpectedRevision): Buffer =>
  lengthField(
    2,
    Buffer.concat([
      lengthField(1, textField(3, stream)),
      typeof expected === 'number' ? numberField(2, expected) : lengthField(EXPECTED_FIELDS[expected], EMPTY),
    ]),
  );

/** An append in the form of the wire, whichever attempt it is sent in. */
export type EncodedAppend = {
  readonly bytes: number;
  /** Its BatchAppendReq messages under this correlation id; the last one is marked as final. */
  messages(correlationId: string): readonly Buffer[];
};

/** Throws AppendRefused for what no event log takes. */
export const encodeAppend = (
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): EncodedAppend => {
  const pieces: Buffer[] = [];
  let parts = [encodeOptions(stream, expected)];
  let ofPiece = 0;
  for (const event of events) {
    const encoded = encodeEvent(event);
    if (encoded.length > LARGEST_EVENT_BYTES) {
      throw new AppendRefused(`An event for ${stream} has ${encoded.length} bytes: no event log takes that`);
    }
    if (ofPiece > 0 && ofPiece + encoded.length > PIECE_BYTES) {
      pieces.push(Buffer.concat(parts));
      parts = [];
      ofPiece = 0;
    }
    parts.push(encoded);
    ofPiece += encoded.length;
  }
  pieces.push(Buffer.concat([...parts, FINAL]));
  return {
    bytes: pieces.reduce((sum, { length }) => sum + length, 0),
    messages: (correlationId) => {
      const correlation = lengthField(1, uuid(correlationId));
      return pieces.map((piece) => Buffer.concat([correlation, piece]));
    },
  };
};

const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString('utf8');

type Fields = { numbers: Map<number, number>; bytes: Map<number, Uint8Array> };

const fieldsOf = (message: Uint8Array): Fields => {
  const fields: Fields = { numbers: new Map(), bytes: new Map() };
  eachField(message, (field, value, bytes) => {
    fields.numbers.set(field, value);
    fields.bytes.set(field, bytes);
  });
  return fields;
};

const decodeError = (status: Uint8Array): Attempt => {
  const { bytes } = fieldsOf(status);
  const details = fieldsOf(bytes.get(3) ?? EMPTY).bytes;
  const name =
    text(details.get(1) ?? EMPTY)
      .split('.')
      .at(-1) ?? '';
  const content = fieldsOf(details.get(2) ?? EMPTY);
  switch (name) {
    case 'WrongExpectedVersion':
      return { kind: 'conflict', actual: content.bytes.has(2) ? -1 : (content.numbers.get(1) ?? 0) };
    case 'StreamDeleted':
      return { kind: 'deleted' };
    case 'AccessDenied':
      return { kind: 'refused', reason: 'access denied' };
    case 'BadRequest':
      return { kind: 'refused', reason: text(content.bytes.get(1) ?? EMPTY) };
    case 'MaximumAppendSizeExceeded':
      return { kind: 'refused', reason: `more than ${content.numbers.get(1) ?? 0} bytes in one append` };
    default:
      return { kind: 'unknown', error: new Error(`The server answered ${name || 'an error'}`) };
  }
};

const decodeSuccess = (success: Uint8Array): Attempt => {
  const { numbers, bytes } = fieldsOf(success);
  const position = fieldsOf(bytes.get(3) ?? EMPTY).numbers.get(1) ?? 0;
  return { kind: 'appended', revision: bytes.has(2) ? -1 : (numbers.get(1) ?? 0), position: BigInt(position) };
};

export type AppendAnswer = { readonly correlationId: string; readonly attempt: Attempt };

/** Decodes a BatchAppendResp. */
export const decodeAnswer = (message: Uint8Array): AppendAnswer => {
  const { bytes } = fieldsOf(message);
  const correlation = bytes.get(1) ?? EMPTY;
  const asText = fieldsOf(correlation).bytes.get(2);
  const correlationId = asText === undefined ? (uuidText(UUID.deserializeBinary(correlation)) ?? '') : text(asText);
  const success = bytes.get(3);
  const attempt = success === undefined ? decodeError(bytes.get(2) ?? EMPTY) : decodeSuccess(success);
  return { correlationId, attempt };
};
