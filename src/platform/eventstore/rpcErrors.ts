import { Metadata, status } from '@grpc/grpc-js';
import { int64ToText } from './protobuf.ts';
import type { Expected } from './writeRules.ts';

/** What grpc-js turns into the status and trailers of a call. */
export type RpcError = Error & { readonly code: status; readonly details: string; readonly metadata: Metadata };

const rpcError = (code: status, details: string, trailers: Readonly<Record<string, string>> = {}): RpcError => {
  const metadata = new Metadata();
  for (const [key, value] of Object.entries(trailers)) metadata.set(key, value);
  return Object.assign(new Error(details), { code, details, metadata });
};

export const isRpcError = (error: unknown): error is RpcError =>
  error instanceof Error && 'code' in error && 'details' in error && 'metadata' in error;

const EXPECTED_NUMBERS = { noStream: -1, any: -2, streamExists: -4 } as const;

/** Trailers are ASCII on the wire; a stream name may be anything. */
const ascii = (text: string): string => text.replace(/[^\x20-\x7e]/g, '?');

export const invalidArgument = (details: string): RpcError => rpcError(status.INVALID_ARGUMENT, details);

export const unknown = (details: string): RpcError => rpcError(status.UNKNOWN, details);

export const unavailable = (details: string): RpcError => rpcError(status.UNAVAILABLE, details);

export const streamDeleted = (stream: string): RpcError =>
  rpcError(status.FAILED_PRECONDITION, `Event stream '${stream}' is deleted.`, {
    exception: 'stream-deleted',
    'stream-name': ascii(stream),
  });

export const wrongExpectedVersion = (stream: string, expected: Expected, actual: number): RpcError => {
  const wanted = typeof expected === 'number' ? expected : EXPECTED_NUMBERS[expected];
  const details = `Append failed due to WrongExpectedVersion. Stream: ${stream}, Expected version: ${wanted}, Actual version: ${actual}`;
  return rpcError(status.FAILED_PRECONDITION, details, {
    exception: 'wrong-expected-version',
    'stream-name': ascii(stream),
    'expected-version': String(wanted),
    'actual-version': int64ToText(actual),
  });
};

export const maximumAppendSizeExceeded = (maximum: number): RpcError =>
  rpcError(status.INVALID_ARGUMENT, `Maximum Append Size of ${maximum} Exceeded.`, {
    exception: 'maximum-append-size-exceeded',
    'maximum-append-size': String(maximum),
  });

export const missingMetadataProperty = (): RpcError =>
  rpcError(status.INVALID_ARGUMENT, 'Required Metadata Property Missing.', {
    exception: 'missing-required-metadata-property',
    'required-metadata-properties': 'type,content-type',
  });
