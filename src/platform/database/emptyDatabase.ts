import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Beside this file in the bundle; in dist/ when this file is run from its source. */
const folders = ['./', '../../../dist/'].map((path) => fileURLToPath(new URL(path, import.meta.url)));
const shape = /^empty-database-[\w.-]+\.tar\.gz$/;

/** The empty PGlite folder that the build left, packed; undefined when there is none, and one is initialised instead. */
export const findEmptyDatabase = async (): Promise<Blob | undefined> => {
  for (const folder of folders) {
    const names = await readdir(folder).catch((): string[] => []);
    const name = names.find((each) => shape.test(each));
    if (name !== undefined) return new Blob([await readFile(join(folder, name))]);
  }
  return undefined;
};
