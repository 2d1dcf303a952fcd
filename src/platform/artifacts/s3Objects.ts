import {
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
} from '@aws-sdk/client-s3';
import { ArtifactStoreUnavailable } from './errors.ts';
import type { S3Address } from './s3Address.ts';
import { type Doing, type Failure, failureOf, unavailable } from './s3Failure.ts';

/** The four requests the artifact store is made of. Everything that keeps one from being answered is ArtifactStoreUnavailable. */
export type Objects = {
  /** Durable when it resolves. After a failure the object may be there all the same. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /** `size` as listed: an answer of another length did not come from the store. Undefined when there is no such object. */
  get(key: string, size: number): Promise<Uint8Array | undefined>;
  /** Resolves as well when it was not there. */
  remove(key: string): Promise<void>;
  /** Every key with this prefix, in the order of its bytes, page after page. */
  list(prefix: string): AsyncIterable<ListedObject>;
  /** Ends what is under way; afterwards nothing is asked any more. */
  close(): void;
};

export type ListedObject = { readonly key: string; readonly size: number };

/** A function gives them, so that no log, dump or JSON of a configuration shows them. */
export type S3Credentials = () => { readonly accessKeyId: string; readonly secretAccessKey: string };

/** Milliseconds: to connect, without a byte on the line, and for one request with all its attempts. */
export type S3Patience = {
  readonly connectMs: number;
  readonly silenceMs: number;
  readonly requestMs: number;
  readonly attempts: number;
};

/** Five attempts, because each of the four requests is harmless twice: an object never changes under its key. */
export const s3Patience: S3Patience = { connectMs: 5_000, silenceMs: 15_000, requestMs: 90_000, attempts: 5 };

const createClient = (address: S3Address, credentials: S3Credentials, patience: S3Patience): S3Client =>
  new S3Client({
    region: address.region,
    ...(address.endpoint !== undefined && { endpoint: address.endpoint }),
    forcePathStyle: address.pathStyle,
    credentials: async () => credentials(),
    // What is not given here would be taken from files and variables of whoever runs the program.
    useDualstackEndpoint: false,
    useFipsEndpoint: false,
    // Patience between attempts is the SDK's: backoff with jitter, longer after 429, and Retry-After when it is given.
    retryMode: 'standard',
    maxAttempts: patience.attempts,
    // R2 and others refuse checksum headers they do not know; the signature covers the body's SHA-256 as it is.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    requestHandler: {
      connectionTimeout: patience.connectMs,
      socketTimeout: patience.silenceMs,
      requestTimeout: patience.requestMs,
      throwOnRequestTimeout: true,
    },
  });

export const openS3Objects = (
  address: S3Address,
  credentials: S3Credentials,
  patience: S3Patience = s3Patience,
): Objects => {
  const client = createClient(address, credentials, patience);
  const underWay = new Set<AbortController>();
  let isClosed = false;
  const Bucket = address.bucket;

  const ask = async <Answer>(doing: Doing, request: (abortSignal: AbortSignal) => Promise<Answer>): Promise<Answer> => {
    if (isClosed) throw closed();
    const aborting = new AbortController();
    underWay.add(aborting);
    const timer = setTimeout(() => aborting.abort(), patience.requestMs);
    try {
      return await request(aborting.signal);
    } catch (error) {
      if (isClosed) throw closed();
      throw unavailable(address, doing, aborting.signal.aborted ? tooLate : failureOf(error));
    } finally {
      clearTimeout(timer);
      underWay.delete(aborting);
    }
  };

  const page = (Prefix: string, ContinuationToken: string | undefined) =>
    ask('list', async (abortSignal) => {
      const command = new ListObjectsV2Command({ Bucket, Prefix, ...(ContinuationToken && { ContinuationToken }) });
      const answer = await client.send(command, { abortSignal });
      // A page of somebody else's, read as a list, would say that nothing is there.
      if (answer.IsTruncated === undefined && answer.KeyCount === undefined) throw notTheStore(answer);
      return answer;
    });

  return {
    put: (Key, Body) =>
      ask('write to', async (abortSignal) => {
        const command = new PutObjectCommand({ Bucket, Key, Body, ContentType: 'application/octet-stream' });
        const answer = await client.send(command, { abortSignal });
        if (answer.ETag === undefined) throw notTheStore(answer);
      }),
    get: (Key, size) =>
      ask('read from', (abortSignal) => readTwice(client, new GetObjectCommand({ Bucket, Key }), size, abortSignal)),
    remove: (Key) =>
      ask('delete from', async (abortSignal) => {
        await client.send(new DeleteObjectCommand({ Bucket, Key }), { abortSignal });
      }),
    async *list(prefix) {
      let token: string | undefined;
      do {
        const answer = await page(prefix, token);
        for (const { Key, Size } of answer.Contents ?? []) if (Key !== undefined) yield { key: Key, size: Size ?? 0 };
        token = answer.IsTruncated ? answer.NextContinuationToken : undefined;
      } while (token !== undefined);
    },
    close: () => {
      isClosed = true;
      for (const aborting of underWay) aborting.abort();
      client.destroy();
    },
  };
};

const closed = (): ArtifactStoreUnavailable =>
  new ArtifactStoreUnavailable('closed', 'The artifact store has been closed, because this process is ending.');

const tooLate: Failure = { code: 'TimedOut', status: 0, attempts: 1 };

/** Answered with success, and yet not by a store. */
const notTheStore = (answer: { readonly $metadata: { readonly httpStatusCode?: number | undefined } }): Error =>
  Object.assign(new Error('not an answer of the store'), { code: 'NotAnAnswerOfS3', $metadata: answer.$metadata });

/** The SDK repeats a request until its answer begins; when the answer breaks off, it is asked for once more here. */
const readTwice = async (client: S3Client, command: GetObjectCommand, size: number, abortSignal: AbortSignal) => {
  try {
    return await readObject(client, command, size, abortSignal);
  } catch (error) {
    if (abortSignal.aborted || failureOf(error).status >= 300) throw error;
    return readObject(client, command, size, abortSignal);
  }
};

const readObject = async (
  client: S3Client,
  command: GetObjectCommand,
  size: number,
  abortSignal: AbortSignal,
): Promise<Uint8Array | undefined> => {
  const answer = await client.send(command, { abortSignal }).catch((error: unknown) => {
    if (failureOf(error).code === 'NoSuchKey') return undefined;
    throw error;
  });
  if (answer === undefined) return undefined;
  if (answer.Body === undefined || answer.ContentLength !== size) {
    if (answer.Body && 'destroy' in answer.Body) answer.Body.destroy();
    throw notTheStore(answer);
  }
  return answer.Body.transformToByteArray();
};
