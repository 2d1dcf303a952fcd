import { randomBytes } from 'node:crypto';
import { readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { z } from 'zod';

const control = z.object({
  pid: z.int().positive(),
  port: z.int().min(1).max(65_535),
  token: z.string().min(32),
});

/** How to reach the server that holds a data folder: written by it, readable by its owner alone. */
export type Control = z.infer<typeof control>;

const pathIn = (dataDir: string): string => join(dataDir, 'control.json');

export const writeControl = async (dataDir: string, value: Control): Promise<void> => {
  const draft = `${pathIn(dataDir)}.${randomBytes(6).toString('hex')}`;
  await writeFile(draft, `${JSON.stringify(value)}\n`, { mode: 0o600, flag: 'wx' });
  await rename(draft, pathIn(dataDir));
};

export const removeControl = async (dataDir: string, own: Control): Promise<void> => {
  const there = await readControl(dataDir);
  if (there?.token === own.token) await rm(pathIn(dataDir), { force: true });
};

/** Undefined when no server says that it holds the folder, or the one that said so is gone. */
export const readControl = async (dataDir: string): Promise<Control | undefined> => {
  const text = await readFile(pathIn(dataDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    const value = control.parse(JSON.parse(text));
    return isAlive(value.pid) ? value : undefined;
  } catch {
    return undefined;
  }
};

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // Alive, but somebody else's.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
};
