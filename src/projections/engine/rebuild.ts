import { sql } from 'kysely';
import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import { backoffMs, sleep } from './backoff.ts';
import { checkpointTable, readCheckpoints, resetCheckpoints } from './checkpoints.ts';
import { acquireSchemaLock } from './createTables.ts';
import { createBare, isMysqlFamily } from './ddl.ts';
import { createLoader, type Loader, type LoaderOptions } from './replay.ts';
import { finishSwap, shadowSuffix, swapInSteps, swapInTransaction } from './swap.ts';
import { joinedTo } from './topology.ts';

export type RebuildPhase = 'replaying' | 'indexing' | 'swapping';

export type RebuildProgress = {
  readonly phase: RebuildPhase;
  readonly events: number;
  readonly rows: number;
  readonly position: bigint;
  /** The end of the log as it was at the start. */
  readonly head: bigint;
};

export type RebuildOptions = Omit<LoaderOptions, 'suffix' | 'onProgress' | 'log'> & {
  readonly log: EventLog;
  /** Names; all tables when not given. Tables that foreign keys join to them are rebuilt along. */
  readonly only?: readonly string[];
  readonly onProgress?: (progress: RebuildProgress) => void;
};

export type Rebuilt = {
  readonly tables: readonly string[];
  readonly events: number;
  readonly rows: number;
  readonly position: bigint;
};

/**
 * Replays the log into shadow tables beside the live ones, which are read and projected meanwhile, and replaces them in
 * one step, checkpoints included. Interrupted anywhere it leaves the old tables or the new ones, and the next run or
 * start cleans up. Throws TableFailure when a handler throws (the live tables stay), and when the signal aborts.
 */
export const rebuild = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { database } = options;
  const lock = await acquireSchemaLock(database, 10_000);
  try {
    await finishSwap(database, options.tables);
    return await rebuildLocked(options);
  } catch (error) {
    // Best effort: the next run or start would do the same.
    await finishSwap(database, options.tables).catch(() => {});
    throw error;
  } finally {
    await lock.release();
  }
};

const rebuildLocked = async (options: RebuildOptions): Promise<Rebuilt> => {
  const { database, log, signal } = options;
  const wanted = new Set(options.only ?? options.tables.map((table) => table.name));
  const head = await log.head();
  const report = (phase: RebuildPhase): void => options.onProgress?.({ phase, ...loader.progress(), head });
  const loader = createLoader({
    ...options,
    tables: joinedTo(wanted, options.tables),
    suffix: shadowSuffix,
    onProgress: () => report('replaying'),
  });
  for (const table of loader.tables) await createBare(database.session, database.kind, table, shadowSuffix);
  await loader.load();
  report('indexing');
  await loader.finish();
  // What was appended while the indexes grew.
  await loader.load();
  signal?.throwIfAborted();
  report('swapping');
  await swap(database, loader, signal);
  const { events, rows, position } = loader.progress();
  return { tables: loader.tables.map((table) => table.name), events, rows, position };
};

/** From here on the live projector waits at its checkpoints, then finds them moved and goes on in the new tables. */
const swap = async (database: SqlDatabase, loader: Loader, signal: AbortSignal | undefined): Promise<void> => {
  for (let attempt = 0; ; attempt += 1) {
    signal?.throwIfAborted();
    try {
      return await (isMysqlFamily(database.kind) ? swapOnMysql(database, loader) : swapOnPostgres(database, loader));
    } catch (error) {
      if (database.classify(error) !== 'conflict' || attempt === 20) throw error;
      await sleep(backoffMs(attempt), signal ?? new AbortController().signal);
    }
  }
};

const swapOnPostgres = (database: SqlDatabase, loader: Loader): Promise<void> =>
  database.transaction(async (session) => {
    // A long read must not make everybody behind this transaction wait with it: give up soon and try again.
    await sql`set local lock_timeout = '1s'`.execute(session);
    const position = await overtake(session, database, loader);
    await swapInTransaction(session, loader.tables);
    await resetCheckpoints(session, loader.tables, position, '');
  });

const swapOnMysql = async (database: SqlDatabase, loader: Loader): Promise<void> => {
  const position = await database.transaction(async (session) => {
    const reached = await overtake(session, database, loader);
    await resetCheckpoints(session, loader.tables, reached, 'swapping');
    return reached;
  });
  await swapInSteps(database, loader.tables, position);
};

/** Holds the live checkpoints and brings the shadows at least as far. Answers where the shadows then are. */
const overtake = async (session: Session, database: SqlDatabase, loader: Loader): Promise<bigint> => {
  const names = loader.tables.map((table) => table.name);
  await sql`select name from ${sql.table(checkpointTable.name)} where name in (${sql.join(names)}) for update`.execute(
    session,
  );
  const checkpoints = await readCheckpoints(session);
  let reached = loader.progress().position;
  for (const name of names) {
    const live = checkpoints.get(name)?.position ?? 0n;
    if (live <= reached) continue;
    // On a connection of its own where there is one: if this transaction has to be tried again, the rows are there.
    await loader.load({ position: live }, database.kind === 'pglite' ? session : undefined);
    reached = live;
  }
  return reached;
};
