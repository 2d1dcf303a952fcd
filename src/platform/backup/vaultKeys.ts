import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hasCode, writeSynced } from '../artifacts/durable.ts';
import { filesBelow } from './files.ts';

/** What opens secrets: master keys, wrapped data keys with the tombstones of destroyed ones, and the key of digests. */
const isVaultKey = (path: string): boolean => /^(master|data)\//.test(path) || path === 'digest-key';
const path = z
  .string()
  .refine((text) => isVaultKey(text) && !text.split('/').some((part) => /^\.{1,2}$|^$/.test(part)));

const keysFile = z.strictObject({
  format: z.literal(1),
  backupId: z.string(),
  /** Contents in base64 by path. */
  files: z.record(path, z.base64()),
  /** SHA-256 over paths and contents. */
  sha256: z.string(),
});
export type VaultKeys = z.infer<typeof keysFile>;

const digestOf = (files: Readonly<Record<string, string>>): string => {
  const hash = createHash('sha256');
  for (const name of Object.keys(files).toSorted()) hash.update(`${name}\n${files[name]}\n`);
  return hash.digest('hex');
};

/** Writes the vault's keys into a new file for its owner alone. Answers how many files are in it. */
export const saveVaultKeys = async (keysDir: string, target: string, backupId: string): Promise<number> => {
  const files: Record<string, string> = {};
  for (const name of (await filesBelow(keysDir)).filter(isVaultKey)) {
    // A rotation may rename it, or a removal wipe it, between the list and the look.
    const bytes = await readFile(join(keysDir, name)).catch((error: unknown) => {
      if (hasCode(error, 'ENOENT')) return undefined;
      throw error;
    });
    if (bytes !== undefined) files[name] = bytes.toString('base64');
  }
  await writeSynced(target, `${JSON.stringify({ format: 1, backupId, files, sha256: digestOf(files) })}\n`, 0o600);
  return Object.keys(files).length;
};

/** Undefined when it is not such a file, or not whole. Says nothing of what is in it. */
export const readVaultKeys = async (source: string): Promise<VaultKeys | undefined> => {
  try {
    const parsed = keysFile.parse(JSON.parse(await readFile(source, 'utf8')));
    return parsed.sha256 === digestOf(parsed.files) ? parsed : undefined;
  } catch (error) {
    if (hasCode(error, 'ENOENT', 'EACCES', 'EISDIR')) throw error;
    return undefined;
  }
};

export const placeVaultKeys = async (keysDir: string, { files }: VaultKeys): Promise<void> => {
  for (const [name, contents] of Object.entries(files)) {
    const target = join(keysDir, name);
    await mkdir(dirname(target), { recursive: true, mode: 0o700 });
    await writeSynced(target, Buffer.from(contents, 'base64'), 0o600);
  }
};
