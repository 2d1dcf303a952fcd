import { errorMessage } from '../../platform/log/port.ts';
import { createApply } from './apply.ts';
import { sleep as realSleep } from './backoff.ts';
import { type Core, laneOf, type ProjectorOptions } from './core.ts';
import { createHalving } from './halving.ts';
import { createLane, runLane, startOf } from './lane.ts';
import { reload } from './reload.ts';
import { statusOf, type TableState, type TableStatus } from './tableState.ts';
import { createWaiters, type WaitOptions, type WaitOutcome } from './waiters.ts';
import { writeBatch } from './writeBatch.ts';

export type { CommittedBatch, ProjectorLogger, ProjectorOptions } from './core.ts';

export type Projector = {
  status(): readonly TableStatus[];
  /** Tries stopped tables again, and looks whether outdated ones were rebuilt. */
  resume(): Promise<void>;
  /** Resolves when the tables have everything up to the position. */
  waitFor(position: bigint, options: WaitOptions): Promise<WaitOutcome>;
  /** Resolves after the signal, when nothing is running any more. */
  readonly done: Promise<void>;
};

/**
 * Follows the log and keeps the read tables equal to it. A table whose handler throws, or whose row the database
 * refuses, stops at that event with the tables below it; the others go on. Loss of log or database is waited out.
 */
export const startProjector = (options: ProjectorOptions): Projector => {
  const core = createCore(options);
  const { signal, sleep, now } = core.options;
  const running = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    const tracked = work
      .catch((error: unknown) => options.logger.error({ error: errorMessage(error) }, 'The projector met a defect'))
      .finally(() => running.delete(tracked));
    running.add(tracked);
  };
  const follow = createFollow(core, track);
  const watchOutdated = async (): Promise<void> => {
    while (!signal.aborted) {
      await sleep(1_000, signal);
      if ([...core.states.values()].some((state) => state.phase === 'outdated')) await follow();
    }
  };
  const resume = (): Promise<void> => {
    for (const state of core.states.values()) if (state.phase === 'stopped') state.phase = 'loading';
    return follow();
  };
  track(follow());
  track(watchOutdated());
  return {
    status: () => [...core.states.values()].map((state) => statusOf(state, laneOf(core, state)?.pending ?? 0, now())),
    resume,
    waitFor: (position, { timeoutMs, tables }) => {
      const asked = [...core.states.values()].filter((state) => tables?.includes(state.table.name) ?? true);
      return core.waiters.wait(() => answer(position, asked), timeoutMs);
    },
    done: ended(signal, running),
  };
};

const createCore = (given: ProjectorOptions): Core => {
  const options = { ...given, now: given.now ?? Date.now, sleep: given.sleep ?? realSleep };
  const { logger, now, onHalved } = options;
  return {
    options,
    states: new Map(
      options.tables.map((table) => [
        table.name,
        { table, position: 0n, phase: 'loading', reason: '', caughtUp: false, recordedAt: 0 },
      ]),
    ),
    waiters: createWaiters(),
    halving: createHalving({ logger, now, onHalved }),
    lanes: new Set(),
    leader: undefined,
  };
};

const ended = async (signal: AbortSignal, running: ReadonlySet<Promise<void>>): Promise<void> => {
  await new Promise<void>((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
  while (running.size > 0) await Promise.all(running);
};

const answer = (position: bigint, wanted: readonly TableState[]): WaitOutcome | undefined => {
  const missing = wanted.filter((state) => state.position < position);
  if (missing.length === 0) return 'reached';
  return missing.some((state) => state.phase === 'stopped') ? 'stopped' : undefined;
};

/** Answers the function that reads the checkpoints and gives every active table that has none a lane. */
const createFollow = (core: Core, track: (work: Promise<void>) => void): (() => Promise<void>) => {
  const { log, database, tables, decode, logger, signal, sleep } = core.options;
  const apply = createApply({
    database,
    tables,
    decode,
    onOrphans: (table, rows) => {
      logger.warn({ table, rows }, 'Rows were left out because their parent is gone');
      core.options.onOrphans?.(table, rows);
    },
  });
  const laneOptions = {
    log,
    maxBatch: core.options.maxBatch ?? 1_000,
    sleep,
    onLogTrouble: (error: unknown) =>
      logger.warn({ error: errorMessage(error) }, 'The log cannot be read: trying again'),
  };

  // One writer at a time: lanes may hand tables to each other only between two transactions.
  let turn: Promise<unknown> = Promise.resolve();
  const inTurn = <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = turn.then(work);
    turn = result.catch(() => {});
    return result;
  };

  const openLane = (members: readonly TableState[]): void => {
    const lane = createLane(members, signal);
    core.lanes.add(lane);
    lane.position = startOf(lane);
    if (core.leader === undefined || core.leader.states.size === 0 || lane.position > core.leader.position) {
      core.leader = lane;
    }
    const run = runLane(lane, laneOptions, {
      prepare: ({ events }) =>
        apply.prepare(
          [...lane.states].map((state) => state.table),
          events,
        ),
      write: (batch, prepared) => inTurn(() => writeBatch(core, apply, lane, batch, prepared)),
    });
    track(
      run.finally(() => {
        lane.abort.abort();
        core.lanes.delete(lane);
        if (core.leader === lane) core.leader = undefined;
      }),
    );
  };

  return () =>
    inTurn(async () => {
      await reload(core);
      if (signal.aborted) return;
      const idle = [...core.states.values()].filter(
        (state) => state.phase === 'active' && laneOf(core, state) === undefined,
      );
      for (const position of new Set(idle.map((state) => state.position))) {
        openLane(idle.filter((state) => state.position === position));
      }
    });
};
