import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import type { SqlDatabase } from '../../../src/platform/database/port.ts';
import { readCheckpoints } from '../../../src/projections/engine/checkpoints.ts';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import { type RebuildOptions, rebuild } from '../../../src/projections/engine/rebuild.ts';
import { TableFailure } from '../../../src/projections/engine/tableFailure.ts';
import { type AnyTable, integer, string, table } from '../../../src/projections/table.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { dieAfter, usesOf } from './dying.ts';
import { decode, dropTables, projectAll, type Running, run } from './library.ts';
import { foldModel, tableContents } from './model.ts';
import { type LibraryEvent, type LibrarySchema, libraryTables } from './sample.ts';

/** Every name that a table, index or constraint has in the database, but for NOT NULL, which servers name themselves. */
const allNames = async (database: SqlDatabase): Promise<string[]> => {
  const mysql = database.kind === 'mysql' || database.kind === 'mariadb';
  const schema = mysql ? sql`database()` : sql`current_schema()`;
  const { rows } = await (mysql
    ? sql<{ name: string }>`
        select concat(table_name, '.', index_name) as name from information_schema.statistics where table_schema = ${schema}
        union select concat(table_name, '.', constraint_name) from information_schema.table_constraints where table_schema = ${schema}
        union select table_name from information_schema.tables where table_schema = ${schema}`
    : sql<{ name: string }>`
        select tablename || '.' || indexname as name from pg_indexes where schemaname = ${schema}
        union select conrelid::regclass || '.' || conname from pg_constraint where connamespace = ${schema}::regnamespace and contype <> 'n'
        union select tablename from pg_tables where schemaname = ${schema}`
  ).execute(database.session);
  return rows.map((row) => row.name).sort();
};

/** Version 2 of a table has another column and another handler. */
const titles = (version: 1 | 2): AnyTable =>
  table<LibraryEvent>()({
    name: 'titles',
    version,
    columns: { id: string(64), title: string(80), ...(version === 2 ? { shelf: string(64) } : { pages: integer() }) },
    primaryKey: ['id'],
    onAny: ({ type, data, meta }, rows) => {
      if (type !== 'BookBought') return;
      if (version === 1) rows.insert({ id: meta.subjectId, title: data.title });
      else rows.insert({ id: meta.subjectId, title: `${data.shelfId} ${data.title}` });
    },
  });

