import { open, readFile, stat, utimes } from 'node:fs/promises';

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

/** Undefined in place of an error when the file is not there. */
const missing = (error: unknown): undefined => {
  if (hasCode(error, 'ENOENT')) return undefined;
  throw error;
};

/** True when the operation failed with one of these codes, false when it succeeded; other failures are thrown. */
export const failsWith = async (operation: Promise<unknown>, ...codes: readonly string[]): Promise<boolean> => {
  try {
    await operation;
    return false;
  } catch (error) {
    if (hasCode(error, ...codes)) return true;
    throw error;
  }
};

export const contents = async (path: string): Promise<Uint8Array | undefined> => {
  const bytes = await readFile(path).catch(missing);
  return bytes === undefined ? undefined : new Uint8Array(bytes);
};

/** Milliseconds since the epoch, both ways. */
export const touch = (path: string, at: number): Promise<void> => utimes(path, new Date(at), new Date(at));

export const describeFile = async (path: string): Promise<{ bytes: number; touchedAt: number } | undefined> => {
  const found = await stat(path).catch(missing);
  return found === undefined ? undefined : { bytes: found.size, touchedAt: Math.round(found.mtimeMs) };
};

export const touchedAt = async (path: string): Promise<number | undefined> => (await describeFile(path))?.touchedAt;
