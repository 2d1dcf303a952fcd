import { readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { pack as createTar } from 'tar-stream';
import { Failure } from '../failure.ts';
import { alwaysIgnored, type Ignore, parseIgnore } from './ignore.ts';
import { neededPackages } from './packages.ts';

export type Package = {
  readonly archive: Uint8Array;
  readonly files: readonly string[];
  /** Unpacked bytes. */
  readonly bytes: number;
  readonly leftOut: readonly { readonly path: string; readonly why: string }[];
  /** Dependencies that package.json names and node_modules lacks. */
  readonly missing: readonly string[];
};

/** As many as a submission may have, with room for a clear message from the server about the first too many. */
const mostFiles = 2_000;
const mostBytes = 32 * 1024 * 1024;

/** Packs a folder as tar.gz: the same files give the same bytes, whatever machine and day. */
export const packFolder = async (folder: string): Promise<Package> => {
  const root = await stat(folder).catch(() => undefined);
  if (!root?.isDirectory()) throw new Failure(`There is no folder ${folder}.`, { code: 'folder_missing' });
  const files: { readonly path: string; readonly bytes: Uint8Array }[] = [];
  const leftOut: { path: string; why: string }[] = [];
  const ignored = await ignoreOf(folder);
  const packages = await neededPackages(folder);
  let bytes = 0;

  const add = async (path: string): Promise<void> => {
    const content = await readFile(join(folder, path));
    if (!isText(content)) {
      leftOut.push({ path, why: 'not text' });
      return;
    }
    bytes += content.length;
    files.push({ path, bytes: content });
    if (files.length > mostFiles || bytes > mostBytes) throw tooLarge(folder);
  };
  const walk = async (
    parent: string,
    reason: (path: string, isFolder: boolean) => string | undefined,
  ): Promise<void> => {
    const entries = await readdir(join(folder, parent), { withFileTypes: true });
    for (const entry of entries.toSorted((a, b) => compare(a.name, b.name))) {
      const path = parent ? `${parent}/${entry.name}` : entry.name;
      const why = entry.isSymbolicLink() ? 'a link' : reason(path, entry.isDirectory());
      if (why !== undefined) {
        if (why !== '') leftOut.push({ path: entry.isDirectory() ? `${path}/` : path, why });
      } else if (entry.isDirectory()) await walk(path, reason);
      else if (entry.isFile()) await add(path);
    }
  };
  await walk('', ignored);
  for (const each of packages.folders) await walk(each, packageReason);
  const sorted = files.toSorted((a, b) => compare(a.path, b.path));
  const archive = await toTarGz(sorted);
  return { archive, files: sorted.map(({ path }) => path), bytes, leftOut, missing: packages.missing };
};

/** Why a path stays behind; undefined when it comes along. */
const ignoreOf = async (folder: string): Promise<(path: string, isFolder: boolean) => string | undefined> => {
  const own = await readIgnore(folder, '.opslogignore');
  const rules = own ?? (await readIgnore(folder, '.gitignore'));
  const name = own ? '.opslogignore' : '.gitignore';
  return (path, isFolder) => {
    if (alwaysIgnored(path, isFolder)) return path === '.git' ? '' : 'never sent';
    return rules?.(path, isFolder) ? `named in ${name}` : undefined;
  };
};

const readIgnore = async (folder: string, name: string): Promise<Ignore | undefined> => {
  const text = await readFile(join(folder, name), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : parseIgnore(text);
};

const packageFile = /(?:^|\/)package\.json$|\.(?:js|mjs|cjs|jsx|ts|mts|cts|tsx|json|txt)$/;
const packageLitter = /\.d\.[mc]?ts$|\.map$|(?:^|\/)(?:test|tests|__tests__)$/;

/** Of a package only what a bundler can use comes along; the rest is not worth a line of its own. */
const packageReason = (path: string, isFolder: boolean): string | undefined => {
  if (path.endsWith('/node_modules') || packageLitter.test(path)) return '';
  return isFolder || packageFile.test(path) ? undefined : '';
};

const strictText = new TextDecoder('utf-8', { fatal: true });

const isText = (bytes: Uint8Array): boolean => {
  try {
    strictText.decode(bytes);
    return true;
  } catch {
    return false;
  }
};

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

const tooLarge = (folder: string): Failure =>
  new Failure(`${folder} holds far more than a worker may have.`, {
    code: 'folder_too_large',
    hint: 'Name what does not belong to the worker in a file .opslogignore.',
  });

const compress = promisify(gzip);

const toTarGz = async (
  files: readonly { readonly path: string; readonly bytes: Uint8Array }[],
): Promise<Uint8Array> => {
  const tar = createTar();
  for (const { path, bytes } of files) {
    tar.entry({ name: path, mode: 0o644, mtime: new Date(0), size: bytes.length }, Buffer.from(bytes));
  }
  tar.finalize();
  const packed = await compress(await buffer(tar));
  // The header's operating system field is the only byte that differs between machines.
  packed[9] = 255;
  return packed;
};
