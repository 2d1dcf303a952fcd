import { existsSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { Parts } from '../../parts.ts';
import { copyFileHashed, type FileEntry, hashFile, writeHashed } from '../../platform/backup/files.ts';
import { truncateStore } from '../../platform/eventstore/truncate.ts';

/** Below the folder of a backup, as below the data folder it came from. */
export const logFile = 'eventstore/data.mdb';

/** A consistent copy of the log, which may go beyond the fence: `cutLog` takes that out. */
export const copyLog = async ({ embedded }: Parts, folder: string): Promise<void> => {
  if (embedded === undefined) throw new Error('The log is not embedded.');
  await mkdir(join(folder, 'eventstore'), { recursive: true, mode: 0o700 });
  await embedded.copyTo(join(folder, 'eventstore'));
};

export const cutLog = async (folder: string, position: bigint): Promise<FileEntry & { readonly events: number }> => {
  const { events } = await truncateStore(join(folder, 'eventstore'), Number(position));
  await rm(join(folder, 'eventstore', 'lock.mdb'), { force: true });
  return { path: logFile, events, ...(await hashFile(join(folder, logFile))) };
};

export type CopiedArtifacts = { readonly files: readonly FileEntry[]; readonly broken: readonly string[] };

/** Every artifact that is there; reading checks each against its digest. */
export const copyArtifacts = async (
  { artifacts }: Parts,
  folder: string,
  signal: AbortSignal,
  onCopied: (files: number, bytes: number) => Promise<void> | void,
): Promise<CopiedArtifacts> => {
  const files: FileEntry[] = [];
  const broken: string[] = [];
  let total = 0;
  for await (const { digest } of artifacts.list()) {
    signal.throwIfAborted();
    const bytes = await artifacts.get(digest).catch((error: unknown) => {
      if (error instanceof Error && error.name === 'ArtifactCorrupt') return 'broken' as const;
      throw error;
    });
    if (bytes === 'broken') broken.push(digest);
    if (bytes === undefined || bytes === 'broken') continue;
    const path = `artifacts/${digest.slice(0, 2)}/${digest}`;
    files.push({ path, ...(await writeHashed(join(folder, path), bytes)) });
    total += bytes.length;
    await onCopied(files.length, total);
  }
  return { files, broken };
};

/** What a node needs to be the same node: its name, the key of receipts, and the key that tokens derive from. */
export const copyNodeFiles = async (
  { folder: { dir, keys } }: Parts,
  folder: string,
): Promise<readonly FileEntry[]> => {
  const wanted: readonly (readonly [from: string, path: string])[] = [
    [join(dir, 'node-id'), 'node-id'],
    [join(keys, 'secret.key'), 'keys/secret.key'],
    [join(keys, 'build-key.pem'), 'keys/build-key.pem'],
  ];
  const files: FileEntry[] = [];
  for (const [from, path] of wanted) {
    if (existsSync(from)) files.push({ path, ...(await copyFileHashed(from, join(folder, path))) });
  }
  return files;
};

/** Digests that revisions need as of a position: those of revisions whose artifacts were not released by then. */
export const neededDigests = async (
  { log, decode }: Parts,
  position: bigint,
  signal: AbortSignal,
): Promise<ReadonlySet<string>> => {
  const byVersion = new Map<string, readonly string[]>();
  for await (const batch of log.readAllBatches()) {
    signal.throwIfAborted();
    for (const stored of batch.events) {
      if (stored.position > position) return new Set([...byVersion.values()].flat());
      const event = stored.type.startsWith('Revision') ? decode(stored) : undefined;
      if (event?.type === 'RevisionSubmitted') {
        byVersion.set(event.data.versionId, [event.data.sourceDigest, event.data.bundleDigest]);
      }
      if (event?.type === 'RevisionArtifactsReleased') {
        for (const versionId of event.data.versionIds) byVersion.delete(versionId);
      }
    }
  }
  return new Set([...byVersion.values()].flat());
};
