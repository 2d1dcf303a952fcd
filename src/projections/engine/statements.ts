import { sql } from 'kysely';
import type { DatabaseKind, Session } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import type { StoredValue } from './columns.ts';
import { collationOf, type Fragment, isMysqlFamily, names, typeOf } from './ddl.ts';
import type { Key, Row, Where } from './rows.ts';

/** A table under the name it has at present: its own, or that of its shadow. */
export type Target = { readonly table: AnyTable; readonly physical: string };

/** Changes of rows that set and add to the same columns, so that one statement does them all. */
export type PatchGroup = {
  readonly set: readonly string[];
  readonly add: readonly string[];
  /** Key, then values to set, then numbers to add. */
  readonly rows: readonly (readonly StoredValue[])[];
};

// MySQL refuses a packet above max_allowed_packet, 16 MB by default on MariaDB: stay far below it.
const maxChunkCharacters = 2_000_000;
const maxChunkRows = 5_000;

/**
 * PostgreSQL makes a chain of `or` of a list of keys with several columns. From 300 links on PGlite answers, and fails at the
 * next index that the same transaction builds ("bad buffer ID").
 */
const maxListedKeys = 100;
const keyChunks = (keys: readonly Key[]) => chunks(keys, (keys[0]?.length ?? 1) > 1 ? maxListedKeys : maxChunkRows);

const sizeOf = (row: readonly StoredValue[]): number => {
  let size = 0;
  for (const value of row) size += typeof value === 'string' ? value.length + 8 : 16;
  return size;
};

export function* chunks(
  rows: readonly (readonly StoredValue[])[],
  maxRows = maxChunkRows,
): Iterable<readonly (readonly StoredValue[])[]> {
  let start = 0;
  let size = 0;
  for (const [index, row] of rows.entries()) {
    size += sizeOf(row);
    if (index > start && (size > maxChunkCharacters || index - start >= maxRows)) {
      yield rows.slice(start, index);
      start = index;
      size = sizeOf(row);
    }
  }
  if (start < rows.length) yield rows.slice(start);
}

/** A time as the database's text; everything else as JSON has it. */
type Encoder = (value: StoredValue) => StoredValue;

// Rows of one event have its time, so the last text is often asked for again.
const remembering = (toText: (value: number) => string): ((value: number) => string) => {
  let last = Number.NaN;
  let text = '';
  return (value) => {
    if (value !== last) text = toText(value);
    last = value;
    return text;
  };
};

const isoText = remembering((value) => new Date(value).toISOString());
const mysqlText = remembering((value) => new Date(value).toISOString().replace('T', ' ').slice(0, 23));

export const encoderOf = (kind: DatabaseKind, table: AnyTable, column: string): Encoder => {
  const shape = table.columns[column]?.shape.kind;
  const mysql = isMysqlFamily(kind);
  if (shape === 'timestamp') {
    const toText = mysql ? mysqlText : isoText;
    return (value) => (typeof value === 'number' ? toText(value) : value);
  }
  return mysql && shape === 'boolean'
    ? (value) => (typeof value === 'boolean' ? Number(value) : value)
    : (value) => value;
};

const encode = (encoders: readonly Encoder[], row: readonly StoredValue[]): StoredValue[] =>
  row.map((value, index) => encoders[index]?.(value) ?? null);

const columnOf = (table: AnyTable, name: string) => {
  const column = table.columns[name];
  if (column === undefined) throw new Error(`there is no column ${name}`);
  return column;
};

/** Rows in JSON as a table `r` with columns `k0`, `k1`, … */
const recordset = (
  kind: DatabaseKind,
  table: AnyTable,
  columns: readonly string[],
  rows: readonly StoredValue[][],
): Fragment => {
  const typed = columns.map((name, index) => {
    const type = typeOf(kind, columnOf(table, name));
    if (!isMysqlFamily(kind)) return `k${index} ${type}`;
    const collation = /char|text/.test(type) ? ` character set utf8mb4 collate ${collationOf(kind)}` : '';
    return `k${index} ${type}${collation} path '$[${index}]'`;
  });
  if (isMysqlFamily(kind)) {
    return sql`json_table(${JSON.stringify(rows)}, '$[*]' columns (${sql.raw(typed.join(', '))})) r`;
  }
  const records = rows.map((row) => Object.fromEntries(row.map((value, index) => [`k${index}`, value])));
  return sql`json_to_recordset(${JSON.stringify(records)}::json) as r(${sql.raw(typed.join(', '))})`;
};

const field = (index: number): Fragment => sql.raw(`r.k${index}`);

