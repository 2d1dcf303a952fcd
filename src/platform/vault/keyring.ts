import { surveyOf } from './dataKeyNames.ts';
import type { DataKeys } from './dataKeys.ts';
import type { KeyFiles } from './files.ts';
import type { MasterKeyRecord, MasterKeys } from './masterKeys.ts';
import { createRotation, type Rotated, type RotationOptions, unfinishedIn } from './rotation.ts';
import { eraseUndead, shardsOf, sweep } from './shards.ts';

export type ListedMasterKey = Omit<MasterKeyRecord, 'source'> & {
  /** `missing`: data keys need it, and it is nowhere. */
  readonly source: MasterKeyRecord['source'] | 'missing';
  /** The one that wraps new data keys. */
  readonly wraps: boolean;
  /** Living data keys that only this version opens. */
  readonly dataKeys: number;
};

export type KeyringList = {
  /** Newest first. */
  readonly masterKeys: readonly ListedMasterKey[];
  readonly destroyedDataKeys: number;
  /** The version that an interrupted, or running, rotation leads to. */
  readonly unfinishedRotation: number | null;
};

export type Retired =
  /** `configuration`: nothing needs it any more; taking it out of the configuration is the operator's. */
  | { readonly ok: true; readonly source: 'file' | 'configuration' }
  | { readonly ok: false; readonly code: 'unknown' | 'newest' }
  | { readonly ok: false; readonly code: 'used'; readonly dataKeys: number };

/** What an operator does with master keys. Readers and writers on all nodes go on meanwhile. */
export type Keyring = {
  list(): Promise<KeyringList>;
  /** Rewraps every data key with a new version, or with the newest of the configuration; finishes what was interrupted. */
  rotate(options?: RotationOptions): Promise<Rotated>;
  /** Destroys a version that no data key needs. */
  retire(version: number): Promise<Retired>;
  /** After an interrupted rotation: erases what has come back of destroyed keys. */
  settle(): Promise<void>;
};

export type Folders = { readonly master: string; readonly data: string };
export type KeyringParts = { readonly files: KeyFiles; readonly masters: MasterKeys; readonly dataKeys: DataKeys };

export const createKeyring = (folders: Folders, parts: KeyringParts): Keyring => {
  const { files, masters, dataKeys } = parts;
  const shards = () => shardsOf(files, folders.data);

  const list = async (): Promise<KeyringList> => {
    const records = await masters.list();
    const users = new Map<number, number>();
    let destroyedDataKeys = 0;
    for (const shard of await shards()) {
      const { living, destroyed } = surveyOf(await files.list(shard));
      destroyedDataKeys += destroyed.length;
      for (const version of living.values()) users.set(version, (users.get(version) ?? 0) + 1);
    }
    const known = new Set(records.map(({ version }) => version));
    const missing = [...users.keys()]
      .filter((version) => !known.has(version))
      .map((version) => ({ version, source: 'missing' as const, status: 'inUse' as const }));
    const newest = records.find(({ status }) => status === 'inUse')?.version;
    return {
      masterKeys: [...records, ...missing]
        .map((each) => ({ ...each, wraps: each.version === newest, dataKeys: users.get(each.version) ?? 0 }))
        .toSorted((a, b) => b.version - a.version),
      destroyedDataKeys,
      unfinishedRotation: (await unfinishedIn(files, folders.master)) ?? null,
    };
  };

  /** Removes what nobody needs; answers how many living keys need the version. */
  const usersAfterSweep = async (version: number): Promise<number> => {
    let users = 0;
    for (const shard of await shards()) {
      const { living } = await sweep(parts, shard);
      for (const each of living.values()) users += each === version ? 1 : 0;
    }
    return users;
  };

  const retire: Keyring['retire'] = async (version) => {
    const record = (await masters.list()).find((each) => each.version === version);
    if (!record) return { ok: false, code: 'unknown' };
    if ((await masters.newest())?.version === version) return { ok: false, code: 'newest' };
    const hasFile = await masters.withdraw(version);
    const users = await usersAfterSweep(version);
    if (users > 0) {
      if (hasFile) await masters.reinstate(version);
      return { ok: false, code: 'used', dataKeys: users };
    }
    if (hasFile) await masters.remove(version);
    return { ok: true, source: hasFile ? 'file' : 'configuration' };
  };

  const settle = async (): Promise<void> => {
    if ((await unfinishedIn(files, folders.master)) === undefined) return;
    for (const shard of await shards()) await eraseUndead(dataKeys, surveyOf(await files.list(shard)));
  };

  return { list, retire, settle, rotate: createRotation(folders, parts) };
};
