/**
 * The few protobuf primitives that the hot paths need. The generated classes cost about 20 µs per event;
 * stored events are kept in their wire form instead, so that reading one is a copy.
 */

/** Stands for Int64.Max, the revision of a tombstone, which a JavaScript number cannot hold. */
export const INT64_MAX = Number.MAX_SAFE_INTEGER;
export const INT64_MAX_TEXT = '9223372036854775807';

const INT64_MAX_VARINT = Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);

export const int64ToText = (value: number): string => (value >= INT64_MAX ? INT64_MAX_TEXT : String(value));

/** Anything that does not fit a safe integer counts as Int64.Max; text that is no number as NaN. */
export const textToInt64 = (text: string): number => Math.min(Number(text), INT64_MAX);

export const varintSize = (value: number): number => {
  if (value >= INT64_MAX) return INT64_MAX_VARINT.length;
  let size = 1;
  for (let rest = value; rest >= 128; rest = Math.floor(rest / 128)) size += 1;
  return size;
};

/** Writes at `at` and answers the offset behind it. */
export const writeVarint = (target: Uint8Array, at: number, value: number): number => {
  if (value >= INT64_MAX) {
    target.set(INT64_MAX_VARINT, at);
    return at + INT64_MAX_VARINT.length;
  }
  let rest = value;
  let offset = at;
  while (rest >= 128) {
    target[offset++] = (rest % 128) | 0x80;
    rest = Math.floor(rest / 128);
  }
  target[offset++] = rest;
  return offset;
};

export const bytesFieldSize = (length: number): number => 1 + varintSize(length) + length;

export const writeHeader = (target: Uint8Array, at: number, field: number, length: number): number => {
  target[at] = (field << 3) | 2;
  return writeVarint(target, at + 1, length);
};

export const writeBytesField = (target: Uint8Array, at: number, field: number, bytes: Uint8Array): number => {
  const offset = writeHeader(target, at, field, bytes.length);
  target.set(bytes, offset);
  return offset + bytes.length;
};

export const writeVarintField = (target: Uint8Array, at: number, field: number, value: number): number => {
  target[at] = field << 3;
  return writeVarint(target, at + 1, value);
};

const NO_BYTES = new Uint8Array(0);

/** Calls `visit` for every field. Knows varints and lengths only: the messages read here hold nothing else. */
export const eachField = (
  message: Uint8Array,
  visit: (field: number, value: number, bytes: Uint8Array) => void,
): void => {
  let at = 0;
  const varint = (): number => {
    let value = 0;
    let scale = 1;
    for (;;) {
      const byte = message[at++];
      if (byte === undefined) throw new Error('A protobuf message ends in the middle of a number');
      value += (byte & 0x7f) * scale;
      if (byte < 0x80) return Math.min(value, INT64_MAX);
      scale *= 128;
    }
  };
  while (at < message.length) {
    const tag = varint();
    const wireType = tag & 7;
    if (wireType === 0) {
      visit(tag >>> 3, varint(), NO_BYTES);
    } else if (wireType === 2) {
      const length = varint();
      if (at + length > message.length) throw new Error('A protobuf field is longer than its message');
      visit(tag >>> 3, 0, message.subarray(at, at + length));
      at += length;
    } else {
      throw new Error(`Protobuf wire type ${wireType} is not expected here`);
    }
  }
};

export const lengthField = (field: number, bytes: Uint8Array): Buffer => {
  const encoded = Buffer.allocUnsafe(bytesFieldSize(bytes.length));
  writeBytesField(encoded, 0, field, bytes);
  return encoded;
};

export const textField = (field: number, text: string): Buffer => lengthField(field, Buffer.from(text));

export const numberField = (field: number, value: number): Buffer => {
  const encoded = Buffer.allocUnsafe(1 + varintSize(value));
  writeVarintField(encoded, 0, field, value);
  return encoded;
};
