import { randomUUID } from 'node:crypto';
import { checkedDigest, isDigest, sha256 } from './digest.ts';
import { ArtifactCorrupt, ArtifactStoreUnavailable } from './errors.ts';
import type { ArtifactStore } from './port.ts';
import { createFlights } from './s3Flights.ts';
import type { Objects } from './s3Objects.ts';

/** An artifact larger than this is neither written nor read: it is held in memory as a whole. Bytes. */
export const maxArtifactBytes = 64 * 1024 * 1024;

/** One object that holds an artifact. Its key says what it holds and when its put began, and is written once only. */
type Copy = { readonly key: string; readonly digest: string; readonly touchedAt: number; readonly size: number };

export type S3Store = ArtifactStore & {
  /** Writes, lists, reads and removes a small object; throws ArtifactStoreUnavailable with what to do. */
  check(): Promise<void>;
  close(): void;
};

/**
 * Artifacts as objects `<prefix>sha256/<first two digits>/<digest>/<touched at>-<id>`: every put writes an object of its own
 * and then removes the older ones it saw. Object stores have no touch and no removal on condition that nothing has changed;
 * with a key per put neither is needed. A removal takes the very objects it has judged by the time in their keys, so
 * it cannot take what a put beside it wrote, in this process or another, and the newest object of an artifact is only ever
 * taken by a removal whose limit is not before it. This needs a store whose lists show what was written before
 * (S3, R2, MinIO, Ceph do). A key never sees a second write, so limits per key (R2: one a second) are not met.
 *
 * "Touched" is when a put began, by the clock of its process (`now`, milliseconds since the epoch); clocks of processes
 * that differ make a touch that much earlier or later. Two processes that put the same new bytes at once may both hear `created`, and
 * two that remove at once may both hear true. A put that fails may have written all the same.
 */
export const createS3Store = (objects: Objects, prefix: string, now: () => number = Date.now): S3Store => {
  const folder = `${prefix}sha256/`;
  const copiesOf = async (digest: string): Promise<readonly Copy[]> => {
    const copies: Copy[] = [];
    for await (const listed of objects.list(`${folder}${checkedDigest(digest).slice(0, 2)}/${digest}/`)) {
      const copy = copyOf(folder, listed);
      if (copy !== undefined) copies.push(copy);
    }
    return copies.sort(byAge);
  };

  const write = async (digest: string, bytes: Uint8Array, leave: () => void): Promise<boolean> => {
    const before = await copiesOf(digest);
    // A put that joined was called before this moment, so the time is right for all of them.
    leave();
    const key = `${folder}${digest.slice(0, 2)}/${digest}/${String(now()).padStart(timeDigits, '0')}-${randomUUID()}`;
    await objects.put(key, bytes);
    await removeOlder(objects, before, key, async () => {
      const after = await copiesOf(digest);
      return after.some((copy) => copy.key === key && copy.size === bytes.length);
    });
    return before.length === 0;
  };

  const flights = createFlights<boolean>();
  const put: ArtifactStore['put'] = async (bytes) => {
    if (bytes.length > maxArtifactBytes) throw new Error(`An artifact has ${maxArtifactBytes} bytes at most.`);
    const digest = sha256(bytes);
    const { first, flight } = flights.join(digest, (leave) => write(digest, bytes, leave));
    const created = await flight;
    return { digest, created: first && created };
  };

  const remove: ArtifactStore['remove'] = async (digest, options = {}) => {
    const limit = options.unlessTouchedAfter ?? Number.POSITIVE_INFINITY;
    const copies = await copiesOf(digest);
    if (copies.length === 0 || copies.some(({ touchedAt }) => touchedAt > limit)) return false;
    // The newest goes last: cut short, this leaves what was there.
    for (const { key } of copies) await objects.remove(key);
    return (await copiesOf(digest)).length === 0;
  };

  return {
    put,
    get: (digest) => read(objects, digest, () => copiesOf(digest)),
    has: async (digest) => (await copiesOf(digest)).length > 0,
    remove,
    list: () => listNewest(objects, folder),
    check: () => checkObjects(objects, `${prefix}checks/${randomUUID()}`),
    close: objects.close,
  };
};

const timeDigits = 15;
const keyPattern = /^(?<shard>[0-9a-f]{2})\/(?<digest>[0-9a-f]{64})\/(?<at>[0-9]{15})-[0-9a-f-]{36}$/;

/** Undefined for what somebody else put there. */
const copyOf = (folder: string, { key, size }: { key: string; size: number }): Copy | undefined => {
  const { digest = '', at = '' } = keyPattern.exec(key.slice(folder.length))?.groups ?? {};
  return isDigest(digest) ? { key, digest, touchedAt: Number(at), size } : undefined;
};

const byAge = (one: Copy, other: Copy): number => (one.key < other.key ? -1 : 1);

/** Only what is older than the object just written, and only when that is seen to be there. Not being able to is no failure of a put. */
const removeOlder = async (
  objects: Objects,
  before: readonly Copy[],
  key: string,
  isThere: () => Promise<boolean>,
): Promise<void> => {
  const older = before.filter((copy) => copy.key < key);
  if (older.length === 0) return;
  try {
    if (await isThere()) for (const copy of older) await objects.remove(copy.key);
  } catch {
    // The next put of these bytes, or their removal, takes them along.
  }
};

/** A put beside this read may replace the object between list and read; then there is a newer one. */
const looks = 5;

const read = async (
  objects: Objects,
  digest: string,
  copiesNow: () => Promise<readonly Copy[]>,
): Promise<Uint8Array | undefined> => {
  for (let look = 1; look <= looks; look += 1) {
    const copies = (await copiesNow()).toReversed();
    let replaced = false;
    let isCorrupt = false;
    for (const { key, size } of copies) {
      const bytes = size > maxArtifactBytes ? new Uint8Array() : await objects.get(key, size);
      if (bytes !== undefined && sha256(bytes) === digest) return bytes;
      isCorrupt ||= bytes !== undefined;
      replaced ||= bytes === undefined;
    }
    if (!replaced && isCorrupt) throw new ArtifactCorrupt(digest);
    if (!replaced) return undefined;
  }
  const said = `The artifact store lists ${digest} and has not had it ${looks} times when it was read.`;
  throw new ArtifactStoreUnavailable('unreachable', `${said} Check that its lists show what was written and removed.`);
};

async function* listNewest(objects: Objects, folder: string): ReturnType<ArtifactStore['list']> {
  let newest: Copy | undefined;
  // Keys come in order: the copies of an artifact one after the other, the newest last.
  for await (const listed of objects.list(folder)) {
    const copy = copyOf(folder, listed);
    if (copy === undefined) continue;
    if (newest !== undefined && newest.digest !== copy.digest) yield shown(newest);
    newest = copy;
  }
  if (newest !== undefined) yield shown(newest);
}

const shown = ({ digest, size, touchedAt }: Copy) => ({ digest, bytes: size, touchedAt });

const checkObjects = async (objects: Objects, key: string): Promise<void> => {
  const bytes = new TextEncoder().encode('Opslog looks whether it may write here.');
  await objects.put(key, bytes);
  for await (const _ of objects.list(key)) break;
  await objects.get(key, bytes.length);
  await objects.remove(key);
};
