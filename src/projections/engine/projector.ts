import type { SqlDatabase } from '../../platform/database/port.ts';
import type { EventLog, LogBatch, StoredEvent } from '../../platform/eventLog/port.ts';
import type { AnyTable } from '../table.ts';
import { CheckpointMoved, createApply } from './apply.ts';
import { backoffMs, sleep as realSleep, type Sleep } from './backoff.ts';
import { type Checkpoint, readCheckpoints, recordStop } from './checkpoints.ts';
import { acquireSchemaLock, outdatedTables } from './createTables.ts';
import type { Decode } from './fold.ts';
import { createLane, type Lane, runLane, startOf } from './lane.ts';
import { finishSwap } from './swap.ts';
import { TableFailure } from './tableFailure.ts';
import { statusOf, type TableState, type TableStatus } from './tableState.ts';
import { dependentsOf } from './topology.ts';
import { createWaiters, type WaitOptions, type WaitOutcome } from './waiters.ts';

export type ProjectorLogger = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
  error(fields: Readonly<Record<string, unknown>>, message: string): void;
};

export type CommittedBatch = {
  readonly position: bigint;
  readonly events: number;
  readonly rows: number;
  readonly durationMs: number;
};

export type ProjectorOptions = {
  readonly log: EventLog;
  readonly database: SqlDatabase;
  /** Created by `createTables` before. */
  readonly tables: readonly AnyTable[];
  readonly decode: Decode;
  readonly logger: ProjectorLogger;
  /** Ends the projector; what is being written is finished first. */
  readonly signal: AbortSignal;
  /** Events in one transaction at most; 1,000 when not given. */
  readonly maxBatch?: number;
  /** After each commit; `changed` names the tables that were written (a cascade counts for its parent). */
  readonly onCommitted?: (position: bigint, changed: ReadonlySet<string>) => void;
  readonly onStopped?: (table: string, reason: string) => void;
  /** Rows left out because their parent was removed. */
  readonly onOrphans?: (table: string, rows: number) => void;
  readonly onBatch?: (batch: CommittedBatch) => void;
  readonly now?: () => number;
  readonly sleep?: Sleep;
};

export type Projector = {
  status(): readonly TableStatus[];
  /** Tries stopped tables again, and looks whether outdated ones were rebuilt. */
  resume(): Promise<void>;
  /** Resolves when the tables have everything up to the position. */
  waitFor(position: bigint, options: WaitOptions): Promise<WaitOutcome>;
  /** Resolves after the signal, when nothing is running any more. */
  readonly done: Promise<void>;
};

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/**
 * Follows the log and keeps the read tables equal to it. A table whose handler throws, or whose row the database
 * refuses, stops at that event with the tables below it; the others go on. Loss of log or database is waited out.
 */
