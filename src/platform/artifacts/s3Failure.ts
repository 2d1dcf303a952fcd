import { ArtifactStoreUnavailable } from './errors.ts';
import { hostOf, type S3Address } from './s3Address.ts';

/** What is known of a failure of the SDK, none of its texts: they can hold key ids and signed strings. */
export type Failure = { readonly code: string; readonly status: number; readonly attempts: number };

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const numberOf = (value: unknown): number => (typeof value === 'number' ? value : 0);

/** Codes are words; anything else is left out of messages. */
const wordOf = (value: unknown): string =>
  typeof value === 'string' && /^[A-Za-z][A-Za-z0-9_]{1,60}$/.test(value) ? value : '';

export const failureOf = (error: unknown): Failure => {
  const seen = isRecord(error) ? error : {};
  const metadata = isRecord(seen['$metadata']) ? seen['$metadata'] : {};
  const answer = isRecord(seen['$response']) ? seen['$response'] : {};
  const status = numberOf(metadata['httpStatusCode']) || numberOf(answer['statusCode']);
  const code = wordOf(seen['code']) || wordOf(seen['name']) || 'Unknown';
  return { code, status, attempts: Math.max(1, numberOf(metadata['attempts'])) };
};

const deniedCodes: ReadonlySet<string> = new Set([
  'AccessDenied',
  'AllAccessDisabled',
  'InvalidAccessKeyId',
  'SignatureDoesNotMatch',
  'Unauthorized',
]);
const throttledCodes: ReadonlySet<string> = new Set(['SlowDown', 'TooManyRequests', 'Throttling']);
const wrongRegionCodes: ReadonlySet<string> = new Set([
  'AuthorizationHeaderMalformed',
  'PermanentRedirect',
  'InvalidRegionName',
]);

/** What was being done, as it stands after "to": "read from", "write to", "list" or "delete from". */
export type Doing = 'read from' | 'write to' | 'list' | 'delete from';

/** One error for everything that keeps the store from answering, with a way out. */
export const unavailable = (address: S3Address, doing: Doing, failure: Failure): ArtifactStoreUnavailable => {
  const { code, status, attempts } = failure;
  const host = hostOf(address);
  const bucket = `the bucket ${address.bucket} at ${host}`;
  if (code === 'NoSuchBucket') {
    const todo = 'Create it, or correct OPSLOG_ARTIFACTS_URL.';
    return new ArtifactStoreUnavailable(
      'bucketMissing',
      `The artifact store ${host} has no bucket ${address.bucket}. ${todo}`,
    );
  }
  if (code === 'RequestTimeTooSkewed') {
    const todo = `Its clock and the one of this machine differ; set them right to ${doing} ${bucket}.`;
    return new ArtifactStoreUnavailable('denied', `The artifact store refuses requests of this time. ${todo}`);
  }
  if (wrongRegionCodes.has(code)) {
    const said = `The artifact store ${host} does not keep the bucket ${address.bucket} under this region (${code}).`;
    return new ArtifactStoreUnavailable('bucketMissing', `${said} Correct region in OPSLOG_ARTIFACTS_URL.`);
  }
  if (status === 401 || status === 403 || deniedCodes.has(code)) {
    const todo =
      'Check OPSLOG_S3_ACCESS_KEY_ID and OPSLOG_S3_SECRET_ACCESS_KEY, and that this key may list, read, write and delete there.';
    return new ArtifactStoreUnavailable('denied', `It is not allowed to ${doing} ${bucket} (${code}). ${todo}`);
  }
  if (status === 429 || throttledCodes.has(code)) {
    const said = `The artifact store ${host} asked ${attempts} times to be left alone for a while (${code}).`;
    return new ArtifactStoreUnavailable('throttled', `${said} Try again later.`);
  }
  const how = status === 0 ? code : `${code}, status ${status}`;
  const todo = 'Check that it is up, and the endpoint in OPSLOG_ARTIFACTS_URL.';
  return new ArtifactStoreUnavailable(
    'unreachable',
    `The artifact store gave no usable answer to an attempt to ${doing} ${bucket} (${how}). ${todo}`,
  );
};
