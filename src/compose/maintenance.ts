import { openScopes, readScope, sendMaintenance } from '../commands/edgeMaintenance.ts';
import { type EdgeMaintenance, mayRemoveArtifacts } from '../domain/edgeMaintenance/index.ts';
import type { Parts } from '../parts.ts';
import { readEpochFile, writeEpochFile } from '../platform/backup/epochFile.ts';
import { readMarker, removeMarker } from '../platform/backup/marker.ts';
import { createCheckpointStore } from '../projections/checkpointStore.ts';
import type { EdgePart } from './edge.ts';
import type { ReadinessPart } from './readiness.ts';

/** This log is older than what its shared services have seen: an installation that was restored elsewhere took over. */
export class EpochStale extends Error {
  override readonly name = 'EpochStale';
}

const epochOf = (state: EdgeMaintenance): number => (state.status === 'absent' ? 0 : state.epoch);
const markName = (scope: string): string => `epoch:${scope}`;

/**
 * Before anything of this process acts: says in the log that it was restored, gives up what a dead process of this node
 * had begun, and throws EpochStale when this log is not the one that its services follow by now.
 */
export const enterEpoch = async (parts: Parts): Promise<void> => {
  const { folder, scope, database, config } = parts;
  const inFolder = await readEpochFile(folder.keys, scope);
  const inDatabase = Number(await createCheckpointStore(database).load(markName(scope)));
  const seen = Math.max(inFolder, inDatabase);
  const marker = await readMarker(config.dataDir);
  if (marker) {
    const { restoreId, position: fromPosition } = marker;
    await must(sendMaintenance(parts, { type: 'RegisterEdgeScope', data: {} }, 'node'));
    const data = { restoreId, fromPosition, above: seen };
    await must(sendMaintenance(parts, { type: 'RestoreEdgeScope', data }, 'node', restoreId));
    await removeMarker(config.dataDir);
  }
  const state = await readScope(parts);
  const epoch = epochOf(state);
  if (state.status !== 'absent' && epoch < seen) {
    throw new EpochStale(
      `This log is at epoch ${epoch}, and ${inFolder > epoch ? 'the shared folder' : 'the database'} has seen epoch ${seen}: ` +
        'it was restored elsewhere, and goes on there. Do not start this one, or give it services of its own.',
    );
  }
  if (state.status !== 'absent' && state.backup) {
    const data = { fenceId: '', reason: 'owner_gone' };
    await must(sendMaintenance(parts, { type: 'AbandonBackup', data }, 'node'));
  }
};

/** After the scope is registered and the read tables are this log's: from now on an older log is noticed. */
export const markEpoch = async (parts: Parts): Promise<void> => {
  const { folder, scope, database } = parts;
  const epoch = epochOf(await readScope(parts));
  if (epoch === 0) return;
  if ((await readEpochFile(folder.keys, scope)) < epoch) await writeEpochFile(folder.keys, scope, epoch);
  const checkpoints = createCheckpointStore(database);
  await checkpoints.load(markName(scope));
  await checkpoints.save(markName(scope), BigInt(epoch));
};

export type Gate = () => Promise<{ readonly open: readonly string[]; readonly mayRemoveArtifacts: boolean }>;

/** What the runner may begin now. A scope whose epoch has risen under this process is closed to it: it has to start again. */
export const createGate = ({ aggregates, queries, scope }: Parts, readiness: Pick<ReadinessPart, 'add'>): Gate => {
  const epochs = new Map<string, number>();
  let stale = '';
  const isCurrent = (each: string, state: EdgeMaintenance): boolean => {
    const epoch = epochOf(state);
    const known = epochs.get(each) ?? epoch;
    epochs.set(each, known);
    if (epoch !== known) stale = `${each} is at epoch ${epoch}, this process began under ${known}: restart it`;
    return epoch === known;
  };
  readiness.add('epoch', () => (stale === '' ? { ok: true } : { ok: false, detail: stale }));
  return async () => ({
    open: await openScopes(aggregates, await queries.scopes(), isCurrent),
    mayRemoveArtifacts: mayRemoveArtifacts((await aggregates.edgeMaintenance.load(scope, { maxAgeMs: 250 })).state),
  });
};

/**
 * From now on operators can have the node resynced. Does it at once after a restore, and then opens the gate: workers that
 * do not start keep no other from going on.
 */
export const offerResync = async (parts: Parts, { resync }: Pick<EdgePart, 'resync'>): Promise<void> => {
  parts.running.resync = resync;
  const state = await readScope(parts);
  if (state.status === 'absent' || !state.restoring) return;
  const { started, stopped, kept, failed } = await resync(new AbortController().signal);
  const data = { started: started.length, stopped: stopped.length, kept: kept.length, failed: failed.length };
  await must(sendMaintenance(parts, { type: 'RecordEdgeResync', data }, 'node'));
  parts.logger.info(data, 'restore: this node runs what the log says; deployments go on');
};

const must = async (sending: ReturnType<typeof sendMaintenance>): Promise<void> => {
  const sent = await sending;
  if (!sent.ok) throw new Error(`The deployment scope cannot be brought up to date: ${sent.rejection.reason}`);
};
