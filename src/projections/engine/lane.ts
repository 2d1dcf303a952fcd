import type { EventLog, LogBatch } from '../../platform/eventLog/port.ts';
import { backoffMs, type Sleep } from './backoff.ts';
import type { TableState } from './tableState.ts';

/** Tables that follow the log by one reading. A table that is behind has a lane of its own until it has caught up. */
export type Lane = {
  readonly states: Set<TableState>;
  readonly abort: AbortController;
  /** Everything up to here was handed to the tables. */
  position: bigint;
  /** Events read and not yet written. */
  pending: number;
  /** A table was set back: read again from its checkpoint. */
  restart: boolean;
};

export const createLane = (states: Iterable<TableState>, parent: AbortSignal): Lane => {
  const abort = new AbortController();
  parent.addEventListener('abort', () => abort.abort(), { once: true, signal: abort.signal });
  if (parent.aborted) abort.abort();
  return { states: new Set(states), abort, position: 0n, pending: 0, restart: false };
};

export const startOf = (lane: Lane): bigint => {
  let lowest: bigint | undefined;
  for (const { position } of lane.states) if (lowest === undefined || position < lowest) lowest = position;
  return lowest ?? 0n;
};

type LaneOptions = {
  readonly log: EventLog;
  readonly maxBatch: number;
  readonly sleep: Sleep;
  readonly onLogTrouble: (error: unknown) => void;
};

/** Hands every batch to `apply`, in order, reading one batch ahead. Ends when aborted or when no table is left in it. */
export const runLane = async (
  lane: Lane,
  options: LaneOptions,
  apply: (batch: LogBatch) => Promise<void>,
): Promise<void> => {
  const live = (): boolean => !lane.abort.signal.aborted && lane.states.size > 0;
  for (let attempt = 0; live(); attempt += 1) {
    try {
      await readOnce(lane, options, async (batch) => {
        await apply(batch);
        attempt = 0;
      });
    } catch (error) {
      if (!live()) return;
      options.onLogTrouble(error);
    }
    if (live() && !lane.restart) await options.sleep(backoffMs(attempt), lane.abort.signal);
  }
};

const readOnce = async (lane: Lane, options: LaneOptions, apply: (batch: LogBatch) => Promise<void>): Promise<void> => {
  lane.restart = false;
  lane.position = startOf(lane);
  const reading = new AbortController();
  const stop = (): void => reading.abort();
  lane.abort.signal.addEventListener('abort', stop, { once: true });
  const batches = options.log
    .subscribe({
      ...(lane.position > 0n ? { after: lane.position } : {}),
      maxBatch: options.maxBatch,
      signal: reading.signal,
    })
    [Symbol.asyncIterator]();
  try {
    let ahead = nextOf(batches, lane);
    while (lane.states.size > 0 && !lane.restart) {
      const result = await ahead;
      if (result.done === true || lane.abort.signal.aborted) return;
      ahead = nextOf(batches, lane);
      // Looked at in the next round; until then a failure must not count as unhandled.
      ahead.catch(() => {});
      await apply(result.value);
      lane.pending -= result.value.events.length;
    }
  } finally {
    lane.abort.signal.removeEventListener('abort', stop);
    reading.abort();
    lane.pending = 0;
  }
};

const nextOf = async (batches: AsyncIterator<LogBatch>, lane: Lane): Promise<IteratorResult<LogBatch>> => {
  const result = await batches.next();
  if (result.done !== true) lane.pending += result.value.events.length;
  return result;
};
