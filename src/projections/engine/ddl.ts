import { type RawBuilder, sql } from 'kysely';
import type { DatabaseKind, Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable, GeneratedColumn } from '../table.ts';
import { type AnyColumn, defaultOf } from './columns.ts';

export type Fragment = RawBuilder<unknown>;

export const isMysqlFamily = (kind: DatabaseKind): kind is 'mysql' | 'mariadb' =>
  kind === 'mysql' || kind === 'mariadb';

export const names = (list: readonly string[]): Fragment => sql.join(list.map((name) => sql.id(name)));

const literal = (value: string | number | boolean): Fragment => sql.lit(value);

/** The SQL type of a column; `bare` without collation, as record and JSON columns want it. */
export const typeOf = (kind: DatabaseKind, column: AnyColumn): string => {
  const mysql = isMysqlFamily(kind);
  const { shape } = column;
  switch (shape.kind) {
    case 'string':
    case 'choice':
      return `varchar(${shape.length})`;
    case 'text':
    case 'json':
      return mysql ? 'longtext' : 'text';
    case 'timestamp':
      return mysql ? 'datetime(3)' : 'timestamptz(3)';
    case 'integer':
    case 'bigint':
    case 'boolean':
      return shape.kind;
    default:
      return shape satisfies never;
  }
};

/** Collations without padding: `a` and `a ` are two identifiers everywhere. */
export const collationOf = (kind: 'mysql' | 'mariadb'): string =>
  kind === 'mariadb' ? 'utf8mb4_nopad_bin' : 'utf8mb4_0900_bin';

const collated = (kind: DatabaseKind, column: AnyColumn): Fragment => {
  const isText = ['string', 'choice', 'text'].includes(column.shape.kind);
  return isText && !isMysqlFamily(kind) ? sql` collate "C"` : sql``;
};

const defaultSql = (table: AnyTable, name: string, column: AnyColumn): Fragment => {
  if (table.primaryKey.includes(name) || column.nullable) return sql``;
  if (column.shape.kind === 'timestamp') return sql` default current_timestamp(3)`;
  const value = defaultOf(column);
  return value === undefined || value === null ? sql`` : sql` default ${literal(value)}`;
};

const columnSql = (kind: DatabaseKind, table: AnyTable, name: string, column: AnyColumn): Fragment =>
  sql`${sql.id(name)} ${sql.raw(typeOf(kind, column))}${collated(kind, column)}${sql.raw(
    column.nullable ? ' null' : ' not null',
  )}${defaultSql(table, name, column)}`;

const generatedSql = (kind: DatabaseKind, table: AnyTable, name: string, generated: GeneratedColumn): Fragment => {
  const source = table.columns[generated.column];
  if (source === undefined) throw new Error(`there is no column ${generated.column}`);
  const conditions = Object.entries(generated.when).map(
    ([column, values]) => sql`${sql.id(column)} in (${sql.join((values ?? []).map(literal))})`,
  );
  return sql`${sql.id(name)} ${sql.raw(typeOf(kind, source))}${collated(kind, source)} generated always as (case when ${sql.join(
    conditions,
    sql` and `,
  )} then ${sql.id(generated.column)} end) stored`;
};

export const checkSql = (table: AnyTable, name: string, column: string, suffix = ''): Fragment => {
  const shape = table.columns[column]?.shape;
  const values = shape?.kind === 'choice' ? shape.values : [];
  return sql`constraint ${sql.id(name + suffix)} check (${sql.id(column)} in (${sql.join(values.map(literal))}))`;
};

/** MySQL 8 keeps check names per database, the others per table: only there do they carry the suffix. */
export const checkSuffix = (kind: DatabaseKind, suffix: string): string => (kind === 'mysql' ? suffix : '');

const bodySql = (kind: DatabaseKind, table: AnyTable, suffix: string): Fragment[] => [
  ...Object.entries(table.columns).map(([name, column]) => columnSql(kind, table, name, column)),
  ...Object.entries(table.generated).map(([name, column]) => generatedSql(kind, table, name, column)),
  ...Object.entries(table.checks).map(([name, column]) => checkSql(table, name, column, checkSuffix(kind, suffix))),
];

const create = async (
  session: Session,
  kind: DatabaseKind,
  name: string,
  parts: readonly Fragment[],
): Promise<void> => {
  const options = isMysqlFamily(kind)
    ? sql.raw(` engine=InnoDB row_format=dynamic default charset=utf8mb4 collate=${collationOf(kind)}`)
    : sql``;
  await sql`create table ${sql.table(name)} (${sql.join(parts)})${options}`.execute(session);
};

const alter = async (session: Session, name: string, parts: readonly Fragment[]): Promise<void> => {
  if (parts.length === 0) return;
  await sql`alter table ${sql.table(name)} ${sql.join(parts.map((part) => sql`add ${part}`))}`.execute(session);
};

export const keyName = (table: AnyTable): string => `pk_${table.name}`.slice(0, 58);

const keySql = (table: AnyTable, suffix: string): Fragment =>
  sql`constraint ${sql.id(keyName(table) + suffix)} primary key (${names(table.primaryKey)})`;

