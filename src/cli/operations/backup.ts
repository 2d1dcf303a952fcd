import { existsSync } from 'node:fs';
import { mkdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { z } from 'zod';
import { readScope, sendMaintenance } from '../../commands/edgeMaintenance.ts';
import type { Parts } from '../../parts.ts';
import { syncFolder } from '../../platform/artifacts/durable.ts';
import { syncTree, writeHashed } from '../../platform/backup/files.ts';
import { digestOf, encodeManifest, type Manifest, manifestName } from '../../platform/backup/manifest.ts';
import { packFolder } from '../../platform/backup/tar.ts';
import { saveVaultKeys } from '../../platform/backup/vaultKeys.ts';
import { systemClock, systemRandom } from '../../platform/clock/system.ts';
import { version } from '../../version.ts';
import { type Fence, raiseFence, send } from './backupFence.ts';
import { copyArtifacts, copyLog, copyNodeFiles, cutLog, neededDigests } from './backupParts.ts';
import { type Operation, OperationRefused } from './operation.ts';

const args = z.strictObject({
  /** Absolute; must not be there yet. */
  target: z.string().min(1),
  /** Absolute path of a new file for the keys of secrets; '' leaves them out. */
  keysFile: z.string(),
  waitMs: z.number().int().min(0).max(86_400_000),
});
type Args = z.infer<typeof args>;

const progress = z.union([
  z.object({ phase: z.literal('waiting'), leases: z.array(z.string()) }),
  z.object({ phase: z.literal('log') }),
  z.object({ phase: z.literal('artifacts'), files: z.number(), bytes: z.number() }),
]);
export type BackupLine = z.infer<typeof progress>;

const result = z.object({
  backup: z.string(),
  backupId: z.string(),
  position: z.string(),
  epoch: z.number(),
  events: z.number(),
  artifacts: z.number(),
  /** Digests that revisions refer to and that are not there, or not whole. */
  missingArtifacts: z.array(z.string()),
  artifactsIn: z.string(),
  /** Files with the keys of secrets; 0 when they were left out. */
  keys: z.number(),
  bytes: z.number(),
  manifestDigest: z.string(),
  /** How long no deployment was admitted. */
  gateClosedMs: z.number(),
  durationMs: z.number(),
});
export type BackupResult = z.infer<typeof result>;

/**
 * A backup of the embedded installation, living or not. Everything acknowledged before the fence is in it and nothing
 * after: the log is copied whole and cut at the fence. What it had made is removed when it fails.
 */
export const backup: Operation<Args, BackupLine, BackupResult> = {
  name: 'backup',
  args,
  progress,
  result,
  run: async (parts, { target, keysFile, waitMs }, onProgress, signal) => {
    refuse(parts, target, keysFile);
    const partial = `${target}.partial`;
    const fenceId = systemRandom.uuid();
    await mkdir(dirname(target), { recursive: true });
    await mkdir(partial, { mode: 0o700 });
    try {
      return await make(parts, { target, keysFile, waitMs, partial, fenceId }, onProgress, signal);
    } catch (error) {
      const data = { fenceId, reason: signal.aborted ? 'interrupted' : 'failed' };
      // The log may be what failed; then the next start opens the gate.
      await sendMaintenance(parts, { type: 'AbandonBackup', data }, 'backup').catch(() => undefined);
      await rm(partial, { recursive: true, force: true });
      await rm(packingOf(target), { force: true });
      if (keysFile !== '') await rm(keysFile, { force: true });
      throw error;
    }
  },
};

const isArchive = (target: string): boolean => target.endsWith('.tar');
const packingOf = (target: string): string => `${target}.packing.partial`;

const refuse = ({ embedded, scope }: Parts, target: string, keysFile: string): void => {
  if (embedded === undefined) {
    throw new OperationRefused(
      'log_elsewhere',
      `The log of ${scope} is on the server that EVENTSTORE_URL names. Back that server up by its own means.`,
    );
  }
  for (const path of [target, `${target}.partial`, packingOf(target), ...(keysFile === '' ? [] : [keysFile])]) {
    if (!existsSync(path)) continue;
    const what = path.endsWith('.partial') ? 'An unfinished backup is there: remove it' : 'Choose another name';
    throw new OperationRefused('target_exists', `${path} exists. ${what}.`);
  }
};

type Making = Args & { readonly partial: string; readonly fenceId: string };
type Tell = (line: BackupLine) => Promise<void> | void;

const make = async (parts: Parts, making: Making, onProgress: Tell, signal: AbortSignal): Promise<BackupResult> => {
  const { target, keysFile, waitMs, partial, fenceId } = making;
  const startedAt = performance.now();
  const onWaiting = (leases: readonly string[]) => onProgress({ phase: 'waiting', leases: [...leases] });
  const fence = await raiseFence(parts, { fenceId, waitMs, signal, onWaiting });
  await onProgress({ phase: 'log' });
  await copyLog(parts, partial);
  await send(parts, { type: 'ReleaseBackupFence', data: { fenceId } });
  const gateClosedMs = systemClock.now() - fence.closedAt;

  const manifest = await collect(parts, partial, fence, onProgress, signal);
  const keys = keysFile === '' ? 0 : await saveVaultKeys(parts.folder.keys, keysFile, fenceId);
  await refuseWhenLost(parts, fenceId);
  signal.throwIfAborted();
  const bytes = encodeManifest(manifest);
  await writeHashed(join(partial, manifestName), bytes);
  await syncTree(partial);
  if (isArchive(target)) {
    await packFolder(partial, packingOf(target));
    await rename(packingOf(target), target);
    await rm(partial, { recursive: true });
  } else await rename(partial, target);
  await syncFolder(dirname(target));
  if (keysFile !== '') await syncFolder(dirname(keysFile));
  const { position, epoch, events, artifacts, missingArtifacts, artifactsIn } = manifest;
  const total = manifest.files.reduce((sum, file) => sum + file.bytes, 0);
  const manifestDigest = digestOf(bytes);
  // From here on there is a backup, whether or not the log can still say so.
  await sendMaintenance(
    parts,
    { type: 'CompleteBackup', data: { fenceId, position, manifestDigest, bytes: total } },
    'backup',
  ).catch(() => undefined);
  return {
    ...{ backup: target, backupId: fenceId, position, epoch, events, artifacts, missingArtifacts, artifactsIn, keys },
    ...{ bytes: total, manifestDigest, gateClosedMs, durationMs: Math.round(performance.now() - startedAt) },
  };
};

/** Everything but the log's copy, which is there, and the manifest, which comes last. */
const collect = async (
  parts: Parts,
  partial: string,
  { fenceId, position, epoch }: Fence,
  onProgress: Tell,
  signal: AbortSignal,
): Promise<Manifest> => {
  const { events, ...log } = await cutLog(partial, position);
  const bucket = parts.config.artifacts?.address;
  const copied = bucket
    ? { files: [], broken: [] }
    : await copyArtifacts(parts, partial, signal, (files, bytes) => onProgress({ phase: 'artifacts', files, bytes }));
  const has = new Set(copied.files.map(({ sha256 }) => sha256));
  const needed = bucket ? [] : [...(await neededDigests(parts, position, signal))];
  const nodeFiles = await copyNodeFiles(parts, partial);
  return {
    ...{ format: 1, backupId: fenceId, createdAt: new Date(systemClock.now()).toISOString(), opslog: version },
    ...{ nodeId: parts.folder.nodeId, scope: parts.scope, epoch, position: String(position), events },
    artifactsIn: bucket ? `s3://${bucket.bucket}/${bucket.prefix}` : 'folder',
    artifacts: copied.files.length,
    missingArtifacts: needed.filter((digest) => !has.has(digest)).toSorted(),
    files: [log, ...copied.files, ...nodeFiles],
  };
};

/** Whoever gave the fence up may have let artifacts be removed while they were copied. */
const refuseWhenLost = async (parts: Parts, fenceId: string): Promise<void> => {
  const state = await readScope(parts);
  if (state.status !== 'absent' && state.backup?.fenceId === fenceId) return;
  throw new OperationRefused('backup_fence_lost', 'This backup was given up meanwhile. Begin another one.');
};
