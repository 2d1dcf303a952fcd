import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { EventLog, StoredEvent } from '../../platform/eventLog/port.ts';
import type { AnyTable } from '../table.ts';
import type { ChainHeads } from './chain.ts';
import { checkpointTable, registerTable, resetCheckpoints } from './checkpoints.ts';
import {
  addForeignKeys,
  addPrimaryKey,
  addUnique,
  createBare,
  createWhole,
  indexesOf,
  isMysqlFamily,
  tableExists,
} from './ddl.ts';
import { type FlushContext, flush } from './flush.ts';
import { type Decode, type Folded, foldInSlices } from './fold.ts';
import { severalAtOnce } from './severalAtOnce.ts';
import { cascadingTables, dependentsOf, parentsFirst } from './topology.ts';

export type ReplayProgress = { readonly events: number; readonly rows: number; readonly position: bigint };

/** The end of a replay: the first event after it, by position or by the time it was recorded, is left out. */
export type Until = { readonly position: bigint } | { readonly time: number };

/** Tables that are filled from nothing, with keys and constraints only as far as something needed them. */
export type Loader = {
  /** Parents before children. */
  readonly tables: readonly AnyTable[];
  readonly progress: () => ReplayProgress;
  /** Replays from where it stands to the end of the log, or to `until`; in the session given, if any. */
  load(until?: Until, inside?: Session): Promise<void>;
  /** All keys, indexes and constraints. */
  finish(): Promise<void>;
};

export type LoaderOptions = {
  readonly log: Pick<EventLog, 'readAllBatches'>;
  readonly database: SqlDatabase;
  readonly tables: readonly AnyTable[];
  readonly decode: Decode;
  readonly suffix: string;
  readonly signal?: AbortSignal;
  readonly onProgress?: (progress: ReplayProgress) => void;
};

const batchSize = 2_000;
const indexesAtOnce = 2;

export const createLoader = (options: LoaderOptions): Loader => {
  const { database, suffix, decode, log, signal } = options;
  const { session, kind } = database;
  const tables = parentsFirst(options.tables);
  const cascading = cascadingTables(tables);
  const keyed = new Set<string>(isMysqlFamily(kind) ? tables.map((table) => table.name) : []);
  const heads: ChainHeads = new Map();
  const indexed = new Set<string>();
  let progress: ReplayProgress = { events: 0, rows: 0, position: 0n };

  const addKey = async (table: AnyTable, own: Session): Promise<void> => {
    if (keyed.has(table.name)) return;
    await addPrimaryKey(own, table, suffix);
    keyed.add(table.name);
  };

  /** In the session of whoever needs it: MySQL would make a second one wait for the first. */
  const finish = async (own: Session = session, wanted: readonly AnyTable[] = tables): Promise<void> => {
    const fresh = wanted.filter((table) => !indexed.has(table.name));
    for (const table of fresh) {
      signal?.throwIfAborted();
      await addKey(table, own);
      await addUnique(own, kind, table, suffix);
    }
    // Outside of a transaction each finds a connection of its own, and the server a core for it.
    const width = kind === 'postgres' && own === session ? indexesAtOnce : 1;
    const indexes = fresh.flatMap((table) => indexesOf(kind, table, suffix));
    await severalAtOnce(width, indexes, async (index) => {
      signal?.throwIfAborted();
      await index.execute(own);
    });
    for (const table of fresh) {
      for (const parent of tables.filter(({ name }) => isParent(name, table))) await addKey(parent, own);
      await addForeignKeys(own, table, suffix);
      indexed.add(table.name);
    }
  };

  /** A table and those that a removal from it reaches. */
  const reachedFrom = (table: AnyTable): readonly AnyTable[] => {
    const below = dependentsOf(table.name, tables);
    return tables.filter((each) => each === table || below.has(each.name));
  };

  const context: FlushContext = {
    ...{ database, tables, suffix, heads, headsInTable: false, onOrphans: () => {} },
    // A table that is only ever inserted into stays without indexes to the end; a cascade needs those that it reaches.
    prepare: (need, table, own) => (need === 'key' ? addKey(table, own) : finish(own, reachedFrom(table))),
  };

  const write = (folded: Folded, own: Session | undefined): Promise<number> =>
    own === undefined ? database.transaction((inside) => flush(inside, context, folded)) : flush(own, context, folded);

  /** Reads and folds a batch while the one before it is written. */
  const load = async (until?: Until, own?: Session): Promise<void> => {
    let writing: Promise<void> = Promise.resolve();
    const participants = tables.map((table) => ({ table, position: -1n }));
    try {
      for await (const batch of log.readAllBatches({ after: progress.position, maxBatch: batchSize })) {
        signal?.throwIfAborted();
        const events = until === undefined ? batch.events : before(batch.events, until);
        const complete = events.length === batch.events.length;
        const folded = await foldInSlices(events, participants, { database, cascading, decode });
        await writing;
        const position = complete ? batch.position : (events.at(-1)?.position ?? progress.position);
        writing = write(folded, own).then((rows) => {
          progress = { events: progress.events + events.length, rows: progress.rows + rows, position };
          options.onProgress?.(progress);
        });
        // Awaited in the next round or at the end; until then a failure must not count as unhandled.
        writing.catch(() => {});
        if (!complete) break;
      }
    } finally {
      await writing;
    }
  };

  return { tables, progress: () => progress, load, finish };
};

const isParent = (name: string, table: AnyTable): boolean =>
  Object.values(table.foreignKeys).some(({ references }) => references === name);

const before = (events: readonly StoredEvent[], until: Until): readonly StoredEvent[] => {
  const isAfter = (event: StoredEvent): boolean =>
    'position' in until ? event.position > until.position : event.recordedAt > until.time;
  const end = events.findIndex(isAfter);
  return end === -1 ? events : events.slice(0, end);
};

/**
 * Builds the read model as of a time or position in a scratch database that has none of these tables. Answers how far it
 * came. Throws TableFailure when a handler throws, and when the signal aborts.
 */
export const replayInto = async (
  database: SqlDatabase,
  options: Omit<LoaderOptions, 'database' | 'suffix'> & { readonly until?: Until },
): Promise<ReplayProgress> => {
  const { session, kind } = database;
  for (const { name } of [checkpointTable, ...options.tables]) {
    if (await tableExists(session, kind, name)) throw new Error(`The scratch database already has a table ${name}`);
  }
  await createWhole(database, checkpointTable);
  const loader = createLoader({ ...options, database, suffix: '' });
  for (const table of loader.tables) {
    await registerTable(session, table.name, 0);
    await createBare(session, kind, table, '');
  }
  await loader.load(options.until);
  await loader.finish();
  await resetCheckpoints(session, loader.tables, loader.progress().position, '');
  return loader.progress();
};
