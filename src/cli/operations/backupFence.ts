import { sendMaintenance } from '../../commands/edgeMaintenance.ts';
import type { Parts } from '../../parts.ts';
import { systemClock } from '../../platform/clock/system.ts';
import { readCheckpoints } from '../../projections/engine/index.ts';
import { OperationRefused } from './operation.ts';

/** How long a backup may take beside waiting for leases; then the next one may give it up. */
const longestMs = 60 * 60 * 1000;
const lookMs = 50;
const tablePatienceMs = 2_000;
/** Whoever looked at the gate right before it closed has its lease by then. */
const lateLeaseMs = 250;

export type Fence = {
  readonly fenceId: string;
  /** The gate is closed; nobody holds a deployment of this scope. Answers the position of the fence. */
  readonly position: bigint;
  readonly epoch: number;
  readonly closedAt: number;
};

export type FenceOptions = {
  readonly fenceId: string;
  readonly waitMs: number;
  readonly signal: AbortSignal;
  readonly onWaiting: (leases: readonly string[]) => Promise<void> | void;
};

/** Closes the gate, waits until leases have finished, and marks the place in the log. Whoever calls releases or abandons. */
export const raiseFence = async (parts: Parts, options: FenceOptions): Promise<Fence> => {
  const { fenceId, waitMs } = options;
  const closedAt = systemClock.now();
  const owner = `${parts.folder.nodeId}/${process.pid}`;
  const data = { fenceId, owner, now: closedAt, expiresAt: closedAt + waitMs + longestMs };
  const raised = await send(parts, { type: 'RaiseBackupFence', data });
  if (waitMs > 0) await untilNobodyHolds(parts, raised.position, options);
  const fenced = await send(parts, { type: 'FenceBackup', data: { fenceId } });
  const epoch = fenced.state.status === 'absent' ? 0 : fenced.state.epoch;
  return { fenceId, position: fenced.position, epoch, closedAt };
};

type Command = Parameters<typeof sendMaintenance>[1];

/** Throws OperationRefused for an expected "no". */
export const send = async (parts: Parts, command: Command) => {
  const sent = await sendMaintenance(parts, command, 'backup');
  if (sent.ok) return sent;
  throw new OperationRefused(codeOf(sent.rejection.rejected), sent.rejection.reason);
};

const codeOf = (rejected: string): string => rejected.replaceAll(/(?<=[a-z])(?=[A-Z])/g, '_').toLowerCase();

const untilNobodyHolds = async (parts: Parts, raisedAt: bigint, options: FenceOptions): Promise<void> => {
  const { waitMs, signal, onWaiting } = options;
  await untilTableHas(parts, raisedAt, signal);
  const until = performance.now() + waitMs;
  let told = '';
  let quiet = false;
  for (;;) {
    signal.throwIfAborted();
    const leases = await parts.queries.leasedDeployments({ scope: parts.scope, now: systemClock.now() });
    if (leases.length === 0 && quiet) return;
    quiet = leases.length === 0;
    if (quiet) {
      await systemClock.sleep(lateLeaseMs, signal);
      await untilTableHas(parts, await parts.log.head(), signal);
      continue;
    }
    if (leases.join() !== told) await onWaiting(leases);
    told = leases.join();
    if (performance.now() >= until) throw stillHeld(leases, waitMs);
    await systemClock.sleep(lookMs, signal);
  }
};

const stillHeld = (leases: readonly string[], waitMs: number): OperationRefused =>
  new OperationRefused(
    'leases_held',
    `After ${Math.round(waitMs / 1000)} s deployments are still being carried out: ${leases.join(', ')}. ` +
      'Wait longer with --wait, or take the backup as it is with --wait 0: after a restore they are looked at.',
  );

/** A table that nobody moves now (no server runs, or it stopped) is judged as it is. */
const untilTableHas = async ({ database }: Parts, position: bigint, signal: AbortSignal): Promise<void> => {
  const until = performance.now() + tablePatienceMs;
  while (performance.now() < until && !signal.aborted) {
    const checkpoint = (await readCheckpoints(database.session)).get('edge_worker_outbox');
    if ((checkpoint?.position ?? 0n) >= position || (checkpoint?.stopped ?? '') !== '') return;
    await systemClock.sleep(lookMs, signal);
  }
};
