import * as fs from 'node:fs';
import { mkdir, open, readdir, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { failsWith, hasCode, syncFolder } from '../artifacts/durable.ts';

// A rotation does little else than these; as promisified callbacks they cost half of what file handles do.
const call = {
  open: promisify(fs.open),
  write: promisify(fs.write),
  fsync: promisify(fs.fsync),
  close: promisify(fs.close),
  readFile: promisify(fs.readFile),
  access: promisify(fs.access),
  rename: promisify(fs.rename),
  link: promisify(fs.link),
  unlink: promisify(fs.unlink),
};

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
  read: async (path) => {
    try {
      return await call.readFile(path);
    } catch (error) {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    }
  },
  write: async (path, bytes) => !(await failsWith(writeSynced(path, Buffer.from(bytes)), 'EEXIST')),
  rename: async (from, to) => !(await failsWith(call.rename(from, to), 'ENOENT')),
  link: async (from, to) => !(await failsWith(call.link(from, to), 'EEXIST')),
  unlink: async (path) => !(await failsWith(call.unlink(path), 'ENOENT')),
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
  has: async (path) => !(await failsWith(call.access(path, fs.constants.F_OK), 'ENOENT')),
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

const writeSynced = async (path: string, bytes: Buffer): Promise<void> => {
  const file = await call.open(path, 'wx', 0o600);
  try {
    for (let done = 0; done < bytes.length; ) {
      const { bytesWritten } = await call.write(file, bytes, done, bytes.length - done, done);
      done += bytesWritten;
    }
    await call.fsync(file);
  } finally {
    bytes.fill(0);
    await call.close(file);
  }
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
