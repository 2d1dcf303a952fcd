import { existsSync } from 'node:fs';
import { mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { openStore } from '../eventstore/store.ts';
import { copyFileHashed, syncTree } from './files.ts';
import type { Manifest } from './manifest.ts';
import { readMarker, writeMarker } from './marker.ts';
import { placeVaultKeys, type VaultKeys } from './vaultKeys.ts';

export type RestoreFolders = {
  readonly dataDir: string;
  /** Holds artifacts and keys; the data folder itself when nodes share none. */
  readonly sharedDir: string;
};

/** What is in the way of a restore; undefined for a folder that can be written. */
export const obstacleIn = async ({ dataDir }: RestoreFolders): Promise<string | undefined> => {
  if (!existsSync(dataDir)) return undefined;
  if ((await readMarker(dataDir).catch(() => undefined))?.status === 'writing') return undefined;
  const names = (await readdir(dataDir)).filter((name) => !/^owner-.*\.sock$/.test(name));
  return names.length === 0 ? undefined : names.slice(0, 5).join(', ');
};

/** Names of what a backup holds, and of what a start makes beside it. */
const ours = ['eventstore', 'artifacts', 'keys', 'node-id'] as const;

/**
 * Writes a checked backup into a folder that is empty, or holds half of a restore. Until it is done the folder says so, and
 * no process serves it. Throws when a file changed since it was checked.
 */
export const restoreInto = async (
  { dataDir, sharedDir }: RestoreFolders,
  backup: string,
  manifest: Manifest,
  { restoreId, keys, onFile }: { restoreId: string; keys: VaultKeys | undefined; onFile: (done: number) => void },
): Promise<void> => {
  const { backupId, position } = manifest;
  await mkdir(dataDir, { recursive: true, mode: 0o700 });
  await writeMarker(dataDir, { status: 'writing', restoreId, backupId, position });
  for (const name of ours) await rm(join(dataDir, name), { recursive: true, force: true });
  const placeOf = (path: string): string => join(/^(artifacts|keys)\//.test(path) ? sharedDir : dataDir, path);
  let done = 0;
  for (const { path, sha256 } of manifest.files) {
    await place(join(backup, path), placeOf(path), sha256);
    done += 1;
    onFile(done);
  }
  if (keys) await placeVaultKeys(join(sharedDir, 'keys'), keys);
  await checkLog(join(dataDir, 'eventstore'), manifest);
  await syncTree(dataDir);
  if (sharedDir !== dataDir) await syncTree(sharedDir);
  await writeMarker(dataDir, { status: 'written', restoreId, backupId, position });
};

const place = async (from: string, to: string, sha256: string): Promise<void> => {
  // In a folder that nodes share it may be there already; the same name with other bytes is somebody else's.
  if (existsSync(to)) {
    if (!(await readFile(from)).equals(await readFile(to))) throw new Error(`${to} is there, with other contents.`);
    return;
  }
  const copied = await copyFileHashed(from, to);
  if (copied.sha256 !== sha256) throw new Error(`${from} has changed since it was checked.`);
};

const checkLog = async (folder: string, { position, events }: Manifest): Promise<void> => {
  const store = await openStore(folder);
  const head = store.head();
  await store.close();
  await rm(join(folder, 'lock.mdb'), { force: true });
  if (BigInt(head) !== BigInt(position)) {
    throw new Error(`The restored log ends at ${head}; its manifest says ${position}, with ${events} events.`);
  }
};
