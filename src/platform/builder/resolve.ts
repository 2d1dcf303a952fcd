import { posix } from 'node:path';
import { decodeText } from './collect.ts';
import { isRecord, type Json, lookUpSubpath } from './packageExports.ts';
import type { SourceFile } from './port.ts';

export type ImportKind = 'import' | 'require';
export type Resolution =
  | { readonly found: string }
  | { readonly external: string }
  /** `text` completes "Could not resolve …"; `hint` is a way out. */
  | { readonly unresolved: string; readonly hint: string };
export type Resolve = (specifier: string, importer: string, kind: ImportKind) => Resolution;

const extensions = ['.ts', '.tsx', '.mts', '.js', '.mjs', '.jsx', '.cjs', '.json', '.txt'];
/** TypeScript sources name the JavaScript file they will become. */
const rewrites: ReadonlyMap<string, readonly string[]> = new Map([
  ['.js', ['.ts', '.tsx']],
  ['.jsx', ['.tsx']],
  ['.mjs', ['.mts']],
]);

/** Fixed here rather than asked of Node, so that the same submission builds the same under every version of Node. */
const nodeModules = new Set(
  (
    'assert async_hooks buffer child_process cluster console constants crypto dgram diagnostics_channel dns domain events fs ' +
    'http http2 https inspector module net os path perf_hooks process punycode querystring readline repl sqlite stream ' +
    'string_decoder sys test timers tls trace_events tty url util v8 vm wasi worker_threads zlib'
  ).split(' '),
);

/**
 * Resolves imports among the files of one submission and nowhere else. `cloudflare:*` and, with the nodejs_compat flag,
 * Node's own modules are left to the runtime.
 */