await onEveryDatabase('a rebuild', (target) => {
  let test: TestDatabase<LibrarySchema>;
  let log: MemoryLog;
  let running: Running[] = [];
  beforeAll(async () => {
    test = await target.create<LibrarySchema>();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    log = createMemoryLog();
    await dropTables(test.database);
    await createTables(test.database, libraryTables);
  });
  afterEach(async () => {
    await Promise.all(running.map((each) => each.stop()));
    running = [];
  });

  const shelf = (id: string) => log.add(`shelf-${id}`, 'ShelfBuilt', { name: `shelf ${id}` });
  const book = (id: string, shelfId = 's1') =>
    log.add(`book-${id}`, 'BookBought', { shelfId, title: `book ${id}`, pages: 100 });
  const read = (id: string) => log.add(`book-${id}`, 'BookRead', { pages: 1 });
  const fill = (count: number): void => {
    shelf('s1');
    for (let index = 0; index < count; index += 1) book(`b${index}`);
    for (let index = 0; index < count; index += 2) read(`b${index}`);
  };
  const spoil = () => sql`update books set title = 'spoilt'`.execute(test.database.session);
  const rebuildAll = (more: Partial<RebuildOptions> = {}) =>
    rebuild({ log, database: test.database, tables: libraryTables, decode, ...more });
  const expectEqualToLog = async (tables: readonly AnyTable[] = libraryTables) =>
    expect(await tableContents(test.database, tables)).toEqual(foldModel(tables, log.events));
  const start = (more: Parameters<typeof run>[2] = {}): Running => {
    const started = run(log, test.database, more);
    running.push(started);
    return started;
  };

  it('gives the tables that the log says, under the names they had', async () => {
    fill(50);
    await projectAll(log, test.database);
    const names = await allNames(test.database);
    await spoil();
    const rebuilt = await rebuildAll();
    expect(rebuilt).toMatchObject({ events: 76, position: await log.head() });
    await expectEqualToLog();
    expect(await allNames(test.database)).toEqual(names);
    await rebuildAll();
    expect(await allNames(test.database)).toEqual(names);
  });

  it('keeps constraints and cascades in force', async () => {
    fill(3);
    await rebuildAll();
    const { session } = test.database;
    await expect(sql`update books set state = 'burnt'`.execute(session)).rejects.toThrow();
    await sql`update books set state = 'lent', holder = 'ann' where id = 'b0'`.execute(session);
    await expect(
      sql`update books set state = 'lent', holder = 'ann' where id = 'b1'`.execute(session),
    ).rejects.toThrow();
    await sql`delete from shelves where id = 's1'`.execute(session);
    expect((await tableContents(test.database, libraryTables)).get('books')).toEqual([]);
  });

  it('replays removals that cascade', async () => {
    fill(5);
    log.add('shelf-s1', 'ShelfTornDown', { reason: 'woodworm' });
    shelf('s1');
    book('b9');
    read('b9');
    await rebuildAll();
    await expectEqualToLog();
  });

  it('goes on beside the live projector and readers, who never find a table missing or empty', async () => {
    fill(40);
    const { projector } = start();
    await projector.waitFor(await log.head(), { timeoutMs: 5000 });
    let rebuilding = true;
    let reads = 0;
    const reader = (async () => {
      while (rebuilding) {
        const { rows } = await sql<{ n: number }>`select count(*) as n from books`.execute(test.database.session);
        expect(rows[0]?.n).toBeGreaterThanOrEqual(40);
        reads += 1;
      }
    })();
    const writer = (async () => {
      for (let index = 0; rebuilding; index += 1) {
        const position = index % 2 === 0 ? book(`c${index}`) : read(`b${index % 40}`);
        expect(await projector.waitFor(position, { timeoutMs: 10_000 })).toBe('reached');
      }
    })();
    try {
      for (let round = 0; round < 3; round += 1) await rebuildAll();
    } finally {
      rebuilding = false;
      await Promise.allSettled([reader, writer]);
    }
    await Promise.all([reader, writer]);
    expect(reads).toBeGreaterThan(0);
    expect(await projector.waitFor(read('b1'), { timeoutMs: 10_000 })).toBe('reached');
    await expectEqualToLog();
  });

  it('replaces a table of another version, which is followed from then on', async () => {
    const before = [...libraryTables, titles(1)];
    const after = [...libraryTables, titles(2)];
    fill(4);
    await projectAll(log, test.database, { tables: before });
    expect((await createTables(test.database, after)).outdated).toEqual(['titles']);
    const { projector } = start({ tables: after });
    const rebuilt = await rebuildAll({ tables: after, only: ['titles'] });
    expect(rebuilt.tables).toEqual(['titles']);
    await projector.resume();
    expect(await projector.waitFor(book('b9'), { timeoutMs: 5000 })).toBe('reached');
    await expectEqualToLog(after);
  });

  it('takes along the tables that foreign keys join to the one asked for', async () => {
    fill(2);
    await projectAll(log, test.database);
    expect((await rebuildAll({ only: ['shelves'] })).tables).toEqual(['shelves', 'books', 'book_versions']);
    await expectEqualToLog();
  });

  it('repairs a table that was stopped or lost', async () => {
    fill(3);
    await projectAll(log, test.database);
    await sql`drop table books`.execute(test.database.session);
    expect(await createTables(test.database, libraryTables)).toEqual({
      created: ['books'],
      outdated: ['shelves', 'books', 'book_versions'],
    });
    await rebuildAll({ only: ['books'] });
    await projectAll(log, test.database);
    await expectEqualToLog();
  });

  it('that meets a handler that throws leaves everything as it was', async () => {
    fill(3);
    await projectAll(log, test.database);
    const names = await allNames(test.database);
    const failing = libraryTables.map((each) =>
      each.name === 'readers'
        ? {
            ...each,
            handlerOf: () => () => {
              throw new Error('no longer understood');
            },
          }
        : each,
    );
    await expect(rebuildAll({ tables: failing })).rejects.toThrow(TableFailure);
    expect(await allNames(test.database)).toEqual(names);
    await expectEqualToLog();
  });

  it('that is told to stop leaves everything as it was', async () => {
    fill(3);
    await projectAll(log, test.database);
    const names = await allNames(test.database);
    for (const phase of ['replaying', 'indexing', 'swapping']) {
      const abort = new AbortController();
      const onProgress: RebuildOptions['onProgress'] = (progress) => progress.phase === phase && abort.abort();
      await expect(rebuildAll({ signal: abort.signal, onProgress })).rejects.toThrow();
      expect(await allNames(test.database)).toEqual(names);
    }
    await expectEqualToLog();
  });

  it('runs in one process at a time', async () => {
    fill(200);
    const outcomes = await Promise.all([rebuildAll(), rebuildAll()]);
    expect(outcomes.map((each) => each.position)).toEqual([await log.head(), await log.head()]);
    await expectEqualToLog();
  });

  it('may end at any statement: the next start cleans up, and the tables equal the log', {
    timeout: 240_000,
  }, async () => {
    fill(6);
    await projectAll(log, test.database);
    const names = await allNames(test.database);
    const { length: total } = await usesOf(test.database, (database) => rebuildAll({ database }));
    expect(total).toBeGreaterThan(20);
    for (const deadline of deathsOf(total)) {
      const dying = dieAfter(test.database, deadline);
      await expect(rebuildAll({ database: dying })).rejects.toThrow('the process is gone');
      // A projector that runs elsewhere goes on, if need be by completing the swap.
      const survivor = run(log, test.database);
      expect(await survivor.projector.waitFor(read(`b${deadline % 6}`), { timeoutMs: 10_000 })).toBe('reached');
      await survivor.stop();
      await createTables(test.database, libraryTables);
      expect(await allNames(test.database)).toEqual(names);
      await expectEqualToLog();
    }
    const checkpoints = await readCheckpoints(test.database.session);
    expect([...checkpoints.values()].map((each) => each.state)).toEqual(libraryTables.map(() => ''));
  });
});

/** Some of the statements, those of the swap above all; each of them when OPSLOG_EVERY_STATEMENT is set. */
const deathsOf = (total: number): number[] => {
  const all = Array.from({ length: total }, (_, index) => index + 1);
  if (process.env['OPSLOG_EVERY_STATEMENT'] === '1') return all;
  return all.filter(
    (each) => each % Math.ceil(total / 3) === 1 || (each > total * 0.7 && each % Math.ceil(total / 16) === 0),
  );
};
