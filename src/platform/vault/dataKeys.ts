import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Random } from '../clock/port.ts';
import { filesOf, isKeyId, keyPath, scratchPath, shardOf, tombstonePath, versionsOf } from './dataKeyNames.ts';
import type { KeyFiles } from './files.ts';
import { type MasterKey, MasterKeyMissing, type MasterKeys } from './masterKeys.ts';
import { unwrap, wrap } from './wrapping.ts';

export type LoadedKey =
  /** The caller wipes the key after use. */
  | { readonly ok: true; readonly key: Buffer }
  | { readonly ok: false; readonly code: 'destroyed' | 'missing' | 'not_authentic' };

/** Data keys in a folder that many nodes may share, each in a small file, wrapped by a master key. */
export type DataKeys = {
  /** A new key, durable. The caller wipes it after use. */
  create(): Promise<{ readonly id: string; readonly key: Uint8Array }>;
  /** Throws MasterKeyMissing when the key is there and its master key is not. */
  load(id: string): Promise<LoadedKey>;
  /** The same without looking for a tombstone, for a caller who does so later; looks under this version first. */
  peek(id: string, version: number): Promise<LoadedKey>;
  /** Writes the key under a master key, beside what is there. Its name is durable once its folder is synced. */
  put(id: string, key: Uint8Array, master: MasterKey): Promise<void>;
  /** Throws for what is no id. */
  destroy(id: string): Promise<void>;
  /** Wipes and removes every file of a key that has a tombstone. */
  erase(id: string): Promise<void>;
};

const tries = 8;

export type DataKeyOptions = { readonly files: KeyFiles; readonly random: Random; readonly masters: MasterKeys };

export const createDataKeys = (folder: string, { files, random, masters }: DataKeyOptions): DataKeys => {
  const shards = new Set<string>();
  const openShard = async (id: string): Promise<void> => {
    const shard = shardOf(folder, id);
    if (shards.has(shard)) return;
    await files.makeFolder(shard);
    // Another process may have made it and not have synced it yet.
    await files.sync(folder);
    shards.add(shard);
  };

  const put = async (id: string, key: Uint8Array, master: MasterKey): Promise<void> => {
    // What lies aside may be swept or destroyed by another process; unless the key is destroyed, it is written again.
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const aside = scratchPath(folder, id, master.version, randomUUID());
      await files.write(aside, wrap(id, key, master, random));
      if (await files.rename(aside, keyPath(folder, id, master.version))) return;
      if (await files.has(tombstonePath(folder, id))) return;
    }
    throw new Error(`The data key ${id} could not be written: its files are removed again and again.`);
  };

  const create: DataKeys['create'] = async () => {
    const id = Buffer.from(random.bytes(16)).toString('hex');
    const key = random.bytes(32);
    await openShard(id);
    for (let attempt = 1; attempt <= tries; attempt += 1) {
      const master = await masters.newest();
      if (!master) throw new Error('There is no master key.');
      await put(id, key, master);
      await files.sync(shardOf(folder, id));
      // Whoever retires a version withdraws it before looking for keys that use it: one of the two sees the other.
      if (await masters.isInUse(master.version)) return { id, key };
    }
    throw new Error('Master keys are retired faster than a data key can be written.');
  };

  const erase = async (id: string): Promise<void> => {
    const shard = shardOf(folder, id);
    for (const name of filesOf(await files.list(shard), id)) {
      await files.wipe(join(shard, name));
      await files.unlink(join(shard, name));
    }
    await files.sync(shard);
  };

  const destroy = async (id: string): Promise<void> => {
    if (!isKeyId(id)) throw new Error('A data key is named by 32 lower-case hex digits.');
    await openShard(id);
    // The tombstone first: whoever adds a file of this key meanwhile looks for it afterwards, and erases.
    await files.write(tombstonePath(folder, id), '');
    await files.sync(shardOf(folder, id));
    await erase(id);
  };

  const load: DataKeys['load'] = async (id) => {
    if (!isKeyId(id)) return { ok: false, code: 'missing' };
    const found = await find(folder, id, { files, masters, versions: masters.known() });
    // Last, so that nothing that was destroyed before this call is ever opened.
    if (!(await files.has(tombstonePath(folder, id)))) return found;
    if (found.ok) found.key.fill(0);
    return { ok: false, code: 'destroyed' };
  };

  const peek: DataKeys['peek'] = (id, version) => find(folder, id, { files, masters, versions: [version] });

  return { create, put, destroy, erase, load, peek };
};

type Where = { readonly files: KeyFiles; readonly masters: MasterKeys; readonly versions: readonly number[] };

/** A rotation may move the key to another version between two looks; then it is looked for again. */
const find = async (folder: string, id: string, where: Where): Promise<LoadedKey> => {
  const { files, masters } = where;
  let { versions } = where;
  let unseen = 0;
  let gone: MasterKeyMissing | undefined;
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    for (const version of versions) {
      const file = await files.read(keyPath(folder, id, version));
      if (!file) continue;
      const master = await masters.get(version).catch((error: unknown) => {
        if (!(error instanceof MasterKeyMissing)) throw error;
        gone = error;
        return undefined;
      });
      if (!master) continue;
      const key = unwrap(id, file, master);
      return key ? { ok: true, key } : { ok: false, code: 'not_authentic' };
    }
    versions = versionsOf(await files.list(shardOf(folder, id)), id);
    // A listing may miss a name that appears while another goes: only two in a row are believed.
    unseen = versions.length === 0 ? unseen + 1 : 0;
    if (unseen === 2) return { ok: false, code: 'missing' };
  }
  if (gone) throw gone;
  return { ok: false, code: 'missing' };
};
