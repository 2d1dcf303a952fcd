import { join } from 'node:path';

/*
 * A data key is `<folder>/<first two digits>/<id>.<master version>`. The version is in the name so that a key is moved to
 * another master key by adding a file and removing the old one, never by replacing what somebody else may have replaced
 * since; and so that names alone tell who uses a version.
 */
const idPattern = /^[0-9a-f]{32}$/;
const keyName = /^(?<id>[0-9a-f]{32})\.(?<version>[1-9]\d{0,8})$/;
const shardName = /^[0-9a-f]{2}$/;

export const isKeyId = (text: string): boolean => idPattern.test(text);
export const isShard = (text: string): boolean => shardName.test(text);

export const shardOf = (folder: string, id: string): string => join(folder, id.slice(0, 2));
export const keyPath = (folder: string, id: string, version: number): string =>
  join(shardOf(folder, id), `${id}.${version}`);
/** Says that the key was destroyed: "destroyed" is not "missing". It is there before the key goes, and for ever. */
export const tombstonePath = (folder: string, id: string): string => join(shardOf(folder, id), `${id}.destroyed`);
export const scratchPath = (folder: string, id: string, version: number, unique: string): string =>
  `${keyPath(folder, id, version)}.${unique}.aside`;

/** Files of one key that hold it, whole or half-written; not its tombstone. */
export const filesOf = (names: readonly string[], id: string): readonly string[] =>
  names.filter((name) => name.startsWith(`${id}.`) && name !== `${id}.destroyed`);

/** Versions under which a key is there, newest first. */
export const versionsOf = (names: readonly string[], id: string): readonly number[] =>
  names
    .map((name) => keyName.exec(name)?.groups)
    .flatMap((found) => (found?.['id'] === id ? [Number(found['version'])] : []))
    .toSorted((a, b) => b - a);

export type Survey = {
  /** The version that each living key is under: the newest of its files. */
  readonly living: ReadonlyMap<string, number>;
  /** Files of living keys under older versions, and half-written ones: of no use to anybody. */
  readonly superseded: readonly string[];
  readonly destroyed: readonly string[];
  /** Files of keys that have a tombstone; a rotation that ended at a bad moment leaves them. */
  readonly undead: readonly string[];
};

/** What the names of one folder say. */
export const surveyOf = (names: readonly string[]): Survey => {
  const destroyed = new Set(names.flatMap((name) => (name.endsWith('.destroyed') ? [name.slice(0, 32)] : [])));
  const undead = names.filter((name) => destroyed.has(name.slice(0, 32)) && !name.endsWith('.destroyed'));
  const rest = names.filter((name) => !destroyed.has(name.slice(0, 32)));
  const keys = rest.flatMap((name) => {
    const { id, version } = keyName.exec(name)?.groups ?? {};
    return id === undefined ? [] : [{ name, id, version: Number(version) }];
  });
  const living = new Map<string, number>();
  for (const { id, version } of keys) living.set(id, Math.max(version, living.get(id) ?? 0));
  const older = keys.filter(({ id, version }) => version !== living.get(id)).map(({ name }) => name);
  const asides = rest.filter((name) => name.endsWith('.aside'));
  return { living, superseded: [...older, ...asides], destroyed: [...destroyed], undead };
};
