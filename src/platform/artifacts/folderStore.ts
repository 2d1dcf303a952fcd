import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { checkedDigest, isDigest, sha256 } from './digest.ts';
import { contents, describeFile, failsWith, hasCode, syncFolder, touch, touchedAt, writeSynced } from './durable.ts';
import { ArtifactCorrupt } from './errors.ts';
import { park, parkedContents, restoreParked, settleParked } from './parking.ts';
import type { ArtifactStore } from './port.ts';

const isShard = (text: string): boolean => /^[0-9a-f]{2}$/.test(text);

/**
 * Artifacts in `<dir>/<first two digits>/<digest>`. Several processes may share the folder: a file appears there by a link
 * from a synced temporary file and leaves by a rename, so nobody ever sees half of one. `now` is milliseconds since the epoch.
 */
export const openFolderStore = async (dir: string, now: () => number = Date.now): Promise<ArtifactStore> => {
  const temporary = join(dir, 'tmp');
  await mkdir(temporary, { recursive: true });
  await Promise.all((await readdir(temporary)).map((name) => rm(join(temporary, name), { force: true })));
  for (const shard of (await readdir(dir)).filter(isShard)) await restoreParked(join(dir, shard));

  const pathOf = (digest: string): string => join(dir, checkedDigest(digest).slice(0, 2), digest);

  const write = async (digest: string, bytes: Uint8Array): Promise<boolean> => {
    const path = pathOf(digest);
    if (await mkdir(join(dir, digest.slice(0, 2)), { recursive: true })) await syncFolder(dir);
    await mkdir(temporary, { recursive: true });
    const scratch = join(temporary, `${digest}.${randomUUID()}`);
    await writeSynced(scratch, bytes);
    await touch(scratch, now());
    try {
      const there = await failsWith(link(scratch, path), 'EEXIST');
      if (there) await keepExisting(path, scratch, bytes, now());
      return !there;
    } finally {
      await rm(scratch, { force: true });
      await syncFolder(join(dir, digest.slice(0, 2)));
    }
  };

  const put = async (bytes: Uint8Array): Promise<{ digest: string; created: boolean }> => {
    const digest = sha256(bytes);
    // A file may be swept or removed between two steps by another process; then the steps are simply done again.
    for (let attempt = 1; ; attempt += 1) {
      try {
        return { digest, created: await write(digest, bytes) };
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt === 5) throw error;
      }
    }
  };

  const get = async (digest: string): Promise<Uint8Array | undefined> => {
    const path = pathOf(digest);
    // Looked for once more at the end: it may have been put back from parking between the first two looks.
    const bytes = (await contents(path)) ?? (await parkedContents(path)) ?? (await contents(path));
    if (bytes !== undefined && sha256(bytes) !== digest) throw new ArtifactCorrupt(digest);
    return bytes;
  };

  const remove: ArtifactStore['remove'] = async (digest, options = {}) => {
    const path = pathOf(digest);
    const limit = options.unlessTouchedAfter ?? Number.POSITIVE_INFINITY;
    const touched = await touchedAt(path);
    if (touched === undefined || touched > limit) return false;
    const parked = await park(path);
    const removed = parked !== undefined && (await settleParked(parked, limit));
    await syncFolder(join(dir, digest.slice(0, 2)));
    return removed;
  };

  return {
    put,
    get,
    has: async (digest) => (await touchedAt(pathOf(digest))) !== undefined,
    remove,
    list: () => listFolder(dir),
  };
};

async function* listFolder(dir: string): ReturnType<ArtifactStore['list']> {
  for (const shard of (await readdir(dir)).filter(isShard).toSorted()) {
    for (const digest of (await readdir(join(dir, shard))).filter(isDigest).toSorted()) {
      const found = await describeFile(join(dir, shard, digest));
      if (found !== undefined) yield { digest, ...found };
    }
  }
}

/** What is there already is touched; should its bytes have rotted, the good ones take their place. */
const keepExisting = async (path: string, scratch: string, bytes: Uint8Array, at: number): Promise<void> => {
  const present = await contents(path);
  if (present !== undefined && Buffer.compare(present, bytes) !== 0) await rename(scratch, path);
  await touch(path, at);
};
