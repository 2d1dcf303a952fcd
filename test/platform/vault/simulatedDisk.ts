import { dirname } from 'node:path';
import type { KeyFiles } from '../../../src/platform/vault/files.ts';

/** Thrown by every operation from the one on at which the process is killed. */
export class Killed extends Error {
  override readonly name = 'Killed';
}

type File = { bytes: Uint8Array };
type Change = { readonly folder: string; readonly apply: (names: Map<string, File>) => void };

export type SimulatedDisk = {
  /** The files as one process sees them. `before` is called, and awaited, ahead of every operation; it may throw. */
  files(before?: (operation: string) => Promise<void> | void): KeyFiles;
  /** Names that were never synced are lost or kept, as `keep` decides for each change: a disk promises no more. */
  cutPower(keep: () => boolean): void;
  copy(): SimulatedDisk;
  /** What would be there if the power went now and took every name that was not synced. */
  copyAfterPowerCut(): SimulatedDisk;
  paths(): readonly string[];
};

/**
 * A disk in memory that forgets. Bytes are durable when `write` or `wipe` returns, as those sync; a changed name only after
 * its folder was synced. Several processes may use it at once.
 */
export const simulatedDisk = (start: ReadonlyMap<string, File> = new Map()): SimulatedDisk => {
  let names = copyOf(start);
  let durable = new Map(names);
  let pending: Change[] = [];

  const change = (folder: string, apply: Change['apply']): void => {
    apply(names);
    pending.push({ folder, apply });
  };
  const settle = (isKept: (change: Change) => boolean, isDropped: boolean): void => {
    for (const each of pending) if (isKept(each)) each.apply(durable);
    pending = isDropped ? [] : pending.filter((each) => !isKept(each));
  };

  const disk: KeyFiles = {
    read: async (path) => names.get(path)?.bytes.slice(),
    write: async (path, bytes) => {
      if (names.has(path)) return false;
      const file = { bytes: new Uint8Array(Buffer.from(bytes)) };
      change(dirname(path), (to) => to.set(path, file));
      return true;
    },
    rename: async (from, to) => {
      const file = names.get(from);
      if (!file) return false;
      change(dirname(from), (all) => {
        all.delete(from);
        all.set(to, file);
      });
      return true;
    },
    link: async (from, to) => {
      const file = names.get(from);
      if (!file) throw new Error(`${from} is not there`);
      if (names.has(to)) return false;
      change(dirname(to), (all) => all.set(to, file));
      return true;
    },
    unlink: async (path) => {
      const isThere = names.has(path);
      if (isThere) change(dirname(path), (all) => all.delete(path));
      return isThere;
    },
    wipe: async (path) => {
      names.get(path)?.bytes.fill(0);
    },
    list: async (folder) => {
      const below = [...names.keys()].filter((path) => path.startsWith(`${folder}/`));
      return [...new Set(below.map((path) => path.slice(folder.length + 1).split('/')[0] ?? ''))];
    },
    has: async (path) => names.has(path),
    mode: async (path) => (names.has(path) ? 0o600 : undefined),
    makeFolder: async () => {},
    sync: async (folder) => settle((each) => each.folder === folder, false),
  };

  return {
    files: (before = () => {}) => watched(disk, before),
    cutPower: (keep) => {
      settle(keep, true);
      names = copyOf(durable);
      durable = new Map(names);
    },
    copy: () => simulatedDisk(names),
    copyAfterPowerCut: () => simulatedDisk(durable),
    paths: () => [...names.keys()],
  };
};

/** Links stay links: two names of one file are two names of one copy. */
const copyOf = (names: ReadonlyMap<string, File>): Map<string, File> => {
  const copies = new Map<File, File>();
  return new Map(
    [...names].map(([path, file]) => {
      const copy = copies.get(file) ?? { bytes: file.bytes.slice() };
      copies.set(file, copy);
      return [path, copy];
    }),
  );
};

/** The same files with something ahead of every operation. */
export const watched = (files: KeyFiles, before: (operation: string) => Promise<void> | void): KeyFiles => {
  const step = async <Result>(name: string, operation: () => Promise<Result>): Promise<Result> => {
    await before(name);
    return operation();
  };
  return {
    read: (path) => step(`read ${path}`, () => files.read(path)),
    write: (path, bytes) => step(`write ${path}`, () => files.write(path, bytes)),
    rename: (from, to) => step(`rename ${to}`, () => files.rename(from, to)),
    link: (from, to) => step(`link ${to}`, () => files.link(from, to)),
    unlink: (path) => step(`unlink ${path}`, () => files.unlink(path)),
    wipe: (path) => step(`wipe ${path}`, () => files.wipe(path)),
    list: (folder) => step(`list ${folder}`, () => files.list(folder)),
    has: (path) => step(`has ${path}`, () => files.has(path)),
    mode: (path) => step(`mode ${path}`, () => files.mode(path)),
    makeFolder: (path) => step(`makeFolder ${path}`, () => files.makeFolder(path)),
    sync: (folder) => step(`sync ${folder}`, () => files.sync(folder)),
  };
};

/** Counts operations, and kills whoever does them ahead of the one with this number (from 0). */
export const killer = (at = Number.POSITIVE_INFINITY) => {
  let count = 0;
  return {
    count: () => count,
    before: (): void => {
      count += 1;
      if (count > at) throw new Killed();
    },
  };
};
