import { byPath } from '../builder/paths.ts';
import type { SourceFile } from '../builder/port.ts';
import { readManifest } from '../builder/resolve.ts';

/** A package of the submission's node_modules, with those of its files that went into the bundle. */
export type BundledPackage = {
  readonly folder: string;
  readonly name: string;
  /** `''` when its package.json doesn't say. */
  readonly version: string;
  readonly licence: string;
  readonly purl: string;
  readonly files: readonly SourceFile[];
};

/** `a/node_modules/@scope/name/lib/x.js` → `a/node_modules/@scope/name`; undefined for a file of the worker's own. */
export const packageFolderOf = (path: string): string | undefined =>
  /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/@][^/]*(?=\/)/.exec(path)?.[0];

/** Sorted by folder; the same package may be there twice, in two versions or two places. */
export const packagesOf = (files: readonly SourceFile[], inputs: readonly string[]): readonly BundledPackage[] => {
  const present = new Map(files.map((file) => [file.path, file]));
  const used = new Map<string, SourceFile[]>();
  for (const file of inputs.flatMap((path) => present.get(path) ?? [])) {
    const folder = packageFolderOf(file.path);
    if (folder !== undefined) used.set(folder, [...(used.get(folder) ?? []), file]);
  }
  return [...used]
    .map(([folder, own]) => describe(folder, own, present))
    .toSorted((a, b) => (a.folder < b.folder ? -1 : 1));
};

const describe = (
  folder: string,
  files: readonly SourceFile[],
  present: ReadonlyMap<string, SourceFile>,
): BundledPackage => {
  const manifest = readManifest(present.get(`${folder}/package.json`)?.bytes);
  const installedAs = folder.slice(folder.lastIndexOf('node_modules/') + 'node_modules/'.length);
  const name = textOf(manifest?.['name']) || installedAs;
  const version = textOf(manifest?.['version']);
  return {
    folder,
    name,
    version,
    licence: textOf(manifest?.['license']),
    purl: npmPurl(name, version),
    files: files.toSorted(byPath),
  };
};

export const npmPurl = (name: string, version: string): string => {
  const path = name.split('/').map(encodeURIComponent).join('/');
  return `pkg:npm/${path}${version === '' ? '' : `@${encodeURIComponent(version)}`}`;
};

/** Half a surrogate pair, which no URL can hold, is replaced as UTF-8 encoders replace it. */
const textOf = (value: unknown): string =>
  typeof value === 'string' ? value.replaceAll(/\p{Surrogate}/gu, '\uFFFD') : '';
