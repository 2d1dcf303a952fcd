import type { SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { sleep } from './backoff.ts';
import { type Checkpoint, readCheckpoints } from './checkpoints.ts';
import { createWaiters, type WaitOptions, type WaitOutcome } from './waiters.ts';

/** Waits for a projector in another process. */
export type CheckpointWatch = { waitFor(position: bigint, options: WaitOptions): Promise<WaitOutcome> };

const pollMs = 10;

/** Looks at the checkpoints while somebody waits, once for all who wait. */
export const watchCheckpoints = (
  database: SqlDatabase,
  tables: readonly AnyTable[],
  signal: AbortSignal = new AbortController().signal,
): CheckpointWatch => {
  const waiters = createWaiters();
  let checkpoints: ReadonlyMap<string, Checkpoint> = new Map();
  let waiting = 0;
  let polling = false;

  const poll = async (): Promise<void> => {
    polling = true;
    while (waiting > 0 && !signal.aborted) {
      // A database that does not answer makes the waits run into their own time limits.
      checkpoints = await readCheckpoints(database.session).catch(() => checkpoints);
      waiters.check();
      if (waiting > 0) await sleep(pollMs, signal);
    }
    polling = false;
  };

  const answer = (position: bigint, names: readonly string[]): WaitOutcome | undefined => {
    const missing = names.map((name) => checkpoints.get(name)).filter((each) => !isThere(each, position));
    if (missing.length === 0) return 'reached';
    return missing.some((each) => each !== undefined && each.stopped !== '') ? 'stopped' : undefined;
  };

  return {
    waitFor: async (position, { timeoutMs, tables: wanted }) => {
      const names = wanted ?? tables.map((table) => table.name);
      waiting += 1;
      const outcome = waiters.wait(() => answer(position, names), timeoutMs);
      if (!polling) void poll();
      try {
        return await outcome;
      } finally {
        waiting -= 1;
      }
    },
  };
};

const isThere = (checkpoint: Checkpoint | undefined, position: bigint): boolean =>
  checkpoint !== undefined && checkpoint.state === '' && checkpoint.position >= position;