export const createResolver = (files: readonly SourceFile[], compatibilityFlags: readonly string[]): Resolve => {
  const present = new Map(files.map((file) => [file.path, file.bytes]));
  const manifests = new Map<string, Json | undefined>();

  const manifestOf = (folder: string): Json | undefined => {
    if (!manifests.has(folder)) manifests.set(folder, readManifest(present.get(join(folder, 'package.json'))));
    return manifests.get(folder);
  };

  const findFile = (path: string): string | undefined => {
    if (present.has(path)) return path;
    const extension = posix.extname(path);
    const stem = path.slice(0, path.length - extension.length);
    const rewritten = (rewrites.get(extension) ?? []).map((other) => stem + other);
    return [...rewritten, ...extensions.map((other) => path + other)].find((candidate) => present.has(candidate));
  };

  const findFolder = (path: string): string | undefined => {
    const manifest = manifestOf(path);
    for (const field of ['module', 'main']) {
      const main = manifest?.[field];
      if (typeof main !== 'string') continue;
      const target = inside(path, main);
      const found = target === undefined ? undefined : (findFile(target) ?? findFile(join(target, 'index')));
      if (found !== undefined) return found;
    }
    return findFile(join(path, 'index'));
  };

  const findPath = (path: string): string | undefined => findFile(path) ?? findFolder(path);

  const inPackage = (folder: string, subpath: string, conditions: ReadonlySet<string>): string | undefined => {
    const exports = manifestOf(folder)?.['exports'];
    if (exports === undefined || exports === null)
      return subpath === '.' ? findFolder(folder) : findPath(join(folder, subpath));
    const target = lookUpSubpath(exports, subpath, conditions);
    const path = target?.startsWith('./') ? inside(folder, target) : undefined;
    return path?.startsWith(`${folder}/`) && present.has(path) ? path : undefined;
  };

  const fromPackages = (specifier: string, importer: string, conditions: ReadonlySet<string>): Resolution => {
    const [name, subpath] = splitPackage(specifier);
    if (specifier.split('/').some((segment) => segment === '..' || segment === '.'))
      return { unresolved: `"${specifier}"`, hint: 'A path into a package may not climb out of it.' };
    for (const folder of foldersAbove(importer)) {
      const home = join(folder, `node_modules/${name}`);
      const found = inPackage(home, subpath, conditions);
      if (found !== undefined) return { found };
      if (manifestOf(home) !== undefined)
        return {
          unresolved: `"${specifier}"`,
          hint: `The package "${name}" is in ${home}, but does not offer this path.`,
        };
    }
    if (nodeModules.has(specifier.split('/')[0] ?? '')) return nodeModule(`node:${specifier}`);
    return {
      unresolved: `the package "${name}"`,
      hint: `Packages are never fetched while building: add it to the submission under node_modules/${name}, or bundle it before you submit.`,
    };
  };

  const nodeModule = (specifier: string): Resolution => {
    const known = nodeModules.has(specifier.slice('node:'.length).split('/')[0] ?? '');
    const compatible = compatibilityFlags.some((flag) => flag === 'nodejs_compat' || flag === 'nodejs_compat_v2');
    if (known && compatible) return { external: specifier };
    if (specifier === 'node:async_hooks' && compatibilityFlags.includes('nodejs_als')) return { external: specifier };
    const hint = known
      ? 'Modules of Node are there only with the compatibility flag "nodejs_compat".'
      : 'Node has no module of this name.';
    return { unresolved: `"${specifier}"`, hint };
  };

  const fromImports = (
    specifier: string,
    importer: string,
    conditions: ReadonlySet<string>,
    kind: ImportKind,
  ): Resolution => {
    const home = foldersAbove(importer).find((folder) => manifestOf(folder) !== undefined);
    const target = home === undefined ? undefined : lookUpSubpath(manifestOf(home)?.['imports'], specifier, conditions);
    if (home === undefined || target === undefined || target.startsWith('#'))
      return { unresolved: `"${specifier}"`, hint: 'The nearest package.json has no such name in "imports".' };
    return target.startsWith('./') ? relative(target, join(home, 'package.json')) : resolve(target, importer, kind);
  };

  const relative = (specifier: string, importer: string): Resolution => {
    const path = inside(posix.dirname(importer), specifier);
    const found = path === undefined ? undefined : findPath(path);
    if (found !== undefined) return { found };
    const hint = path === undefined ? 'The path leads out of the submission.' : `The submission has no file "${path}".`;
    return { unresolved: `"${specifier}"`, hint };
  };

  const resolve: Resolve = (rawSpecifier, importer, kind) => {
    const specifier = rawSpecifier.normalize('NFC');
    const conditions = new Set(['workerd', 'worker', 'browser', 'module', kind]);
    if (/^\.\.?(\/|$)/.test(specifier)) return relative(specifier, importer);
    if (specifier.startsWith('cloudflare:')) return { external: specifier };
    if (specifier.startsWith('node:')) return nodeModule(specifier);
    if (specifier.startsWith('#')) return fromImports(specifier, importer, conditions, kind);
    if (specifier.startsWith('/') || /^[A-Za-z][A-Za-z0-9+.-]*:/.test(specifier) || specifier === '')
      return { unresolved: `"${specifier}"`, hint: 'Import by a relative path, or from a package in node_modules.' };
    return fromPackages(specifier, importer, conditions);
  };
  return resolve;
};

/** `@scope/name/sub/path` → [`@scope/name`, `./sub/path`]. */
const splitPackage = (specifier: string): readonly [name: string, subpath: string] => {
  const segments = specifier.split('/');
  const length = specifier.startsWith('@') ? 2 : 1;
  const rest = segments.slice(length).join('/');
  return [segments.slice(0, length).join('/'), rest === '' ? '.' : `./${rest}`];
};

/** The folder of a file and all folders above it, nearest first; `''` is the root of the submission. */
const foldersAbove = (file: string): readonly string[] => {
  const folders: string[] = [];
  for (let folder = posix.dirname(file); folder !== '.'; folder = posix.dirname(folder)) folders.push(folder);
  return [...folders, ''].filter((folder) => posix.basename(folder) !== 'node_modules');
};

const join = (folder: string, path: string): string => {
  const joined = posix.join(folder, path);
  return joined === '.' ? '' : joined;
};

/** The path below the root of the submission, or undefined when it would lead out of it. */
const inside = (folder: string, path: string): string | undefined => {
  const joined = join(folder, path).replace(/\/$/, '');
  return joined === '..' || joined.startsWith('../') || joined.startsWith('/') ? undefined : joined;
};

export const readManifest = (bytes: Uint8Array | undefined): Json | undefined => {
  const text = bytes === undefined ? undefined : decodeText(bytes);
  if (text === undefined) return undefined;
  try {
    const parsed: unknown = JSON.parse(text.replace(/^\uFEFF/, ''));
    return isRecord(parsed) ? parsed : undefined;
  } catch {
    return undefined;
  }
};
