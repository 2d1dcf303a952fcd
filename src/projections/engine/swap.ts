import { sql } from 'kysely';
import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { readCheckpoints, resetCheckpoints } from './checkpoints.ts';
import {
  checkSql,
  dropTable,
  type Fragment,
  foreignKeyIndexes,
  foreignKeySql,
  isMysqlFamily,
  keyName,
  tableExists,
} from './ddl.ts';

/** What the names of a rebuild's tables end with, until they take the place of the live ones. */
export const shadowSuffix = '__new';
const retiredSuffix = '__old';

/** PostgreSQL: in the caller's transaction, with the checkpoints, so that it happens or does not. */
export const swapInTransaction = async (session: Session, tables: readonly AnyTable[]): Promise<void> => {
  for (const table of [...tables].reverse())
    await sql`drop table if exists ${sql.table(table.name)} cascade`.execute(session);
  for (const table of tables) {
    await sql`alter table ${sql.table(table.name + shadowSuffix)} rename to ${sql.id(table.name)}`.execute(session);
    for (const name of [keyName(table), ...Object.keys(table.unique), ...Object.keys(table.foreignKeys)]) {
      await sql`alter table ${sql.table(table.name)} rename constraint ${sql.id(name + shadowSuffix)} to ${sql.id(name)}`.execute(
        session,
      );
    }
    for (const name of [...Object.keys(table.indexes), ...Object.keys(foreignKeyIndexes(table))]) {
      await sql`alter index ${sql.id(name + shadowSuffix)} rename to ${sql.id(name)}`.execute(session);
    }
  }
};

/**
 * MySQL commits with every change of a table, so the swap is a short sequence in which each step can be repeated:
 * checkpoints say `swapping` (set by the caller, and nobody projects any more), one atomic RENAME, names put right,
 * checkpoints released. Whoever finds `swapping` without a living owner calls it again.
 */
export const swapInSteps = async (
  database: SqlDatabase,
  tables: readonly AnyTable[],
  position: bigint,
): Promise<void> => {
  const { session, kind } = database;
  const renames: Fragment[] = [];
  for (const { name } of tables) {
    if (!(await tableExists(session, kind, name + shadowSuffix))) continue;
    if (await tableExists(session, kind, name)) {
      await dropRetired(database, [name + retiredSuffix]);
      renames.push(sql`${sql.table(name)} to ${sql.table(name + retiredSuffix)}`);
    }
    renames.push(sql`${sql.table(name + shadowSuffix)} to ${sql.table(name)}`);
  }
  if (renames.length > 0) await sql`rename table ${sql.join(renames)}`.execute(session);
  await dropRetired(
    database,
    tables.map(({ name }) => name + retiredSuffix),
  );
  for (const table of tables) await renameConstraints(database, table);
  await database.transaction((inside) => resetCheckpoints(inside, tables, position, ''));
};

const dropRetired = (database: SqlDatabase, names: readonly string[]): Promise<void> =>
  withoutForeignKeyChecks(database, async (session) => {
    for (const name of names) await dropTable(session, name);
  });

/** Without checks MySQL adds a foreign key in place; the key that it replaces has checked the rows. */
const withoutForeignKeyChecks = (database: SqlDatabase, work: (session: Session) => Promise<void>): Promise<void> =>
  database.transaction(async (session) => {
    await sql`set foreign_key_checks = 0`.execute(session);
    try {
      await work(session);
    } finally {
      await sql`set foreign_key_checks = 1`.execute(session);
    }
  });

/** Names of foreign keys, and on MySQL 8 of checks, belong to the database, so a shadow cannot have them at once. */
const renameConstraints = async (database: SqlDatabase, table: AnyTable): Promise<void> => {
  const { rows } = await sql<{ name: string }>`
    select constraint_name as name from information_schema.table_constraints
    where table_schema = database() and table_name = ${table.name}`.execute(database.session);
  const present = new Set(rows.map((row) => row.name));
  const changes: Fragment[] = [];
  for (const name of Object.keys(table.foreignKeys)) {
    if (present.has(name + shadowSuffix)) changes.push(sql`drop foreign key ${sql.id(name + shadowSuffix)}`);
  }
  const keys = foreignKeySql(table, '').filter((_, index) => !present.has(Object.keys(table.foreignKeys)[index] ?? ''));
  changes.push(...keys.map((key) => sql`add ${key}`));
  if (database.kind === 'mysql') {
    for (const [name, column] of Object.entries(table.checks)) {
      if (!present.has(name + shadowSuffix)) continue;
      changes.push(sql`drop check ${sql.id(name + shadowSuffix)}`, sql`add ${checkSql(table, name, column)}`);
    }
  }
  if (changes.length === 0) return;
  await withoutForeignKeyChecks(database, async (session) => {
    await sql`alter table ${sql.table(table.name)} ${sql.join(changes)}`.execute(session);
  });
};

/** Completes or cleans up what a rebuild that ended early has left. Call it under the schema lock. */
export const finishSwap = async (database: SqlDatabase, tables: readonly AnyTable[]): Promise<void> => {
  const checkpoints = await readCheckpoints(database.session);
  const swapping = [...checkpoints.values()].filter((checkpoint) => checkpoint.state === 'swapping');
  const position = swapping[0]?.position;
  if (position !== undefined) {
    const ours = tables.filter((table) =>
      swapping.some(({ name, version }) => name === table.name && version === table.version),
    );
    // A program of another version does not know these tables: its own will finish.
    if (ours.length < swapping.length) return;
    await swapInSteps(database, ours, position);
  }
  await dropLeftovers(database);
};

const dropLeftovers = async (database: SqlDatabase): Promise<void> => {
  const schema = isMysqlFamily(database.kind) ? sql`database()` : sql`current_schema()`;
  const { rows } = await sql<{ name: string }>`
    select table_name as ${sql.id('name')} from information_schema.tables where table_schema = ${schema}`.execute(
    database.session,
  );
  const leftovers = rows
    .map((row) => row.name)
    .filter((name) => name.endsWith(shadowSuffix) || name.endsWith(retiredSuffix));
  if (leftovers.length === 0) return;
  if (isMysqlFamily(database.kind)) return dropRetired(database, leftovers);
  for (const name of leftovers) await sql`drop table if exists ${sql.table(name)} cascade`.execute(database.session);
};
