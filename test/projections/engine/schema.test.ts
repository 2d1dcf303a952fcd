import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import { at, bigint, choice, string, table, timestamp } from '../../../src/projections/table.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { books, type LibraryEvent, type LibrarySchema, libraryTables, shelves } from './sample.ts';

type ColumnInfo = { name: string; nullable: string; fallback: string | null; type: string };

await onEveryDatabase('the tables', (target) => {
  let test: TestDatabase<LibrarySchema>;
  beforeAll(async () => {
    test = await target.create<LibrarySchema>();
    await createTables(test.database, libraryTables);
  });
  afterAll(() => test.drop());
  const run = (statement: ReturnType<typeof sql>) => statement.execute(test.database.session);
  const isMysql = () => test.database.kind === 'mysql' || test.database.kind === 'mariadb';

  const columnsOf = async (name: string): Promise<ColumnInfo[]> => {
    const { rows } = await sql<ColumnInfo>`
      select column_name as name, is_nullable as nullable, column_default as fallback, data_type as type
      from information_schema.columns
      where table_name = ${name} and table_schema = ${isMysql() ? sql`database()` : sql`current_schema()`}`.execute(
      test.database.session,
    );
    return rows;
  };

  it('have a server default on every NOT NULL column that is not text, but for the primary key', async () => {
    for (const { name, primaryKey, columns } of libraryTables) {
      for (const column of await columnsOf(name)) {
        if (!(column.name in columns) || column.nullable === 'YES') continue;
        expect([name, column.name, column.fallback !== null]).toEqual([
          name,
          column.name,
          !primaryKey.some((key) => key === column.name),
        ]);
      }
    }
  });

  it('have text columns without a default that may be null', async () => {
    const remark = (await columnsOf('books')).find((column) => column.name === 'remark');
    expect(remark?.nullable).toBe('YES');
    expect(remark?.fallback === null || remark?.fallback === 'NULL').toBe(true);
    expect(remark?.type).toMatch(/text/);
  });

  it('are created once, and found as they are the next time', async () => {
    await run(sql`alter table shelves add column extra varchar(9) not null default ''`);
    expect(await createTables(test.database, libraryTables)).toEqual({ created: [], outdated: [] });
    expect((await columnsOf('shelves')).some((column) => column.name === 'extra')).toBe(true);
  });

  it('compare identifiers byte by byte', async () => {
    for (const id of ['a', 'A', 'a ', 'á', 'ä']) {
      await run(sql`insert into shelves (id, built_at) values (${id}, ${new Date(0)})`);
    }
    const { rows } = await sql<{ id: string }>`select id from shelves order by id`.execute(test.database.session);
    expect(rows.map((row) => row.id)).toEqual(['A', 'a', 'a ', 'á', 'ä']);
    expect(await test.database.db.selectFrom('shelves').select('id').where('id', '=', 'a').execute()).toEqual([
      { id: 'a' },
    ]);
    await run(sql`delete from shelves`);
  });

  it('let a query compare times with at(…)', async () => {
    await run(sql`insert into shelves (id, built_at) values ('t1', ${new Date(1_000)}), ('t2', ${new Date(2_001)})`);
    const later = test.database.db.selectFrom('shelves').select(['id', 'built_at']).where('built_at', '>', at(2_000));
    expect(await later.execute()).toEqual([{ id: 't2', built_at: 2_001 }]);
    await run(sql`delete from shelves`);
  });

  it('refuse what a named constraint forbids', async () => {
    await run(sql`insert into shelves (id, built_at) values ('s', ${new Date(0)})`);
    const add = (id: string, state: string, holder: string, shelf = 's') =>
      run(
        sql`insert into books (id, shelf_id, state, holder, bought_at) values (${id}, ${shelf}, ${state}, ${holder}, ${new Date(0)})`,
      );
    await expect(add('b0', 'burnt', '')).rejects.toThrow(/ck_book_state/);
    await expect(add('b0', 'kept', '', 'nowhere')).rejects.toThrow(/fk_book_shelf|foreign key/);
    await add('b1', 'lent', 'ann');
    await expect(add('b2', 'lent', 'ann')).rejects.toThrow(/uq_book_holder/);
    // Generated and NULL while the book is kept: of those there may be many with one holder.
    await add('b3', 'kept', 'ann');
    await add('b4', 'kept', 'ann');
    await run(sql`delete from shelves where id = 's'`);
    expect(await test.database.db.selectFrom('books').selectAll().execute()).toEqual([]);
  });
});

