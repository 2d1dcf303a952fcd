import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';
import { systemRandom } from '../../../src/platform/clock/system.ts';
import { openVault, type VaultOptions } from '../../../src/platform/vault/vault.ts';

/** A folder for keys that goes when the test ends. */
export const keysFolder = async (): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-vault-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

export const vaultIn = (keysDir: string, options: Partial<VaultOptions> = {}) =>
  openVault({ keysDir, random: systemRandom, ...options });

/** Every file below a folder with its bytes. */
export const filesBelow = async (folder: string): Promise<ReadonlyMap<string, Buffer>> => {
  const names = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = names.filter((entry) => entry.isFile()).map((entry) => join(entry.parentPath, entry.name));
  return new Map(await Promise.all(files.map(async (path) => [path, await readFile(path)] as const)));
};

/** The other bit pattern of one bit of a base64 text's bytes. */
export const flipBit = (text: string, bit: number): string => {
  const bytes = Buffer.from(text, 'base64');
  const at = bit % (bytes.length * 8);
  bytes[at >> 3] = (bytes[at >> 3] ?? 0) ^ (1 << (at & 7));
  return bytes.toString('base64');
};
