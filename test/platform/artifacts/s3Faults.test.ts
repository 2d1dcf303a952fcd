import { inspect } from 'node:util';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openS3Objects } from '../../../src/platform/artifacts/s3Objects.ts';
import type { S3Store } from '../../../src/platform/artifacts/s3Store.ts';
import { accessKeyId, collect, secretAccessKey, startTestS3, type TestS3 } from '../../support/s3.ts';
import type { Fault } from '../../support/s3Proxy.ts';

let s3: TestS3;
let store: S3Store;
beforeAll(async () => {
  s3 = await startTestS3();
});
afterAll(() => s3.stop());
beforeEach(() => {
  store = s3.open({ attempts: 3 });
  s3.proxy.forget();
});

const hello = new TextEncoder().encode('hello, store');
const always = 50;
const html = { 'content-type': 'text/html' };
const page: Fault = { kind: 'answer', status: 200, headers: html, body: '<html><body><p>Sign in</p></body></html>' };
const puts = () => s3.proxy.seen().filter(({ method }) => method === 'PUT');
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => 'no failure',
    (error: unknown) => error,
  );
const unavailable = (reason: string) => ({ name: 'ArtifactStoreUnavailable', reason });
/** Faults that a test planned and nobody met must not hit the next one. */
const spoilt = async (method: string, fault: Fault, work: () => Promise<void>): Promise<void> => {
  s3.proxy.spoil(method, fault, always);
  try {
    await work();
  } finally {
    s3.proxy.heal();
  }
};

describe('What a store of objects does wrong for a moment is not noticed', () => {
  it.each<[string, Fault]>([
    ['429 with Retry-After', { kind: 'answer', status: 429, headers: { 'retry-after': '1' } }],
    ['500', { kind: 'answer', status: 500 }],
    ['503 with an error in XML', { kind: 'answer', status: 503, body: '<Error><Code>SlowDown</Code></Error>' }],
    ['502 with a page', { kind: 'answer', status: 502, headers: html, body: '<html><p>Bad & gateway</html>' }],
    ['an answer that is lost after the object was written', { kind: 'answerLost' }],
  ])('%s: the same object is written again, and is there once', async (_, fault) => {
    s3.proxy.spoil('PUT', fault);
    const { digest, created } = await store.put(hello);
    expect(created).toBe(true);
    expect(puts()).toHaveLength(2);
    expect(new Set(puts().map(({ path }) => path)).size).toBe(1);
    expect(await store.get(digest)).toEqual(hello);
    expect(await collect(store.list())).toMatchObject([{ digest, bytes: hello.length }]);
  });

  it.each<[string, Fault]>([
    ['breaks off', { kind: 'brokenOff' }],
    ['stops in the middle', { kind: 'stuck' }],
    ['is the page of somebody else', page],
  ])('a body that %s is asked for again', async (_, fault) => {
    const impatient = s3.open({ silenceMs: 500 });
    const { digest } = await impatient.put(hello);
    s3.proxy.spoil('GET', { kind: 'pass' });
    s3.proxy.spoil('GET', fault);
    expect(await impatient.get(digest)).toEqual(hello);
  });
});

