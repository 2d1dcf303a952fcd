import { readFile, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { hasCode, syncFolder, writeSynced } from '../artifacts/durable.ts';

const marker = z.strictObject({
  /** `writing`: the folder holds half of a backup. `written`: all of it, and the first start has still to say so in the log. */
  status: z.enum(['writing', 'written']),
  restoreId: z.string().min(1),
  backupId: z.string(),
  position: z.string(),
});
export type RestoreMarker = z.infer<typeof marker>;

/** The folder was to be restored from a backup, and that did not come to its end. */
export class RestoreUnfinished extends Error {
  override readonly name = 'RestoreUnfinished';
}

export const markerPath = (dataDir: string): string => join(dataDir, 'restore.json');

/** Undefined when the folder was not restored, or its first start after that is over. */
export const readMarker = async (dataDir: string): Promise<RestoreMarker | undefined> => {
  const text = await readFile(markerPath(dataDir), 'utf8').catch((error: unknown) => {
    if (hasCode(error, 'ENOENT', 'ENOTDIR')) return undefined;
    throw error;
  });
  if (text === undefined) return undefined;
  try {
    return marker.parse(JSON.parse(text));
  } catch {
    throw new RestoreUnfinished(`${markerPath(dataDir)} cannot be read. Run "opslog restore" again.`);
  }
};

/** Replaces what was there, durably. */
export const writeMarker = async (dataDir: string, value: RestoreMarker): Promise<void> => {
  const aside = `${markerPath(dataDir)}.part`;
  await rm(aside, { force: true });
  await writeSynced(aside, `${JSON.stringify(value)}\n`, 0o600);
  await rename(aside, markerPath(dataDir));
  await syncFolder(dirname(markerPath(dataDir)));
};

export const removeMarker = async (dataDir: string): Promise<void> => {
  await rm(markerPath(dataDir), { force: true });
  await syncFolder(dataDir);
};

/** Throws RestoreUnfinished for a folder that must not be served. */
export const refuseHalfRestored = async (dataDir: string): Promise<void> => {
  if ((await readMarker(dataDir))?.status === 'writing') {
    throw new RestoreUnfinished(
      `${dataDir} holds half of a backup: a restore was interrupted. Run the same "opslog restore" again.`,
    );
  }
};
