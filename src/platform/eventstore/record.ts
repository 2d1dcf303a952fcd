import {
  bytesFieldSize,
  eachField,
  lengthField,
  textField,
  varintSize,
  writeBytesField,
  writeHeader,
  writeVarintField,
} from './protobuf.ts';

/** An event as it lies in the log. `createdMs` is milliseconds since the epoch; `id` a lower-case UUID. */
export type EventRecord = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: number;
  readonly type: string;
  readonly contentType: string;
  readonly createdMs: number;
  readonly data: Uint8Array;
  readonly metadata: Uint8Array;
};

/**
 * What LMDB holds for a position: one byte of flags, then the ReadResp message exactly as a reader without
 * link resolution and with textual ids gets it.
 */
export type StoredRecord = Buffer;

const HIDDEN_IN_ALL = 1;
const IS_LINK = 2;

export const LINK_TYPE = '$>';
export const isHiddenInAll = (stored: StoredRecord): boolean => ((stored[0] ?? 0) & HIDDEN_IN_ALL) !== 0;
export const isLink = (stored: StoredRecord): boolean => ((stored[0] ?? 0) & IS_LINK) !== 0;
/** The ReadResp message of a stored event, without a copy. */
export const responseOf = (stored: StoredRecord): Buffer => stored.subarray(1);

const hiddenStream = (stream: string): boolean =>
  stream.startsWith('$') &&
  (stream === '$epoch-information' || /^\$persistentsubscription-\$all::.*-(checkpoint|parked)$/s.test(stream));

const mapEntry = (key: string, value: string): Buffer => Buffer.concat([textField(1, key), textField(2, value)]);

/** A UUID message: text, or the two halves as signed 64-bit varints. */
const uuidMessage = (id: string, structured: boolean): Buffer => {
  if (!structured) return textField(2, id);
  const bytes = Buffer.from(id.replaceAll('-', ''), 'hex');
  const halves = [bytes.readBigUInt64BE(0), bytes.readBigUInt64BE(8)];
  const inner: number[] = [];
  for (const [index, half] of halves.entries()) {
    inner.push((index + 1) << 3);
    let rest = half;
    for (; rest >= 128n; rest >>= 7n) inner.push(Number(rest & 0x7fn) | 0x80);
    inner.push(Number(rest));
  }
  return lengthField(1, Uint8Array.from(inner));
};

/** The RecordedEvent message. */
export const encodeRecord = (record: EventRecord, structuredId = false): Buffer => {
  const id = uuidMessage(record.id, structuredId);
  const stream = textField(3, record.stream);
  const entries = [
    mapEntry('type', record.type),
    mapEntry('created', `${record.createdMs}0000`),
    mapEntry('content-type', record.contentType),
  ];
  const lengths = [id, stream, ...entries, record.metadata, record.data].map((part) => bytesFieldSize(part.length));
  const numbers = 3 + varintSize(record.revision) + 2 * varintSize(record.position);
  const message = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + length, numbers));
  let at = writeBytesField(message, 0, 1, id);
  at = writeBytesField(message, at, 2, stream);
  at = writeVarintField(message, at, 3, record.revision);
  at = writeVarintField(message, at, 4, record.position);
  at = writeVarintField(message, at, 5, record.position);
  for (const entry of entries) at = writeBytesField(message, at, 6, entry);
  at = writeBytesField(message, at, 7, record.metadata);
  writeBytesField(message, at, 8, record.data);
  return message;
};

/** A ReadResp with an event; room for `prefix` bytes is left in front. `position` is that of the original event. */
const encodeResponse = (
  event: Uint8Array | undefined,
  link: Uint8Array | undefined,
  position: number,
  prefix = 0,
): Buffer => {
  const size =
    (event === undefined ? 0 : bytesFieldSize(event.length)) +
    (link === undefined ? 0 : bytesFieldSize(link.length)) +
    1 +
    varintSize(position);
  const response = Buffer.allocUnsafe(prefix + bytesFieldSize(size));
  let at = writeHeader(response, prefix, 1, size);
  if (event !== undefined) at = writeBytesField(response, at, 1, event);
  if (link !== undefined) at = writeBytesField(response, at, 2, link);
  writeVarintField(response, at, 3, position);
  return response;
};

export const encodeStored = (record: EventRecord): StoredRecord => {
  const stored = encodeResponse(encodeRecord(record), undefined, record.position, 1);
  stored[0] = (hiddenStream(record.stream) ? HIDDEN_IN_ALL : 0) | (record.type === LINK_TYPE ? IS_LINK : 0);
  return stored;
};

/** A ReadResp for readers that want what is not stored: a resolved link or structured ids. */
export const encodeResolved = (
  original: EventRecord,
  target: EventRecord | 'missing' | 'none',
  structuredIds: boolean,
): Buffer => {
  const recorded = encodeRecord(original, structuredIds);
  if (target === 'none') return encodeResponse(recorded, undefined, original.position);
  const event = target === 'missing' ? undefined : encodeRecord(target, structuredIds);
  return encodeResponse(event, recorded, original.position);
};

const only = (message: Uint8Array, wanted: number): Uint8Array => {
  let found: Uint8Array = message.subarray(0, 0);
  eachField(message, (field, _value, bytes) => {
    if (field === wanted) found = bytes;
  });
  return found;
};

const text = (bytes: Uint8Array): string =>
  Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('utf8');

export const decodeStored = (stored: StoredRecord): EventRecord => {
  const recorded = only(only(responseOf(stored), 1), 1);
  const empty = recorded.subarray(0, 0);
  const record = { id: '', stream: '', revision: 0, position: 0, data: empty, metadata: empty };
  const map = new Map<string, string>();
  eachField(recorded, (field, value, bytes) => {
    if (field === 1) record.id = text(only(bytes, 2));
    else if (field === 2) record.stream = text(only(bytes, 3));
    else if (field === 3) record.revision = value;
    else if (field === 4) record.position = value;
    else if (field === 6) map.set(text(only(bytes, 1)), text(only(bytes, 2)));
    else if (field === 7) record.metadata = bytes;
    else if (field === 8) record.data = bytes;
  });
  return {
    ...record,
    type: map.get('type') ?? '',
    contentType: map.get('content-type') ?? '',
    createdMs: Number(map.get('created')?.slice(0, -4) ?? 0),
  };
};
