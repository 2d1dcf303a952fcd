import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import S3rver from 's3rver';
import type { S3Address } from '../../src/platform/artifacts/s3Address.ts';
import { openS3Objects, type S3Credentials, s3Patience } from '../../src/platform/artifacts/s3Objects.ts';
import { createS3Store, type S3Store } from '../../src/platform/artifacts/s3Store.ts';
import { type FaultyProxy, startFaultyProxy } from './s3Proxy.ts';

export const bucket = 'artifacts';
export const accessKeyId = 'S3RVER';
export const secretAccessKey = 'a-secret-that-must-not-be-shown';

export type TestS3 = {
  readonly proxy: FaultyProxy;
  /** Below a prefix that nobody else uses, unless one is given. */
  address(over?: Partial<S3Address>): S3Address;
  open(options?: {
    readonly address?: S3Address;
    readonly credentials?: S3Credentials;
    readonly now?: () => number;
    readonly silenceMs?: number;
    readonly requestMs?: number;
    readonly attempts?: number;
  }): S3Store;
  stop(): Promise<void>;
};

export const collect = async <Item>(items: AsyncIterable<Item>): Promise<readonly Item[]> => {
  const all: Item[] = [];
  for await (const item of items) all.push(item);
  return all;
};

/** A local S3 server with one bucket, behind a proxy that sees every request and can spoil it. */
export const startTestS3 = async (): Promise<TestS3> => {
  const directory = await mkdtemp(join(tmpdir(), 'opslog-s3-'));
  const server = new S3rver({
    ...{ address: '127.0.0.1', port: 0, silent: true, directory, vhostBuckets: false },
    configureBuckets: [{ name: bucket }],
  });
  const { port } = await server.run();
  const proxy = await startFaultyProxy({ port, directory });
  const stores: S3Store[] = [];
  const address: TestS3['address'] = (over = {}) => ({
    ...{ bucket, prefix: `${randomUUID()}/`, endpoint: proxy.url, region: 'auto', pathStyle: true },
    ...over,
  });
  return {
    proxy,
    address,
    open: ({ address: given, credentials, now, ...patience } = {}) => {
      const at = given ?? address();
      const keys = credentials ?? (() => ({ accessKeyId, secretAccessKey }));
      const store = createS3Store(openS3Objects(at, keys, { ...s3Patience, ...patience }), at.prefix, now);
      stores.push(store);
      return store;
    },
    stop: async () => {
      for (const store of stores) store.close();
      await proxy.close();
      await server.close();
      await rm(directory, { recursive: true, force: true });
    },
  };
};