describe('What a store of objects does wrong for long is an error that says so, never an answer', () => {
  it.each<[string, Fault, string]>([
    ['429', { kind: 'answer', status: 429, headers: { 'retry-after': '0' } }, 'throttled'],
    ['500', { kind: 'answer', status: 500 }, 'unreachable'],
    ['403', { kind: 'answer', status: 403 }, 'denied'],
    ['a page with status 200', page, 'unreachable'],
    ['a page that is no XML', { ...page, body: '<html><p>Sign in & pay<br></html>' }, 'unreachable'],
    ['a page with status 404', { ...page, status: 404 }, 'unreachable'],
  ])('%s on a list: nothing is said to be missing', async (_, fault, reason) => {
    const { digest } = await store.put(hello);
    await spoilt('GET', fault, async () => {
      await expect(store.has(digest)).rejects.toMatchObject(unavailable(reason));
    });
  });

  it('silence ends the request, whichever it is', async () => {
    const impatient = s3.open({ silenceMs: 100, requestMs: 1_000 });
    await spoilt('GET', { kind: 'silence' }, async () => {
      await expect(impatient.put(hello)).rejects.toMatchObject(unavailable('unreachable'));
    });
    await spoilt('PUT', { kind: 'silence' }, async () => {
      await expect(impatient.put(hello)).rejects.toMatchObject(unavailable('unreachable'));
    });
  });

  it('a body that always breaks off is no artifact that has rotted', async () => {
    const { digest } = await store.put(hello);
    s3.proxy.spoil('GET', { kind: 'pass' });
    await spoilt('GET', { kind: 'brokenOff' }, async () => {
      await expect(store.get(digest)).rejects.toMatchObject(unavailable('unreachable'));
    });
  });

  it('a page that answers a put is no proof of it, and takes nothing away', async () => {
    const { digest } = await store.put(hello);
    await spoilt('PUT', page, async () => {
      await expect(store.put(hello)).rejects.toMatchObject(unavailable('unreachable'));
    });
    expect(await store.get(digest)).toEqual(hello);
  });

  it('a put that is acknowledged by somebody else takes nothing away either', async () => {
    const { digest } = await store.put(hello);
    await spoilt('PUT', { ...page, headers: { ...html, etag: '"0"' } }, async () => {
      await store.put(hello);
    });
    expect(await store.get(digest)).toEqual(hello);
  });

  it('a page that answers a removal is no proof of it', async () => {
    const { digest } = await store.put(hello);
    await spoilt('DELETE', page, async () => {
      expect(await store.remove(digest)).toBe(false);
    });
    expect(await store.remove(digest)).toBe(true);
  });

  it('a put whose older objects cannot be removed has succeeded all the same', async () => {
    const { digest } = await store.put(hello);
    await spoilt('DELETE', { kind: 'answer', status: 403 }, async () => {
      expect(await store.put(hello)).toEqual({ digest, created: false });
    });
    expect(await collect(store.list())).toHaveLength(1);
    expect(await store.remove(digest)).toBe(true);
    expect(await store.has(digest)).toBe(false);
  });

  it('closing ends what is under way, and afterwards nothing is asked', async () => {
    s3.proxy.spoil('GET', { kind: 'silence' });
    const waiting = failureOf(store.put(hello));
    await expect.poll(() => s3.proxy.seen().length).toBe(1);
    store.close();
    expect(await waiting).toMatchObject(unavailable('closed'));
    await expect(store.put(hello)).rejects.toMatchObject(unavailable('closed'));
    expect(s3.proxy.seen()).toHaveLength(1);
  });
});

describe('Bytes that are not what their name says', () => {
  const longer = (body: Buffer): Buffer => Buffer.concat([body, body]);
  const swapped = (body: Buffer): Buffer => Buffer.from(body.toString('latin1').toUpperCase(), 'latin1');

  it('are never handed out when they changed on the way', async () => {
    const { digest } = await store.put(hello);
    s3.proxy.spoil('GET', { kind: 'pass' });
    s3.proxy.spoil('GET', { kind: 'changed', change: swapped });
    await expect(store.get(digest)).rejects.toMatchObject({ name: 'ArtifactCorrupt', digest });
    expect(await store.get(digest)).toEqual(hello);
  });

  it.each([
    ['shorter', (body: Buffer) => body.subarray(0, 5)],
    ['longer', longer],
    ['others', swapped],
  ])('are never handed out when they lie in the store, %s, and putting the good ones heals them', async (_, change) => {
    const address = s3.address();
    const one = s3.open({ address });
    const { digest } = await one.put(hello);
    const [path] = puts().map((seen) => seen.path);
    const objects = openS3Objects(address, () => ({ accessKeyId, secretAccessKey }));
    await objects.put(path?.split('/').slice(2).join('/') ?? '', change(Buffer.from(hello)));
    objects.close();
    await expect(one.get(digest)).rejects.toMatchObject({ name: 'ArtifactCorrupt', digest });
    expect(await one.put(hello)).toEqual({ digest, created: false });
    expect(await one.get(digest)).toEqual(hello);
  });
});

