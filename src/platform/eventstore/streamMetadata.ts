import { INT64_MAX } from './protobuf.ts';

/** The part of a stream's metadata that decides what a reader sees. `truncateBefore` INT64_MAX means soft-deleted. */
export type StreamMetadata = {
  readonly maxCount?: number;
  readonly maxAgeMs?: number;
  readonly truncateBefore?: number;
};

export const METADATA_TYPE = '$metadata';
export const STREAM_DELETED_TYPE = '$streamDeleted';

export const isMetastream = (stream: string): boolean => stream.startsWith('$$');
export const metastreamOf = (stream: string): string => `$$${stream}`;
export const originalOf = (metastream: string): string => metastream.slice(2);
/** Every metastream keeps one event readable. */
export const METASTREAM_METADATA: StreamMetadata = { maxCount: 1 };

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const parseObject = (bytes: Uint8Array): Record<string, unknown> => {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(bytes).toString('utf8'));
    return isObject(parsed) ? parsed : {};
  } catch {
    return {};
  }
};

/** Undefined when absent, null when it is there and not an integer of at least `least`. */
const integer = (value: unknown, least: number): number | undefined | null => {
  if (value === undefined) return undefined;
  return typeof value === 'number' && Number.isInteger(value) && value >= least ? value : null;
};

/** One value out of range makes the whole metadata count as empty, as on a real server. */
export const parseMetadata = (bytes: Uint8Array): StreamMetadata => {
  const json = parseObject(bytes);
  const maxCount = integer(json['$maxCount'], 1);
  const maxAge = integer(json['$maxAge'], 1);
  const truncateBefore = integer(json['$tb'], 0);
  const cacheControl = integer(json['$cacheControl'], 1);
  if (maxCount === null || maxAge === null || truncateBefore === null || cacheControl === null) return {};
  return {
    ...(maxCount === undefined ? {} : { maxCount }),
    ...(maxAge === undefined ? {} : { maxAgeMs: maxAge * 1000 }),
    ...(truncateBefore === undefined ? {} : { truncateBefore: Math.min(truncateBefore, INT64_MAX) }),
  };
};

export const isSoftDeleted = (metadata: StreamMetadata): boolean => metadata.truncateBefore === INT64_MAX;

export const firstVisible = (metadata: StreamMetadata, last: number): number =>
  Math.max(0, metadata.truncateBefore ?? 0, metadata.maxCount === undefined ? 0 : last - metadata.maxCount + 1);

/** Written as text: the number does not survive JSON.stringify. */
export const SOFT_DELETE_DATA = Buffer.from('{"$tb":9223372036854775807}');

/** The same metadata with another $tb, for a stream that is written to again after a soft delete. */
export const withTruncateBefore = (bytes: Uint8Array, truncateBefore: number): Buffer =>
  Buffer.from(JSON.stringify({ ...parseObject(bytes), $tb: truncateBefore }));
