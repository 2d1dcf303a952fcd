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

/** After a batch of this many events or more, the next one is given a moment to gather: fewer transactions, less work. */
const busyEvents = 4;
const gatherMs = 5;

type LaneOptions = {
  readonly log: EventLog;
  readonly maxBatch: number;
  readonly sleep: Sleep;
  readonly onLogTrouble: (error: unknown) => void;
};

type Work<Prepared> = {
  /** Begun as soon as a batch is there, while the one before it is being written. Never rejects. */
  prepare(batch: LogBatch): Promise<Prepared>;
  write(batch: LogBatch, prepared: Prepared): Promise<void>;
};

/** Writes every batch, in order, one batch ahead in reading while it catches up. Ends when aborted or when no table is left in the lane. */
export const runLane = async <Prepared>(lane: Lane, options: LaneOptions, work: Work<Prepared>): Promise<void> => {
  const live = (): boolean => !lane.abort.signal.aborted && lane.states.size > 0;
  for (let attempt = 0; live(); attempt += 1) {
    try {
      await readOnce(lane, options, work, () => {
        attempt = 0;
      });
    } catch (error) {
      if (!live()) return;
      options.onLogTrouble(error);
    }
    if (live() && !lane.restart) await options.sleep(backoffMs(attempt), lane.abort.signal);
  }
};

const readOnce = async <Prepared>(
  lane: Lane,
  options: LaneOptions,
  work: Work<Prepared>,
  onProgress: () => void,
): Promise<void> => {
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
  const next = async (): Promise<{ batch: LogBatch; prepared: Promise<Prepared> } | undefined> => {
    const result = await batches.next();
    if (result.done === true) return undefined;
    lane.pending += result.value.events.length;
    return { batch: result.value, prepared: work.prepare(result.value) };
  };
  try {
    let ahead = next();
    while (lane.states.size > 0 && !lane.restart) {
      const read = await ahead;
      if (read === undefined || lane.abort.signal.aborted) return;
      const { batch, prepared } = read;
      // At the end of the log, what arrives during a write becomes one batch instead of two.
      if (!batch.caughtUp) ahead = next();
      // Looked at in the next round; until then a failure must not count as unhandled.
      ahead.catch(() => {});
      await work.write(batch, await prepared);
      if (batch.caughtUp && batch.events.length >= busyEvents) await options.sleep(gatherMs, lane.abort.signal);
      if (batch.caughtUp) ahead = next();
      lane.pending -= batch.events.length;
      onProgress();
    }
  } finally {
    lane.abort.signal.removeEventListener('abort', stop);
    reading.abort();
    lane.pending = 0;
  }
};
