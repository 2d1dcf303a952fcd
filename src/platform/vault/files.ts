import { link, mkdir, open, readdir, rename, stat, unlink } from 'node:fs/promises';
import { dirname } from 'node:path';
import { contents, failsWith, hasCode, syncFolder, writeSynced } from '../artifacts/durable.ts';

/** The operations on files that keys need, each of which a crash may follow: a test stops the world before any of them. */
export type KeyFiles = {
  /** Undefined when it is not there. */
  read(path: string): Promise<Uint8Array | undefined>;
  /** A new file for its owner alone, its bytes on the disk. False when the name is taken. */
  write(path: string, bytes: Uint8Array | string): Promise<boolean>;
  /** Replaces `to`. False when `from` is not there. */
  rename(from: string, to: string): Promise<boolean>;
  /** False when `to` is there. */
  link(from: string, to: string): Promise<boolean>;
  /** False when it was not there. */
  unlink(path: string): Promise<boolean>;
  /** Writes zeros over its bytes, on the disk. Nothing happens when it is not there. */
  wipe(path: string): Promise<void>;
  /** Names in a folder; none when it is not there. */
  list(folder: string): Promise<readonly string[]>;
  has(path: string): Promise<boolean>;
  /** Permission bits; undefined when it is not there. */
  mode(path: string): Promise<number | undefined>;
  makeFolder(path: string): Promise<void>;
  /** Makes the names in a folder durable. */
  sync(folder: string): Promise<void>;
};

export const keyFiles: KeyFiles = {
  read: contents,
  write: async (path, bytes) => !(await failsWith(writeSynced(path, bytes, 0o600), 'EEXIST')),
  rename: async (from, to) => !(await failsWith(rename(from, to), 'ENOENT')),
  link: async (from, to) => !(await failsWith(link(from, to), 'EEXIST')),
  unlink: async (path) => !(await failsWith(unlink(path), 'ENOENT')),
  wipe: async (path) => {
    await failsWith(overwrite(path), 'ENOENT');
  },
  list: async (folder) => {
    try {
      return await readdir(folder);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return [];
      throw error;
    }
  },
  has: async (path) => !(await failsWith(stat(path), 'ENOENT')),
  mode: async (path) => {
    try {
      return (await stat(path)).mode & 0o777;
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  },
  makeFolder: async (path) => {
    // Names the first folder that it made: that one's parent has a new name to keep.
    const made = await mkdir(path, { recursive: true, mode: 0o700 });
    if (made !== undefined) await syncFolder(dirname(made));
  },
  sync: syncFolder,
};

const overwrite = async (path: string): Promise<void> => {
  const file = await open(path, 'r+');
  try {
    const { size } = await file.stat();
    await file.write(Buffer.alloc(size), 0, size, 0);
    await file.sync();
  } finally {
    await file.close();
  }
};
