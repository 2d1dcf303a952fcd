import { createHash, type Hash } from 'node:crypto';
import { sql } from 'kysely';
import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { canonicalJson } from './canonicalJson.ts';
import { readCheckpoints } from './checkpoints.ts';
import type { StoredValue } from './columns.ts';
import { type Fragment, names } from './ddl.ts';
import type { Row } from './rows.ts';
import { encoderOf } from './statements.ts';

export type TableDigest = { readonly rows: number; readonly sha256: string };

const pageSize = 2_000;

/** Rows in the order of their keys, byte by byte, in pages. */
export async function* rowsOf(session: Session, database: SqlDatabase, table: AnyTable): AsyncGenerator<Row> {
  const columns = [...Object.keys(table.columns), ...Object.keys(table.generated)];
  const key = table.primaryKey;
  let last: readonly StoredValue[] | undefined;
  for (;;) {
    const after: Fragment = last === undefined ? sql`` : sql`where (${names(key)}) > (${sql.join([...last])})`;
    const { rows } =
      await sql<Row>`select ${names(columns)} from ${sql.table(table.name)} ${after} order by ${names(key)} limit ${sql.lit(
        pageSize,
      )}`.execute(session);
    yield* rows;
    const end = rows.at(-1);
    if (end === undefined || rows.length < pageSize) return;
    last = key.map((name) => encoderOf(database.kind, table, name)(end[name] ?? null));
  }
}

/** One line per row: its columns in the order of their names, generated ones included. */
export const addRow = (hash: Hash, row: Row): void => {
  hash.update(canonicalJson(row)).update('\n');
};

const digestIn = async (session: Session, database: SqlDatabase, table: AnyTable): Promise<TableDigest> => {
  const hash = createHash('sha256');
  let count = 0;
  for await (const row of rowsOf(session, database, table)) {
    addRow(hash, row);
    count += 1;
  }
  return { rows: count, sha256: hash.digest('hex') };
};

/** The same content gives the same digest on every database. */
export const digest = (database: SqlDatabase, table: AnyTable): Promise<TableDigest> =>
  database.snapshot((session) => digestIn(session, database, table));

/** Digests of one moment, with the position that each table had then. */
export const digestTables = (
  database: SqlDatabase,
  tables: readonly AnyTable[],
): Promise<ReadonlyMap<string, TableDigest & { readonly position: bigint }>> =>
  database.snapshot(async (session) => {
    const checkpoints = await readCheckpoints(session);
    const digests = new Map<string, TableDigest & { readonly position: bigint }>();
    for (const table of tables) {
      const position = checkpoints.get(table.name)?.position ?? 0n;
      digests.set(table.name, { ...(await digestIn(session, database, table)), position });
    }
    return digests;
  });