export const startProjector = (options: ProjectorOptions): Projector => {
  const { log, database, tables, logger, signal } = options;
  const now = options.now ?? Date.now;
  const sleep = options.sleep ?? realSleep;
  const states = new Map<string, TableState>(
    tables.map((table) => [
      table.name,
      { table, position: 0n, phase: 'loading', reason: '', caughtUp: false, recordedAt: 0 },
    ]),
  );
  const apply = createApply({
    database,
    tables,
    decode: options.decode,
    onOrphans: (table, rows) => {
      logger.warn({ table, rows }, 'Rows were left out because their parent is gone');
      options.onOrphans?.(table, rows);
    },
  });
  const waiters = createWaiters();
  const lanes = new Set<Lane>();
  const running = new Set<Promise<void>>();
  let leader: Lane | undefined;
  let turn: Promise<unknown> = Promise.resolve();

  /** One writer at a time: lanes may hand tables to each other only between two transactions. */
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const track = (work: Promise<void>): void => {
    const tracked = work
      .catch((error: unknown) => logger.error({ error: messageOf(error) }, 'The projector met a defect'))
      .finally(() => running.delete(tracked));
    running.add(tracked);
  };

  const leave = (state: TableState): void => {
    for (const lane of lanes) lane.states.delete(state);
  };

  // ---- stopping and loading tables -------------------------------------------------------------------------------

  const stop = async (name: string, event: StoredEvent | undefined, error: TableFailure): Promise<void> => {
    const at = event === undefined ? '' : ` at ${event.type} ${event.stream}@${event.revision}`;
    const reason = `${messageOf(error.cause)}${at}`;
    const stopped = [name, ...dependentsOf(name, tables)];
    for (const each of stopped) {
      const state = states.get(each);
      if (state === undefined || state.phase !== 'active') continue;
      state.phase = 'stopped';
      state.reason = each === name ? reason : `waits for ${name}`;
      leave(state);
      logger.error({ table: each, position: String(state.position), reason: state.reason }, 'A read table stopped');
      options.onStopped?.(each, state.reason);
    }
    waiters.check();
    await recordStop(database.session, stopped, `${name}: ${reason}`).catch(() => {});
  };

  /** Takes over what the database says. Throws when it cannot be read. */
  const adopt = (checkpoints: ReadonlyMap<string, Checkpoint>): void => {
    const outdated = new Set(outdatedTables(tables, checkpoints));
    const moved = new Map<bigint, Set<string>>();
    for (const state of states.values()) {
      const checkpoint = checkpoints.get(state.table.name);
      if (checkpoint === undefined || outdated.has(state.table.name)) {
        if (state.phase !== 'outdated') logger.warn({ table: state.table.name }, 'A read table waits for its rebuild');
        state.phase = 'outdated';
        leave(state);
        continue;
      }
      if (checkpoint.position < state.position) for (const lane of lanes) lane.restart ||= lane.states.has(state);
      if (checkpoint.position > state.position) {
        moved.set(checkpoint.position, (moved.get(checkpoint.position) ?? new Set()).add(state.table.name));
      }
      state.position = checkpoint.position;
      if (state.phase === 'outdated' || state.phase === 'loading') {
        state.phase = 'active';
        state.reason = '';
      }
    }
    waiters.check();
    // Written by somebody else, or by a commit of ours that went unanswered: what changed is not known exactly.
    for (const [position, names] of moved) options.onCommitted?.(position, names);
  };

  const isSwapping = (checkpoints: ReadonlyMap<string, Checkpoint>): boolean =>
    tables.some((table) => checkpoints.get(table.name)?.state === 'swapping');

  /** Reads the checkpoints again, for as long as it takes. A swap that its owner did not live to finish is finished. */
  const reload = async (): Promise<void> => {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      try {
        const checkpoints = await readCheckpoints(database.session);
        if (!isSwapping(checkpoints)) return adopt(checkpoints);
        if (attempt > 3) await takeOverSwap();
      } catch (error) {
        logger.warn({ error: messageOf(error) }, 'The checkpoints cannot be read: trying again');
      }
      await sleep(backoffMs(attempt), signal);
    }
  };

  const takeOverSwap = async (): Promise<void> => {
    const lock = await acquireSchemaLock(database, 50);
    await finishSwap(database, tables).finally(() => lock.release());
  };

  // ---- applying --------------------------------------------------------------------------------------------------

  const committed = (
    done: readonly TableState[],
    events: readonly StoredEvent[],
    to: bigint,
    changed: ReadonlySet<string>,
  ): void => {
    const recordedAt = events.at(-1)?.recordedAt ?? 0;
    for (const state of done) {
      state.position = to;
      state.reason = '';
      state.recordedAt = recordedAt;
    }
    waiters.check();
    options.onCommitted?.(to, changed);
  };

  /** Halves a batch that fails until the event is found, so that its neighbours are written and it stops its table. */
  const applyRange = async (lane: Lane, events: readonly StoredEvent[], to: bigint): Promise<void> => {
    for (let attempt = 0; !signal.aborted; attempt += 1) {
      const participants = [...lane.states].filter((state) => state.position < to);
      if (participants.length === 0 || events.length === 0) return;
      const startedAt = now();
      try {
        const { rows, changed } = await apply(participants, events, to);
        committed(participants, events, to, changed);
        options.onBatch?.({ position: to, events: events.length, rows, durationMs: now() - startedAt });
        return;
      } catch (error) {
        if (error instanceof TableFailure) {
          const middle = events.length >> 1;
          const before = events[middle - 1];
          if (before !== undefined) {
            await applyRange(lane, events.slice(0, middle), before.position);
            return applyRange(lane, events.slice(middle), to);
          }
          await stop(error.table, events[0], error);
          continue;
        }
        if (!(error instanceof CheckpointMoved)) {
          logger.warn({ error: messageOf(error) }, 'A batch could not be written: trying again');
          await sleep(backoffMs(attempt), signal);
        }
        await reload();
        if (lane.restart) return;
      }
    }
  };

  const handOver = (lane: Lane): void => {
    if (leader === undefined || leader.states.size === 0 || leader.abort.signal.aborted) leader = lane;
    if (lane === leader || lane.position < leader.position || leader.restart) return;
    for (const state of lane.states) leader.states.add(state);
    lane.states.clear();
  };

  const applyBatch = async (lane: Lane, batch: LogBatch): Promise<void> => {
    await applyRange(lane, batch.events, batch.position);
    if (lane.restart || signal.aborted) return;
    lane.position = batch.position;
    for (const state of lane.states) state.caughtUp = batch.caughtUp;
    handOver(lane);
  };

  // ---- lanes -----------------------------------------------------------------------------------------------------

  const laneOptions = {
    log,
    maxBatch: options.maxBatch ?? 1_000,
    sleep,
    onLogTrouble: (error: unknown) => logger.warn({ error: messageOf(error) }, 'The log cannot be read: trying again'),
  };

  const openLane = (members: readonly TableState[]): void => {
    const lane = createLane(members, signal);
    lanes.add(lane);
    lane.position = startOf(lane);
    if (leader === undefined || leader.states.size === 0 || lane.position > leader.position) leader = lane;
    const run = runLane(lane, laneOptions, (batch) => inTurn(() => applyBatch(lane, batch)));
    track(
      run.finally(() => {
        lane.abort.abort();
        lanes.delete(lane);
        if (leader === lane) leader = undefined;
      }),
    );
  };

  /** Gives every active table that has none a lane: one for all that stand at the same position. */
  const openLanes = (): void => {
    const idle = new Map<bigint, TableState[]>();
    for (const state of states.values()) {
      if (state.phase !== 'active' || [...lanes].some((lane) => lane.states.has(state))) continue;
      idle.set(state.position, [...(idle.get(state.position) ?? []), state]);
    }
    for (const members of idle.values()) openLane(members);
  };

  const resume = (): Promise<void> =>
    inTurn(async () => {
      for (const state of states.values()) if (state.phase === 'stopped') state.phase = 'loading';
      await reload();
      if (!signal.aborted) openLanes();
    });

  const watchOutdated = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(1_000, signal);
      if ([...states.values()].some((state) => state.phase === 'outdated')) {
        await inTurn(reload);
        if (!signal.aborted) openLanes();
      }
    }
  };

  track(resume());
  track(watchOutdated());
  const aborted = new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  const finish = async (): Promise<void> => {
    await aborted;
    while (running.size > 0) await Promise.all(running);
  };

  const answer = (position: bigint, wanted: readonly TableState[]): WaitOutcome | undefined => {
    const missing = wanted.filter((state) => state.position < position);
    if (missing.length === 0) return 'reached';
    return missing.some((state) => state.phase === 'stopped') ? 'stopped' : undefined;
  };

  return {
    status: () => {
      const pendingOf = (state: TableState): number => [...lanes].find((lane) => lane.states.has(state))?.pending ?? 0;
      return [...states.values()].map((state) => statusOf(state, pendingOf(state), now()));
    },
    resume,
    waitFor: (position, { timeoutMs, tables: wanted }) => {
      const asked = [...states.values()].filter((state) => wanted?.includes(state.table.name) ?? true);
      return waiters.wait(() => answer(position, asked), timeoutMs);
    },
    done: finish(),
  };
};