// Index names belong to their table on MySQL and to the schema on PostgreSQL.
const uniqueSql = (kind: DatabaseKind, table: AnyTable, suffix: string): Fragment[] =>
  Object.entries(table.unique).map(
    ([name, columns]) =>
      sql`constraint ${sql.id(isMysqlFamily(kind) ? name : name + suffix)} unique (${names(columns)})`,
  );

const mysqlIndexSql = (table: AnyTable): Fragment[] =>
  Object.entries(table.indexes).map(([name, columns]) => sql`index ${sql.id(name)} (${names(columns)})`);

export const foreignKeySql = (table: AnyTable, suffix: string, nameSuffix = suffix): Fragment[] =>
  Object.entries(table.foreignKeys).map(
    ([name, key]) =>
      sql`constraint ${sql.id(name + nameSuffix)} foreign key (${names(key.columns)}) references ${sql.table(
        key.references + suffix,
      )} (${names(key.to)}) on delete cascade`,
  );

/** The table with all its keys, indexes and constraints: all or nothing. */
export const createWhole = async (database: SqlDatabase, table: AnyTable): Promise<void> => {
  const { kind } = database;
  if (isMysqlFamily(kind)) {
    const parts = [
      keySql(table, ''),
      ...uniqueSql(kind, table, ''),
      ...mysqlIndexSql(table),
      ...foreignKeySql(table, ''),
    ];
    await create(database.session, kind, table.name, [...bodySql(kind, table, ''), ...parts]);
    return;
  }
  await database.transaction(async (session) => {
    await create(session, kind, table.name, [...bodySql(kind, table, ''), keySql(table, '')]);
    await addUnique(session, kind, table);
    for (const index of indexesOf(kind, table)) await index.execute(session);
    await addForeignKeys(session, table);
  });
};

/** Columns and checks alone: the cheapest table to load. */
export const createBare = (session: Session, kind: DatabaseKind, table: AnyTable, suffix: string): Promise<void> => {
  // InnoDB keeps rows in the order of the key: adding one later would write the table again.
  const key = isMysqlFamily(kind) ? [keySql(table, suffix)] : [];
  return create(session, kind, table.name + suffix, [...bodySql(kind, table, suffix), ...key]);
};

export const addPrimaryKey = (session: Session, table: AnyTable, suffix: string): Promise<void> =>
  alter(session, table.name + suffix, [keySql(table, suffix)]);

/** Unique constraints. On MySQL indexes as well, in one statement: it would read the table once for each. */
export const addUnique = async (session: Session, kind: DatabaseKind, table: AnyTable, suffix = ''): Promise<void> => {
  const indexes = isMysqlFamily(kind) ? mysqlIndexSql(table) : [];
  await alter(session, table.name + suffix, [...uniqueSql(kind, table, suffix), ...indexes]);
};

/** Statements for the other indexes, in any order, where they are statements of their own. */
export const indexesOf = (kind: DatabaseKind, table: AnyTable, suffix = ''): readonly Fragment[] =>
  isMysqlFamily(kind)
    ? []
    : Object.entries({ ...table.indexes, ...foreignKeyIndexes(table) }).map(
        ([name, columns]) =>
          sql`create index ${sql.id(name + suffix)} on ${sql.table(table.name + suffix)} (${names(columns)})`,
      );

export const addForeignKeys = (session: Session, table: AnyTable, suffix = ''): Promise<void> =>
  alter(session, table.name + suffix, foreignKeySql(table, suffix));

/** For foreign keys that no declared index supports: without one, PostgreSQL reads the whole child table to cascade. */
export const foreignKeyIndexes = (table: AnyTable): Record<string, readonly string[]> => {
  const declared = [table.primaryKey, ...Object.values(table.unique), ...Object.values(table.indexes)];
  const supported = (columns: readonly string[]): boolean =>
    declared.some((index) => columns.every((column, at) => index[at] === column));
  return Object.fromEntries(
    Object.entries(table.foreignKeys)
      .filter(([, key]) => !supported(key.columns))
      .map(([name, key]) => [`${name}_ix`, key.columns]),
  );
};

export const tableExists = async (session: Session, kind: DatabaseKind, name: string): Promise<boolean> => {
  const schema = isMysqlFamily(kind) ? sql`database()` : sql`current_schema()`;
  const { rows } =
    await sql`select 1 as found from information_schema.tables where table_schema = ${schema} and table_name = ${name}`.execute(
      session,
    );
  return rows.length > 0;
};

/** Is anything in it, of whomever? */
export const hasTables = async (session: Session, kind: DatabaseKind): Promise<boolean> => {
  const schema = isMysqlFamily(kind) ? sql`database()` : sql`current_schema()`;
  const { rows } =
    await sql`select 1 as found from information_schema.tables where table_schema = ${schema} limit 1`.execute(session);
  return rows.length > 0;
};

export const dropTable = async (session: Session, name: string): Promise<void> => {
  await sql`drop table if exists ${sql.table(name)}`.execute(session);
};
