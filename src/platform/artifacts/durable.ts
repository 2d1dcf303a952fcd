import { open } from 'node:fs/promises';

/** Writes a new file and returns once the bytes are on the disk. The name is durable only after syncFolder. */
export const writeSynced = async (path: string, bytes: Uint8Array | string, mode = 0o644): Promise<void> => {
  const file = await open(path, 'wx', mode);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
};

export const syncFolder = async (path: string): Promise<void> => {
  // Windows cannot open a folder; its file system journals the names itself.
  if (process.platform === 'win32') return;
  const folder = await open(path, 'r');
  try {
    await folder.sync();
  } finally {
    await folder.close();
  }
};

export const hasCode = (error: unknown, ...codes: readonly string[]): boolean =>
  error instanceof Error && 'code' in error && codes.some((code) => error.code === code);