export const insertRows = async (
  session: Session,
  kind: DatabaseKind,
  target: Target,
  rows: readonly Row[],
): Promise<void> => {
  const columns = Object.keys(target.table.columns);
  const encoders = columns.map((name) => encoderOf(kind, target.table, name));
  const values = rows.map((row) =>
    encode(
      encoders,
      columns.map((name) => row[name] ?? null),
    ),
  );
  for (const chunk of chunks(values)) {
    // The MySQL driver spells a nested list out as (…), (…).
    const list = isMysqlFamily(kind)
      ? sql`${chunk.map((row) => [...row])}`
      : sql.join(chunk.map((row) => sql`(${sql.join([...row])})`));
    await sql`insert into ${sql.table(target.physical)} (${names(columns)}) values ${list}`.execute(session);
  }
};

export const patchRows = async (
  session: Session,
  kind: DatabaseKind,
  target: Target,
  group: PatchGroup,
): Promise<void> => {
  const { table } = target;
  const columns = [...table.primaryKey, ...group.set, ...group.add];
  const encoders = columns.map((name) => encoderOf(kind, table, name));
  const own = (name: string): Fragment => sql.ref(`t.${name}`);
  const width = table.primaryKey.length;
  const matches = sql.join(
    table.primaryKey.map((name, index) => sql`${own(name)} = ${field(index)}`),
    sql` and `,
  );
  const mysql = isMysqlFamily(kind);
  const assign = (name: string): Fragment => (mysql ? own(name) : sql.id(name));
  const assignments = sql.join([
    ...group.set.map((name, index) => sql`${assign(name)} = ${field(width + index)}`),
    ...group.add.map((name, index) => sql`${assign(name)} = ${own(name)} + ${field(width + group.set.length + index)}`),
  ]);
  for (const chunk of chunks(group.rows)) {
    const from = recordset(
      kind,
      table,
      columns,
      chunk.map((row) => encode(encoders, row)),
    );
    await (mysql
      ? sql`update ${from} straight_join ${sql.table(target.physical)} t on ${matches} set ${assignments}`
      : sql`update ${sql.table(target.physical)} as t set ${assignments} from ${from} where ${matches}`
    ).execute(session);
  }
};

export const removeRows = async (
  session: Session,
  kind: DatabaseKind,
  target: Target,
  keys: readonly Key[],
): Promise<void> => {
  const columns = target.table.primaryKey;
  const encoders = columns.map((name) => encoderOf(kind, target.table, name));
  const rows = keys.map((key) => encode(encoders, key));
  for (const chunk of keyChunks(rows)) {
    const list = sql.join(chunk.map((row) => sql`(${sql.join(row)})`));
    await sql`delete from ${sql.table(target.physical)} where (${names(columns)}) in (${list})`.execute(session);
  }
};

const condition = (kind: DatabaseKind, table: AnyTable, where: Where): Fragment =>
  sql.join(
    where.map(([name, value]) => sql`${sql.id(name)} = ${encoderOf(kind, table, name)(value)}`),
    sql` and `,
  );

export const removeWhere = async (
  session: Session,
  kind: DatabaseKind,
  target: Target,
  where: Where,
): Promise<void> => {
  await sql`delete from ${sql.table(target.physical)} where ${condition(kind, target.table, where)}`.execute(session);
};

export const patchWhere = async (
  session: Session,
  kind: DatabaseKind,
  target: Target,
  where: Where,
  set: Row,
): Promise<void> => {
  const entries = Object.entries(set);
  if (entries.length === 0) return;
  const assignments = entries.map(
    ([name, value]) => sql`${sql.id(name)} = ${encoderOf(kind, target.table, name)(value)}`,
  );
  await sql`update ${sql.table(target.physical)} set ${sql.join(assignments)} where ${condition(kind, target.table, where)}`.execute(
    session,
  );
};

/** Which of these key values exist in a table, as JSON texts of the value lists. */
export const existingKeys = async (
  session: Session,
  physical: string,
  columns: readonly string[],
  keys: readonly (readonly StoredValue[])[],
): Promise<Set<string>> => {
  const found = new Set<string>();
  for (const chunk of keyChunks(keys)) {
    const list = sql.join(chunk.map((key) => sql`(${sql.join([...key])})`));
    const { rows } =
      await sql<Row>`select distinct ${names(columns)} from ${sql.table(physical)} where (${names(columns)}) in (${list})`.execute(
        session,
      );
    for (const row of rows) found.add(JSON.stringify(columns.map((name) => row[name])));
  }
  return found;
};
