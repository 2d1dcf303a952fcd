import { createSecretKey, type KeyObject, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { Random } from '../clock/port.ts';
import type { KeyFiles } from './files.ts';

/** Wraps data keys. A KeyObject does not show its bytes when it is logged or serialised. */
export type MasterKey = { readonly version: number; readonly key: KeyObject };

/** A master key that is not what it should be, or that others may read. The message says what to do, and nothing of the key. */
export class MasterKeyUnusable extends Error {
  override readonly name = 'MasterKeyUnusable';
}

/** Something is wrapped by a version that is in no file and no configuration. */
export class MasterKeyMissing extends Error {
  override readonly name = 'MasterKeyMissing';
  readonly version: number;
  constructor(version: number) {
    super(`Version ${version} of the master key is not here. Restore its file from a backup, or configure it again.`);
    this.version = version;
  }
}

export type MasterKeyRecord = {
  readonly version: number;
  readonly source: 'file' | 'configuration';
  /** `retiring`: taken out of use, kept until it is certain that nothing needs it. */
  readonly status: 'inUse' | 'retiring';
};

/** The versions of the master key: those configured, and those in `<folder>/<version>.key`. The newest wraps. */
export type MasterKeys = {
  list(): Promise<readonly MasterKeyRecord[]>;
  /** Undefined when there is none at all. */
  newest(): Promise<MasterKey | undefined>;
  /** Throws MasterKeyMissing or MasterKeyUnusable. */
  get(version: number): Promise<MasterKey>;
  /** Newest first: those that this process has met. A guess where to look first, no more. */
  known(): readonly number[];
  /** False once the version has been taken out of use. */
  isInUse(version: number): Promise<boolean>;
  /** Makes the file of a version, unless it is there. */
  create(version: number): Promise<void>;
  /** Out of use, still readable. False for a version without a file. */
  withdraw(version: number): Promise<boolean>;
  /** The opposite of withdraw. */
  reinstate(version: number): Promise<void>;
  /** Destroys the file of a version that was withdrawn. */
  remove(version: number): Promise<void>;
};

const keyBytes = 32;

/** A version's bytes, copied into a KeyObject; the caller's are wiped. Undefined for another length. */
export const toMasterKey = (version: number, bytes: Uint8Array): MasterKey | undefined => {
  const key = bytes.length === keyBytes ? createSecretKey(bytes) : undefined;
  bytes.fill(0);
  return key && { version, key };
};

export const createMasterKeys = (
  folder: string,
  options: { readonly files: KeyFiles; readonly random: Random; readonly configured: readonly MasterKey[] },
): MasterKeys => {
  const { files, random } = options;
  const configured = new Map(options.configured.map((each) => [each.version, each]));
  const loaded = new Map<number, MasterKey>(configured);
  const pathOf = (version: number, ending: 'key' | 'retiring') => join(folder, `${version}.${ending}`);

  const list = async (): Promise<readonly MasterKeyRecord[]> => {
    const inFiles = (await files.list(folder)).flatMap((name): MasterKeyRecord[] => {
      const [, version, ending] = /^([1-9]\d{0,8})\.(key|retiring)$/.exec(name) ?? [];
      if (version === undefined) return [];
      return [{ version: Number(version), source: 'file', status: ending === 'key' ? 'inUse' : 'retiring' }];
    });
    const records = [...configured.keys()].map(
      (version): MasterKeyRecord => ({ version, source: 'configuration', status: 'inUse' }),
    );
    return [...inFiles.filter(({ version }) => !configured.has(version)), ...records].toSorted(
      (a, b) => b.version - a.version,
    );
  };

  const load = async (version: number): Promise<MasterKey | undefined> => {
    for (const ending of ['key', 'retiring', 'key'] as const) {
      const path = pathOf(version, ending);
      const mode = await files.mode(path);
      if (mode === undefined) continue;
      if (process.platform !== 'win32' && (mode & 0o077) !== 0) {
        throw new MasterKeyUnusable(
          `Others may read the master key ${path}. If nobody did, run: chmod 600 ${path}; otherwise rotate and retire it, too.`,
        );
      }
      const bytes = await files.read(path);
      if (bytes === undefined) continue;
      const key = toMasterKey(version, bytes);
      if (!key) throw new MasterKeyUnusable(`The master key ${path} must have 32 bytes. Restore it from a backup.`);
      return key;
    }
    return undefined;
  };

  const get = async (version: number): Promise<MasterKey> => {
    const key = loaded.get(version) ?? (await load(version));
    if (!key) throw new MasterKeyMissing(version);
    // Another process may have made it and not have synced it yet: it is durable before it wraps anything.
    if (!loaded.has(version)) await files.sync(folder);
    loaded.set(version, key);
    return key;
  };

  const create = async (version: number): Promise<void> => {
    const scratch = join(folder, `.${version}.${randomUUID()}`);
    const bytes = random.bytes(keyBytes);
    try {
      await files.write(scratch, bytes);
      // Linked, so that of several processes that make a version at once one does, and nobody loads half a key.
      await files.link(scratch, pathOf(version, 'key'));
    } finally {
      bytes.fill(0);
      await files.unlink(scratch);
    }
    await files.sync(folder);
  };

  const move = async (version: number, from: 'key' | 'retiring', to: 'key' | 'retiring'): Promise<boolean> => {
    const moved = await files.rename(pathOf(version, from), pathOf(version, to));
    await files.sync(folder);
    return moved;
  };

  return {
    list,
    get,
    create,
    newest: async () => {
      const newest = (await list()).find(({ status }) => status === 'inUse');
      return newest && get(newest.version);
    },
    known: () => [...loaded.keys()].toSorted((a, b) => b - a),
    isInUse: async (version) => configured.has(version) || files.has(pathOf(version, 'key')),
    withdraw: async (version) =>
      !configured.has(version) && ((await move(version, 'key', 'retiring')) || files.has(pathOf(version, 'retiring'))),
    reinstate: async (version) => {
      await move(version, 'retiring', 'key');
    },
    remove: async (version) => {
      await files.wipe(pathOf(version, 'retiring'));
      await files.unlink(pathOf(version, 'retiring'));
      await files.sync(folder);
      loaded.delete(version);
    },
  };
};
