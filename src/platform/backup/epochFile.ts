import { mkdir, readFile, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { hasCode, syncFolder, writeSynced } from '../artifacts/durable.ts';

const pathOf = (keysDir: string, scope: string): string => join(keysDir, 'epochs', scope.replaceAll(/[^0-9a-z]/g, '-'));

/** The epoch that a process of this scope last ran under, as the folder that nodes share has it; 0 for none. */
export const readEpochFile = async (keysDir: string, scope: string): Promise<number> => {
  const text = await readFile(pathOf(keysDir, scope), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT')) return '0';
    throw error;
  });
  const epoch = Number(text.trim());
  return Number.isSafeInteger(epoch) && epoch >= 0 ? epoch : 0;
};

export const writeEpochFile = async (keysDir: string, scope: string, epoch: number): Promise<void> => {
  const folder = join(keysDir, 'epochs');
  const path = pathOf(keysDir, scope);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  await rm(`${path}.part`, { force: true });
  await writeSynced(`${path}.part`, `${epoch}\n`, 0o600);
  await rename(`${path}.part`, path);
  await syncFolder(folder);
};
