import { statfs } from 'node:fs/promises';

/** With less than this a submission and the event store may not find room for what they have begun. */
export const leastFreeBytes = 64 * 1024 * 1024;

export const freeBytes = async (folder: string): Promise<number> => {
  const { bavail, bsize } = await statfs(folder);
  return bavail * bsize;
};

/** Is there room to go on, wherever this process writes? A folder that cannot be asked says nothing. */
export const diskRoom = async (
  folders: readonly string[],
  free: (folder: string) => Promise<number> = freeBytes,
): Promise<{ readonly ok: boolean; readonly detail: string }> => {
  const rooms = await Promise.all([...new Set(folders)].map((folder) => free(folder).catch(() => Number.NaN)));
  const least = Math.min(...rooms.filter((room) => !Number.isNaN(room)));
  if (!Number.isFinite(least)) return { ok: true, detail: '' };
  return { ok: least >= leastFreeBytes, detail: `${Math.floor(least / 1024 ** 2)} MiB free` };
};
