import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir } from 'node:fs/promises';
import { dirname, join, relative, sep } from 'node:path';
import { syncFolder, writeSynced } from '../artifacts/durable.ts';

/** A file of a backup: its path below the folder, with slashes, and what is in it. */
export type FileEntry = { readonly path: string; readonly bytes: number; readonly sha256: string };

export const hashFile = async (path: string): Promise<{ readonly bytes: number; readonly sha256: string }> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of createReadStream(path)) {
    if (!Buffer.isBuffer(chunk)) continue;
    hash.update(chunk);
    bytes += chunk.length;
  }
  return { bytes, sha256: hash.digest('hex') };
};

/** Copies while hashing; the bytes are on the disk when it resolves. The name is durable after `syncTree`. */
export const copyFileHashed = async (from: string, to: string): Promise<Omit<FileEntry, 'path'>> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  const hash = createHash('sha256');
  let bytes = 0;
  const target = await open(to, 'wx', 0o600);
  try {
    for await (const chunk of createReadStream(from)) {
      if (!Buffer.isBuffer(chunk)) continue;
      hash.update(chunk);
      bytes += chunk.length;
      await target.writeFile(chunk);
    }
    await target.sync();
  } finally {
    await target.close();
  }
  return { bytes, sha256: hash.digest('hex') };
};

export const writeHashed = async (to: string, bytes: Uint8Array): Promise<Omit<FileEntry, 'path'>> => {
  await mkdir(dirname(to), { recursive: true, mode: 0o700 });
  await writeSynced(to, bytes, 0o600);
  return { bytes: bytes.length, sha256: createHash('sha256').update(bytes).digest('hex') };
};

/** Every file below a folder, as paths with slashes, sorted. A link or anything else odd is listed as well. */
export const filesBelow = async (root: string): Promise<readonly string[]> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => !entry.isDirectory())
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .toSorted();
};

/** Makes every name in and below a folder durable. */
export const syncTree = async (root: string): Promise<void> => {
  const entries = await readdir(root, { recursive: true, withFileTypes: true });
  for (const entry of entries) if (entry.isDirectory()) await syncFolder(join(entry.parentPath, entry.name));
  await syncFolder(root);
  await syncFolder(dirname(root));
};
