import { status } from '@grpc/grpc-js';

/** Statuses after which the same call can be made again: the server is away, restarting, busy or was cut off. */
const PASSING: ReadonlySet<number> = new Set([
  status.UNAVAILABLE,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.CANCELLED,
  status.INTERNAL,
  status.UNKNOWN,
  status.RESOURCE_EXHAUSTED,
]);

const codeOf = (error: unknown): number | undefined => {
  if (typeof error !== 'object' || error === null || !('code' in error)) return undefined;
  return typeof error.code === 'number' ? error.code : undefined;
};

const isMistake = (error: unknown): boolean =>
  error instanceof TypeError || error instanceof RangeError || error instanceof ReferenceError;

/** An error without a gRPC status comes from the transport or the discovery of a leader. */
export const isPassing = (error: unknown): boolean => {
  const code = codeOf(error);
  return code === undefined ? !isMistake(error) : PASSING.has(code) || isNotLeader(error);
};

const trailer = (error: unknown, key: string): string | undefined => {
  if (typeof error !== 'object' || error === null || !('metadata' in error)) return undefined;
  const { metadata } = error;
  if (typeof metadata !== 'object' || metadata === null || !('get' in metadata)) return undefined;
  if (typeof metadata.get !== 'function') return undefined;
  const values: unknown = metadata.get(key);
  return Array.isArray(values) && values.length > 0 ? String(values[0]) : undefined;
};

const isNotLeader = (error: unknown): boolean => trailer(error, 'exception') === 'not-leader';

export const isStreamDeleted = (error: unknown): boolean => trailer(error, 'exception') === 'stream-deleted';
