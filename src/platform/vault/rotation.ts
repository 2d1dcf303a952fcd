import { join } from 'node:path';
import { surveyOf } from './dataKeyNames.ts';
import type { DataKeys } from './dataKeys.ts';
import type { KeyFiles } from './files.ts';
import type { Folders, KeyringParts } from './keyring.ts';
import { type MasterKey, MasterKeyMissing } from './masterKeys.ts';
import { shardsOf, sweep } from './shards.ts';
import { someAtOnce } from './someAtOnce.ts';

export type RotationProgress = { readonly version: number; readonly done: number; readonly total: number };

export type RotationOptions = {
  readonly onProgress?: (progress: RotationProgress) => Promise<void> | void;
  /** Ends it between two folders by throwing the reason; the next rotation goes on from there. */
  readonly signal?: AbortSignal;
};

export type Rotated = {
  /** What wraps every data key now, but for those in `unreadable`. */
  readonly version: number;
  readonly rewrapped: number;
  /** True when this finished a rotation that had been interrupted. */
  readonly resumed: boolean;
  /** Ids of data keys that do not open; they stay as they are. */
  readonly unreadable: readonly string[];
};

/** A folder waits for its names to be synced; others go on meanwhile. */
const foldersAtOnce = 4;
const keysAtOnce = 8;
/** Keys that others seal under the old version, in the moment of the change, are found by looking again. */
const passes = 3;

const markerPath = (folder: string, version: number) => join(folder, `${version}.rotating`);

/** The version that an unfinished rotation leads to. */
export const unfinishedIn = async (files: KeyFiles, masterFolder: string): Promise<number | undefined> => {
  const found = (await files.list(masterFolder)).map((name) => /^([1-9]\d{0,8})\.rotating$/.exec(name)?.[1]);
  const versions = found.flatMap((version) => (version === undefined ? [] : [Number(version)]));
  return versions.length === 0 ? undefined : Math.max(...versions);
};

/*
 * A marker first, then the new master key, then every data key, then the marker goes: whatever moment it is killed at, the
 * next call finds the marker and goes on. A data key is under its new version, durable, before the file of the old goes.
 * Several rotations at once do the same work twice and harm nothing: files are only added for a newer version.
 */
export const createRotation =
  (folders: Folders, parts: KeyringParts) =>
  async ({ onProgress, signal }: RotationOptions = {}): Promise<Rotated> => {
    const { files } = parts;
    const { master, resumed } = await begin(folders.master, parts);
    const unreadable = new Set<string>();
    let rewrapped = 0;
    for (let pass = 1; pass <= passes; pass += 1) {
      const work = await olderThan(master.version, folders.data, files, unreadable);
      const total = rewrapped + work.reduce((sum, { count }) => sum + count, 0);
      if (total === rewrapped && pass > 1) break;
      await someAtOnce(foldersAtOnce, work, async ({ shard }) => {
        signal?.throwIfAborted();
        const moved = await rewrapShard(shard, master, parts, unreadable);
        rewrapped += moved;
        await onProgress?.({ version: master.version, done: rewrapped, total });
      });
    }
    await files.unlink(markerPath(folders.master, master.version));
    await files.sync(folders.master);
    return { version: master.version, rewrapped, resumed, unreadable: [...unreadable] };
  };

const begin = async (
  folder: string,
  { files, masters }: KeyringParts,
): Promise<{ readonly master: MasterKey; readonly resumed: boolean }> => {
  const unfinished = await unfinishedIn(files, folder);
  const newest = (await masters.list()).find(({ status }) => status === 'inUse');
  if (!newest) throw new Error('There is no master key.');
  // Versions of the configuration are made there; this moves everything to the newest.
  const made = newest.source === 'configuration' ? newest.version : newest.version + 1;
  const version = Math.max(unfinished ?? 0, unfinished === undefined ? made : newest.version);
  await files.write(markerPath(folder, version), '');
  await files.sync(folder);
  if (version > newest.version) await masters.create(version);
  // An older marker is of a rotation that this one includes.
  if (unfinished !== undefined && unfinished < version) await files.unlink(markerPath(folder, unfinished));
  return { master: await masters.get(version), resumed: unfinished !== undefined };
};

type Work = { readonly shard: string; readonly count: number };

const olderThan = async (
  version: number,
  folder: string,
  files: KeyFiles,
  except: ReadonlySet<string>,
): Promise<readonly Work[]> => {
  const work: Work[] = [];
  for (const shard of await shardsOf(files, folder)) {
    const survey = surveyOf(await files.list(shard));
    const count = [...survey.living].filter(([id, each]) => each < version && !except.has(id)).length;
    if (count + survey.superseded.length + survey.undead.length > 0) work.push({ shard, count });
  }
  return work;
};

/** Answers how many keys it moved. */
const rewrapShard = async (
  shard: string,
  master: MasterKey,
  parts: KeyringParts,
  unreadable: Set<string>,
): Promise<number> => {
  const { files, dataKeys } = parts;
  const older = [...surveyOf(await files.list(shard)).living].filter(([, version]) => version < master.version);
  let moved = 0;
  await someAtOnce(keysAtOnce, older, async ([id, version]) => {
    const loaded = await read(dataKeys, id, version);
    if (loaded === 'gone') return;
    if (loaded === 'unreadable') {
      unreadable.add(id);
      return;
    }
    try {
      await dataKeys.put(id, loaded, master);
    } finally {
      loaded.fill(0);
    }
    moved += 1;
  });
  // It looks again: a key that was destroyed meanwhile may have come back, and goes.
  await sweep(parts, shard);
  return moved;
};

const read = async (dataKeys: DataKeys, id: string, version: number): Promise<Buffer | 'gone' | 'unreadable'> => {
  try {
    const peeked = await dataKeys.peek(id, version);
    if (peeked.ok) return peeked.key;
    // Half-wiped bytes are not authentic either: a key that was just destroyed is no cause for alarm.
    const loaded = await dataKeys.load(id);
    if (loaded.ok) return loaded.key;
    return loaded.code === 'not_authentic' ? 'unreadable' : 'gone';
  } catch (error) {
    if (error instanceof MasterKeyMissing) return 'unreadable';
    throw error;
  }
};
