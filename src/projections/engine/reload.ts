import { errorMessage } from '../../platform/log/port.ts';
import { backoffMs } from './backoff.ts';
import { type Checkpoint, readCheckpoints } from './checkpoints.ts';
import { type Core, laneOf, leaveLanes } from './core.ts';
import { acquireSchemaLock, outdatedTables } from './createTables.ts';
import { finishSwap } from './swap.ts';
import type { TableState } from './tableState.ts';

/** Reads the checkpoints again, for as long as it takes. A swap that its owner did not live to finish is finished. */
export const reload = async (core: Core): Promise<void> => {
  const { database, tables, logger, signal, sleep } = core.options;
  for (let attempt = 0; !signal.aborted; attempt += 1) {
    try {
      const checkpoints = await readCheckpoints(database.session);
      const swapping = tables.some((table) => checkpoints.get(table.name)?.state === 'swapping');
      if (!swapping) return adopt(core, checkpoints);
      if (attempt > 3) await takeOverSwap(core);
    } catch (error) {
      logger.warn({ error: errorMessage(error) }, 'The checkpoints cannot be read: trying again');
    }
    await sleep(backoffMs(attempt), signal);
  }
};

const takeOverSwap = async ({ options: { database, tables } }: Core): Promise<void> => {
  const lock = await acquireSchemaLock(database, 50);
  await finishSwap(database, tables).finally(() => lock.release());
};

const adopt = (core: Core, checkpoints: ReadonlyMap<string, Checkpoint>): void => {
  const { tables, logger, onCommitted } = core.options;
  const outdated = new Set(outdatedTables(tables, checkpoints));
  const moved = new Map<bigint, Set<string>>();
  for (const state of core.states.values()) {
    const { name } = state.table;
    const checkpoint = outdated.has(name) ? undefined : checkpoints.get(name);
    if (checkpoint === undefined) {
      if (state.phase !== 'outdated') logger.warn({ table: name }, 'A read table waits for its rebuild');
      state.phase = 'outdated';
      leaveLanes(core, state);
      continue;
    }
    if (checkpoint.position > state.position) {
      moved.set(checkpoint.position, (moved.get(checkpoint.position) ?? new Set()).add(name));
    }
    takePosition(core, state, checkpoint.position);
  }
  core.waiters.check();
  // Written by somebody else, or by a commit of ours that went unanswered: what changed is not known exactly.
  for (const [position, names] of moved) onCommitted?.(position, names);
};

const takePosition = (core: Core, state: TableState, position: bigint): void => {
  const lane = laneOf(core, state);
  if (lane !== undefined && position < state.position) lane.restart = true;
  state.position = position;
  if (state.phase === 'outdated' || state.phase === 'loading') {
    state.phase = 'active';
    state.reason = '';
  }
};
