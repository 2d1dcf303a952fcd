import type { HeldLock, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { type Checkpoint, checkpointTable, readCheckpoints, registerTable, resetCheckpoints } from './checkpoints.ts';
import { createWhole, tableExists } from './ddl.ts';
import { finishSwap } from './swap.ts';
import { joinedTo, parentsFirst } from './topology.ts';

export type CreatedTables = {
  readonly created: readonly string[];
  /** Tables of another version or of unknown content. They are not followed until `rebuild` has replaced them. */
  readonly outdated: readonly string[];
};

/** Held while tables are created, rebuilt or swapped, by one process at a time. */
const schemaLock = 'opslog-read-tables';

export const acquireSchemaLock = async (database: SqlDatabase, timeoutMs: number): Promise<HeldLock> => {
  for (let waited = 0; waited < timeoutMs; waited += 50) {
    const lock = await database.tryLock(schemaLock);
    if (lock !== undefined) return lock;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error('Another process has been creating or rebuilding read tables for too long');
};

/** Creates what is missing and alters nothing. Throws when another process does not finish doing so in time. */
export const createTables = async (database: SqlDatabase, tables: readonly AnyTable[]): Promise<CreatedTables> => {
  const lock = await acquireSchemaLock(database, 30_000);
  try {
    if (!(await tableExists(database.session, database.kind, checkpointTable.name))) {
      await createWhole(database, checkpointTable);
    }
    await finishSwap(database, tables);
    const created = await createMissing(database, parentsFirst(tables));
    return { created, outdated: outdatedTables(tables, await readCheckpoints(database.session)) };
  } finally {
    await lock.release();
  }
};

/** Names of tables whose registered version is another, and of those that foreign keys join to them. */
export const outdatedTables = (tables: readonly AnyTable[], checkpoints: ReadonlyMap<string, Checkpoint>): string[] => {
  const other = tables.filter((table) => checkpoints.get(table.name)?.version !== table.version);
  return joinedTo(new Set(other.map((table) => table.name)), tables).map((table) => table.name);
};

/** No version of a table has this number: its rows are of unknown origin. */
const unknownVersion = 0;

/** Declares all rows to be of unknown origin: nobody follows the log into them any more, until `rebuild` has replaced them. */
export const disownTables = async (database: SqlDatabase, tables: readonly AnyTable[]): Promise<void> => {
  const lock = await acquireSchemaLock(database, 30_000);
  try {
    const unknown = tables.map(({ name }) => ({ name, version: unknownVersion }));
    await database.transaction((session) => resetCheckpoints(session, unknown, 0n, ''));
  } finally {
    await lock.release();
  }
};

const createMissing = async (database: SqlDatabase, tables: readonly AnyTable[]): Promise<string[]> => {
  const { session, kind } = database;
  const before = await readCheckpoints(session);
  const created: string[] = [];
  for (const table of tables) {
    const exists = await tableExists(session, kind, table.name);
    const known = before.get(table.name);
    if (exists && known !== undefined) continue;
    // The registry first: what a crash leaves behind is then a checkpoint at 0 without a table, which is true.
    const version = exists || isLate(table, tables, before) ? unknownVersion : table.version;
    if (known === undefined) await registerTable(session, table.name, version);
    else await resetCheckpoints(session, [{ name: table.name, version }], 0n, '');
    if (exists) continue;
    await createWhole(database, table);
    created.push(table.name);
  }
  return created;
};

/** Tables joined by foreign keys stand at one point of history, so a new one cannot catch up by itself with the others. */
const isLate = (table: AnyTable, tables: readonly AnyTable[], before: ReadonlyMap<string, Checkpoint>): boolean =>
  joinedTo(new Set([table.name]), tables).some(({ name }) => (before.get(name)?.position ?? 0n) > 0n);
