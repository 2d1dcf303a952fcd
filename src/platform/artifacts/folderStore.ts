import { createHash, randomUUID } from 'node:crypto';
import { access, link, mkdir, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder, writeSynced } from './durable.ts';
import type { ArtifactStore } from './port.ts';

/** The bytes under this name are not what the name says; they are left in place for whoever looks into it. */
export class ArtifactCorrupt extends Error {
  override readonly name = 'ArtifactCorrupt';
  readonly digest: string;
  constructor(digest: string) {
    super(`The artifact ${digest} does not match its digest.`);
    this.digest = digest;
  }
}

/** A digest is 64 lower-case hex digits; anything else could smuggle a path. */
export class ArtifactDigestInvalid extends Error {
  override readonly name = 'ArtifactDigestInvalid';
}

const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);
const isShard = (text: string): boolean => /^[0-9a-f]{2}$/.test(text);
const PARKED = '.removing';

/**
 * Artifacts in `<dir>/<first two digits>/<digest>`. Several processes may share the folder: a file appears there by a link
 * from a synced temporary file and leaves by a rename, so nobody ever sees half of one. `now` is milliseconds since the epoch.
 */
export const openFolderStore = async (dir: string, now: () => number = Date.now): Promise<ArtifactStore> => {
  const temporary = join(dir, 'tmp');
  await mkdir(temporary, { recursive: true });
  await Promise.all((await readdir(temporary)).map((name) => rm(join(temporary, name), { force: true })));
  await restoreParked(dir);

  const pathOf = (digest: string): string => {
    if (!isDigest(digest)) throw new ArtifactDigestInvalid('An artifact is named by 64 lower-case hex digits.');
    return join(dir, digest.slice(0, 2), digest);
  };

  const write = async (digest: string, bytes: Uint8Array): Promise<boolean> => {
    const path = pathOf(digest);
    if (await mkdir(join(dir, digest.slice(0, 2)), { recursive: true })) await syncFolder(dir);
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
        const created = await write(digest, bytes);
        await access(pathOf(digest));
        return { digest, created };
      } catch (error) {
        if (!hasCode(error, 'ENOENT') || attempt === 5) throw error;
      }
    }
  };

  const get = async (digest: string): Promise<Uint8Array | undefined> => {
    const path = pathOf(digest);
    // A removal that turns out to be too early parks the file for a moment and puts it back.
    const bytes = (await contents(path)) ?? (await contents(path + PARKED)) ?? (await contents(path));
    if (bytes !== undefined && sha256(bytes) !== digest) throw new ArtifactCorrupt(digest);
    return bytes;
  };

  const remove: ArtifactStore['remove'] = async (digest, options = {}) => {
    const path = pathOf(digest);
    const limit = options.unlessTouchedAfter ?? Number.POSITIVE_INFINITY;
    const before = await touchedAt(path);
    if (before === undefined || before > limit) return false;
    // Parked first and judged again: a put that touched it in between finds it gone, or is found here.
    if (await failsWith(rename(path, path + PARKED), 'ENOENT')) return false;
    const after = await touchedAt(path + PARKED);
    const keep = after !== undefined && after > limit;
    if (keep) await failsWith(link(path + PARKED, path), 'EEXIST');
    await rm(path + PARKED, { force: true });
    await syncFolder(join(dir, digest.slice(0, 2)));
    return !keep;
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
      const found = await stat(join(dir, shard, digest)).catch(missing);
      if (found !== undefined) yield { digest, bytes: found.size, touchedAt: Math.round(found.mtimeMs) };
    }
  }
}

/** A crash in the middle of a removal leaves the file parked; putting it back lets the removal be decided anew. */
const restoreParked = async (dir: string): Promise<void> => {
  for (const shard of (await readdir(dir)).filter(isShard)) {
    for (const name of (await readdir(join(dir, shard))).filter((entry) => entry.endsWith(PARKED))) {
      const parked = join(dir, shard, name);
      if (await failsWith(link(parked, parked.slice(0, -PARKED.length)), 'EEXIST', 'ENOENT')) continue;
      await rm(parked, { force: true });
    }
  }
};

/** What is there already is touched; should its bytes have rotted, the good ones take their place. */
const keepExisting = async (path: string, scratch: string, bytes: Uint8Array, at: number): Promise<void> => {
  const present = await contents(path);
  if (present !== undefined && Buffer.compare(present, bytes) !== 0) await rename(scratch, path);
  await touch(path, at);
};

const touch = (path: string, at: number): Promise<void> => utimes(path, new Date(at), new Date(at));

const touchedAt = async (path: string): Promise<number | undefined> => {
  const found = await stat(path).catch(missing);
  return found === undefined ? undefined : Math.round(found.mtimeMs);
};

const contents = async (path: string): Promise<Uint8Array | undefined> => {
  const bytes = await readFile(path).catch(missing);
  return bytes === undefined ? undefined : new Uint8Array(bytes);
};

const missing = (error: unknown): undefined => {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
};

/** True when the operation failed with one of these codes, false when it succeeded; other failures are thrown. */
const failsWith = async (operation: Promise<unknown>, ...codes: readonly string[]): Promise<boolean> => {
  try {
    await operation;
    return false;
  } catch (error) {
    if (hasCode(error, ...codes)) return true;
    throw error;
  }
};
