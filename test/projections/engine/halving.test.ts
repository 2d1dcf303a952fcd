import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import type { ProjectorOptions } from '../../../src/projections/engine/projector.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { emptyTables, projectAll, quiet, type Running, run } from './library.ts';
import { foldModel, tableContents } from './model.ts';
import { type LibrarySchema, libraryTables } from './sample.ts';

type Warning = { readonly fields: Readonly<Record<string, unknown>>; readonly message: string };

await onEveryDatabase('a batch that is refused as a whole', (target) => {
  let test: TestDatabase<LibrarySchema>;
  let log: MemoryLog;
  let warnings: Warning[];
  let halved: string[];
  let running: Running | undefined;
  beforeAll(async () => {
    test = await target.create<LibrarySchema>();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    log = createMemoryLog();
    warnings = [];
    halved = [];
    await emptyTables(test.database);
  });
  afterEach(async () => {
    await running?.stop();
    running = undefined;
  });

  const listening: Pick<ProjectorOptions, 'logger' | 'onHalved'> = {
    logger: { ...quiet, warn: (fields, message) => warnings.push({ fields, message }) },
    onHalved: (table) => halved.push(table),
  };
  const book = (id: string) => log.add(`book-${id}`, 'BookBought', { shelfId: 's1', title: `book ${id}`, pages: 1 });
  const lend = (id: string, to: string) => log.add(`book-${id}`, 'BookLent', { to, dueAt: 1 });

  it('is said and counted, with the table and the code of the database and nothing of the row', async () => {
    log.add('shelf-s1', 'ShelfBuilt', { name: 'crime' });
    for (const id of ['b0', 'b1']) book(id);
    lend('b0', 'ann-of-the-hills');
    lend('b1', 'bob-of-the-vale');
    await projectAll(log, test.database);
    // Written as a set, one of the two would have its new holder while the other has him still.
    for (const id of ['b0', 'b1']) log.add(`book-${id}`, 'BookReturned', { late: false });
    lend('b0', 'bob-of-the-vale');
    lend('b1', 'ann-of-the-hills');
    await projectAll(log, test.database, listening);
    expect(halved).toEqual(['books']);
    expect(warnings).toEqual([
      {
        fields: {
          table: 'books',
          code: target.name === 'MariaDB' ? 'ER_DUP_ENTRY' : '23505',
          ...{ events: 4, before: 0 },
        },
        message: 'A table refused several events together: they are written in halves, which is slower',
      },
    ]);
    expect(JSON.stringify(warnings)).not.toMatch(/ann-of-the-hills|bob-of-the-vale/);
    expect(await tableContents(test.database, libraryTables)).toEqual(foldModel(libraryTables, log.events));
  });

  if (target.name === 'MariaDB') return;
  it('by COPY each time is said once a minute and counted each time', async () => {
    await createTables(test.database, libraryTables);
    await sql`
      create function refuse_copy() returns trigger language plpgsql as $$ begin
        if current_query() ilike 'copy%' then raise exception 'no copy of %', new; end if;
        return new;
      end $$`.execute(test.database.session);
    await sql`create trigger no_copy before insert on loan_log for each row execute function refuse_copy()`.execute(
      test.database.session,
    );
    let now = 0;
    running = run(log, test.database, { ...listening, now: () => now, maxBatch: 30 });
    const { projector } = running;
    const batch = async (name: string): Promise<void> => {
      const ends = Array.from({ length: 30 }, (_, index) => book(`${name}-${index}`));
      expect(await projector.waitFor(ends.at(-1) ?? 0n, { timeoutMs: 5_000 })).toBe('reached');
    };
    log.add('shelf-s1', 'ShelfBuilt', { name: 'crime' });
    await batch('first');
    await batch('second');
    const atFirst = halved.length;
    expect(atFirst).toBeGreaterThan(1);
    expect(warnings.map(({ fields }) => fields)).toMatchObject([{ table: 'loan_log', code: 'P0001', before: 0 }]);
    now = 60_000;
    await batch('third');
    expect(halved.length).toBeGreaterThan(atFirst);
    expect(warnings.map(({ fields }) => fields['before'])).toEqual([0, atFirst - 1]);
    expect(JSON.stringify(warnings)).not.toContain('BookBought');
    expect(projector.status().map(({ phase }) => phase)).toEqual(libraryTables.map(() => 'following'));
  });
});