describe('On the wire', () => {
  it('twenty puts of the same bytes at once are one write', async () => {
    await Promise.all(Array.from({ length: 20 }, () => store.put(hello)));
    expect(puts()).toHaveLength(1);
  });

  it('those that come while it is being written share the next one, under another key', async () => {
    const first = store.put(hello);
    await expect.poll(() => puts().length).toBe(1);
    await Promise.all([first, ...Array.from({ length: 10 }, () => store.put(hello))]);
    expect(puts()).toHaveLength(2);
    expect(new Set(puts().map(({ path }) => path)).size).toBe(2);
  });

  it('nothing is sent that R2 refuses, the body is signed by its digest, and the region is auto', async () => {
    const large = new Uint8Array(3 * 1024 * 1024).fill(7);
    const { digest } = await store.put(large);
    expect(Buffer.compare((await store.get(digest)) ?? Buffer.alloc(0), large)).toBe(0);
    await store.remove(digest);
    const refused =
      /^(x-amz-(acl|grant|tagging|object-lock|checksum|sdk-checksum|trailer|storage-class|server-side)|expect$)/;
    for (const { headers } of s3.proxy.seen()) {
      expect(Object.keys(headers).filter((name) => refused.test(name))).toEqual([]);
      expect(headers['content-encoding']).toBeUndefined();
      expect(headers.authorization).toMatch(/Credential=S3RVER\/\d{8}\/auto\/s3\/aws4_request/);
    }
    expect(puts().map(({ headers, bytes }) => [headers['x-amz-content-sha256'], bytes])).toEqual([
      [digest, large.length],
    ]);
    expect(new Set(s3.proxy.seen().map(({ method }) => method))).toEqual(new Set(['GET', 'PUT', 'DELETE']));
  });

  it('a list goes on page after page, and knows its own objects from others', async () => {
    const address = s3.address();
    const own = s3.open({ address });
    const digests = new Set<string>();
    for (let index = 0; index < 5; index += 1) digests.add((await own.put(Uint8Array.of(index))).digest);
    const objects = openS3Objects(address, () => ({ accessKeyId, secretAccessKey }));
    await objects.put(`${address.prefix}sha256/read-me.txt`, hello);
    objects.close();
    s3.proxy.forget();
    s3.proxy.pages(2);
    const found = await collect(own.list());
    expect(new Set(found.map(({ digest }) => digest))).toEqual(digests);
    expect(found).toHaveLength(5);
    expect(s3.proxy.seen()).toHaveLength(3);
    s3.proxy.pages(1_000);
  });
});

describe('Looking whether the store can be used', () => {
  it('says nothing when it can, and leaves nothing behind', async () => {
    const address = s3.address();
    await s3.open({ address }).check();
    const objects = openS3Objects(address, () => ({ accessKeyId, secretAccessKey }));
    expect(await collect(objects.list(address.prefix))).toEqual([]);
    objects.close();
  });

  it.each<[string, () => S3Store, string, string]>([
    [
      'no server',
      () => s3.open({ address: s3.address({ endpoint: 'http://127.0.0.1:9' }) }),
      'unreachable',
      'endpoint',
    ],
    ['no such bucket', () => s3.open({ address: s3.address({ bucket: 'elsewhere' }) }), 'bucketMissing', 'Create it'],
    [
      'a key that nobody knows',
      () => s3.open({ credentials: () => ({ accessKeyId: 'AKIAWRONG', secretAccessKey }) }),
      'denied',
      'OPSLOG_S3_ACCESS_KEY_ID',
    ],
  ])('%s: one sentence says what to do, without credentials', async (_, open, reason, todo) => {
    const error = await failureOf(open().check());
    expect(error).toMatchObject(unavailable(reason));
    const shown = `${inspect(error, { depth: 10, showHidden: true })} ${JSON.stringify(error)}`;
    expect(shown).toContain(todo);
    expect(shown).not.toMatch(/AKIAWRONG|a-secret-that|Signature=|S3RVER/);
  });

  it.each([
    ['PUT', 'write to'],
    ['GET', 'list'],
    ['DELETE', 'delete from'],
  ])('a key that may not %s is found out', async (method, doing) => {
    await spoilt(
      method,
      { kind: 'answer', status: 403, body: '<Error><Code>AccessDenied</Code></Error>' },
      async () => {
        const error = await failureOf(store.check());
        expect(error).toMatchObject({
          ...unavailable('denied'),
          message: expect.stringContaining(`${doing} the bucket`),
        });
      },
    );
  });
});
