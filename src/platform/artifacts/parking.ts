import { randomUUID } from 'node:crypto';
import { link, readdir, rename, rm } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { contents, failsWith, hasCode, touchedAt } from './durable.ts';

/*
 * Removal in two steps. A file is parked under a name of this removal's own and only then judged by when it was last
 * touched, because a put may touch it between a look and a deletion: the put finds it gone and writes it anew, or is
 * noticed here.
 */
const PARKED = /^(?<name>.+)\.removing\.[0-9a-f-]{36}$/;

export type Parked = { readonly path: string; readonly original: string };

/** Undefined when it was not there. */
export const park = async (original: string): Promise<Parked | undefined> => {
  const path = `${original}.removing.${randomUUID()}`;
  return (await failsWith(rename(original, path), 'ENOENT')) ? undefined : { path, original };
};

/** Removes what is parked, or puts it back when it was touched after the limit. Answers whether it was removed. */
export const settleParked = async ({ path, original }: Parked, limit: number): Promise<boolean> => {
  const touched = await touchedAt(path);
  const keep = touched !== undefined && touched > limit;
  if (keep) await failsWith(link(path, original), 'EEXIST', 'ENOENT');
  await rm(path, { force: true });
  return !keep;
};

const parkedIn = async (folder: string): Promise<readonly Parked[]> =>
  (await namesIn(folder)).flatMap((name) => {
    const original = PARKED.exec(name)?.groups?.['name'];
    return original === undefined ? [] : [{ path: join(folder, name), original: join(folder, original) }];
  });

/** For a reader that found nothing: a removal that turns out to be too early puts the file back in a moment. */
export const parkedContents = async (original: string): Promise<Uint8Array | undefined> => {
  for (const parked of await parkedIn(dirname(original))) {
    const bytes = basename(parked.original) === basename(original) ? await contents(parked.path) : undefined;
    if (bytes !== undefined) return bytes;
  }
  return undefined;
};

/** A crash between the two steps leaves files parked; putting them back lets each removal be decided anew. */
export const restoreParked = async (folder: string): Promise<void> => {
  for (const parked of await parkedIn(folder)) await settleParked(parked, Number.NEGATIVE_INFINITY);
};

const namesIn = async (folder: string): Promise<readonly string[]> => {
  try {
    return await readdir(folder);
  } catch (error) {
    if (hasCode(error, 'ENOENT')) return [];
    throw error;
  }
};