describe('a table definition', () => {
  it('gives handlers and queries the types of its columns', () => {
    table<LibraryEvent>()({
      name: 'typed',
      version: 1,
      columns: { id: string(9), n: bigint(), state: choice(['a', 'b'], 'a'), made_at: timestamp() },
      primaryKey: ['id'],
      onAny: (event, rows) => {
        if (event.meta.revision < 0) {
          // @ts-expect-error the primary key is missing
          rows.insert({ made_at: 1 });
          // @ts-expect-error a time is never left out
          rows.insert({ id: 'x' });
          // @ts-expect-error there is no such column
          rows.patch('x', { colour: 'red' });
          // @ts-expect-error not one of the choices
          rows.patch('x', { state: 'c' });
          // @ts-expect-error only numbers are counted
          rows.increment('x', 'state', 1);
          // @ts-expect-error the key is a string
          rows.remove(7);
        }
      },
    });
    const inQuery = ({ database }: TestDatabase<LibrarySchema>) => [
      // @ts-expect-error a time is compared with at(…)
      database.db.selectFrom('shelves').where('built_at', '>', 5),
      // @ts-expect-error only the engine writes
      database.db.updateTable('shelves').set({ name: 'x' }),
    ];
    expect(inQuery).toBeTypeOf('function');
  });

  it('must handle or ignore every event of the union', () => {
    const missing = () =>
      table<LibraryEvent>()({
        name: 'partial',
        version: 1,
        columns: { id: string(9) },
        primaryKey: ['id'],
        // @ts-expect-error most events are not mentioned
        on: { ShelfBuilt: 'ignored' },
      });
    expect(missing).toBeTypeOf('function');
  });

  it('that contradicts itself is refused at start-up', () => {
    const define = (more: object) => () =>
      table<LibraryEvent>()({
        name: 'odd',
        version: 1,
        columns: { id: string(9), by: string(9), seq: bigint(), previous: string(64), hash: string(64) },
        primaryKey: ['id'],
        onAny: () => {},
        ...more,
      });
    expect(define({})).not.toThrow();
    expect(define({ name: 'CamelCase' })).toThrow(/snake_case/);
    expect(define({ name: 'x'.repeat(59) })).toThrow(/snake_case of 58/);
    expect(define({ version: 0 })).toThrow(/count from 1/);
    expect(define({ primaryKey: [] })).toThrow(/no primary key/);
    expect(define({ indexes: { ix_odd: ['nothing'] } })).toThrow(/no column nothing/);
    expect(define({ checks: { ck_odd: 'by' } })).toThrow(/no choice/);
    expect(define({ chain: { by: 'by', sequence: 'seq', previous: 'previous', hash: 'hash' } })).toThrow(/UNIQUE/);
    const toShelf = { columns: ['by'], references: 'shelves', to: ['id'], onDelete: 'cascade' };
    expect(define({ appendOnly: true, foreignKeys: { fk_odd: toShelf } })).toThrow(/only added to/);
  });

  it('whose foreign key leads nowhere is refused with the others', async () => {
    const { parentsFirst } = await import('../../../src/projections/engine/topology.ts');
    expect(() => parentsFirst([books])).toThrow(/primary key of shelves/);
    expect(parentsFirst([books, shelves])).toEqual([shelves, books]);
    expect(() => parentsFirst([books, { ...shelves, appendOnly: true }])).toThrow(/primary key of shelves/);
  });
});
