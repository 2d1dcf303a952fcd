import type { LogBatch, StoredEvent } from '../../platform/eventLog/port.ts';
import { errorMessage } from '../../platform/log/port.ts';
import { type Applied, type Apply, CheckpointMoved, type Prepared } from './apply.ts';
import { backoffMs } from './backoff.ts';
import { recordStop } from './checkpoints.ts';
import { type Core, leaveLanes } from './core.ts';
import type { Lane } from './lane.ts';
import { reload } from './reload.ts';
import { TableFailure } from './tableFailure.ts';
import type { TableState } from './tableState.ts';
import { dependentsOf } from './topology.ts';

/** Writes a batch for the tables of a lane, for as long as it takes; a table that cannot have an event stops at it. */
export const writeBatch = async (
  core: Core,
  apply: Apply,
  lane: Lane,
  batch: LogBatch,
  prepared: Prepared | undefined,
): Promise<void> => {
  await writeRange(core, apply, lane, batch.events, batch.position, prepared);
  if (lane.restart || core.options.signal.aborted) return;
  lane.position = batch.position;
  for (const state of lane.states) state.caughtUp = batch.caughtUp;
  handOver(core, lane);
};

/** Halves what fails until the event is found, so that its neighbours are written and it stops its table. */
const writeRange = async (
  core: Core,
  apply: Apply,
  lane: Lane,
  events: readonly StoredEvent[],
  to: bigint,
  prepared?: Prepared,
): Promise<void> => {
  const { logger, signal, sleep } = core.options;
  for (let attempt = 0; !signal.aborted && !lane.restart; attempt += 1) {
    const participants = [...lane.states].filter((state) => state.position < to);
    if (participants.length === 0 || events.length === 0) return;
    try {
      const ahead = attempt === 0 ? prepared : undefined;
      return await writeOnce(core, () => apply.write(participants, events, to, ahead), participants, events, to);
    } catch (error) {
      if (error instanceof TableFailure) {
        const middle = events.length >> 1;
        const before = events[middle - 1];
        if (before === undefined) {
          await stopTable(core, error, events[0]);
          continue;
        }
        core.halving(error, events.length);
        await writeRange(core, apply, lane, events.slice(0, middle), before.position);
        return writeRange(core, apply, lane, events.slice(middle), to);
      }
      if (!(error instanceof CheckpointMoved)) {
        logger.warn({ error: errorMessage(error) }, 'A batch could not be written: trying again');
        await sleep(backoffMs(attempt), signal);
      }
      await reload(core);
    }
  }
};

const writeOnce = async (
  core: Core,
  write: () => Promise<Applied>,
  participants: readonly TableState[],
  events: readonly StoredEvent[],
  to: bigint,
): Promise<void> => {
  const { now, onBatch, onCommitted } = core.options;
  const startedAt = now();
  const { rows, changed } = await write();
  for (const state of participants) {
    state.position = to;
    state.reason = '';
    state.recordedAt = events.at(-1)?.recordedAt ?? 0;
  }
  core.waiters.check();
  onCommitted?.(to, changed);
  onBatch?.({ position: to, events: events.length, rows, durationMs: now() - startedAt });
};

/** With the tables below it: their rows would hang in the air. */
const stopTable = async (core: Core, error: TableFailure, event: StoredEvent | undefined): Promise<void> => {
  const { database, tables, logger, onStopped } = core.options;
  const at = event === undefined ? '' : ` at ${event.type} ${event.stream}@${event.revision}`;
  const reason = `${errorMessage(error.cause)}${at}`;
  const names = [error.table, ...dependentsOf(error.table, tables)];
  for (const name of names) {
    const state = core.states.get(name);
    if (state === undefined || state.phase !== 'active') continue;
    state.phase = 'stopped';
    state.reason = name === error.table ? reason : `waits for ${error.table}`;
    leaveLanes(core, state);
    logger.error({ table: name, position: String(state.position), reason: state.reason }, 'A read table stopped');
    onStopped?.(name, state.reason);
  }
  core.waiters.check();
  // For other processes to see; this one knows, and a database that does not answer now is dealt with elsewhere.
  await recordStop(database.session, names, `${error.table}: ${reason}`).catch(() => {});
};

/** Between two transactions, a lane that has come as far as the leader gives its tables to it. */
const handOver = (core: Core, lane: Lane): void => {
  const { leader } = core;
  if (leader === undefined || leader.states.size === 0 || leader.abort.signal.aborted) {
    core.leader = lane;
    return;
  }
  if (lane === leader || lane.position < leader.position || leader.restart) return;
  for (const state of lane.states) leader.states.add(state);
  lane.states.clear();
};
