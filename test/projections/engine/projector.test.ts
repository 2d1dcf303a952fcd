import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { readCheckpoints } from '../../../src/projections/engine/checkpoints.ts';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { projectAll } from './library.ts';
import { type LibrarySchema, libraryTables } from './sample.ts';

await onEveryDatabase('the projector', (target) => {
  let test: TestDatabase<LibrarySchema>;
  let log: MemoryLog;
  beforeAll(async () => {
    test = await target.create<LibrarySchema>();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    log = createMemoryLog();
    for (const name of ['books', 'shelves', 'loan_log', 'readers', 'projection_checkpoints']) {
      await sql`drop table if exists ${sql.table(name)}`.execute(test.database.session);
    }
    await createTables(test.database, libraryTables);
  });

  const shelf = (id: string, name = `shelf ${id}`) => log.add(`shelf-${id}`, 'ShelfBuilt', { name });
  const book = (id: string, shelfId: string, notes?: object) =>
    log.add(`book-${id}`, 'BookBought', { shelfId, title: `book ${id}`, pages: 100, ...(notes ? { notes } : {}) });

  it('writes what the handlers say', async () => {
    shelf('s1');
    book('b1', 's1', { b: 1, a: ['ü😀'] });
    log.add('book-b1', 'BookLent', { to: 'ann', dueAt: 1_800_000_000_000 });
    log.add('book-b1', 'BookRead', { pages: 30 });
    log.add('book-b1', 'BookRead', { pages: 12 });
    log.add('shelf-s1', 'ShelfRenamed', { name: 'crime' });
    await projectAll(log, test.database);
    const { db } = test.database;
    expect(await db.selectFrom('books').selectAll().execute()).toEqual([
      {
        id: 'b1',
        shelf_id: 's1',
        title: 'book b1',
        state: 'lent',
        holder: 'ann',
        due_at: 1_800_000_000_000,
        pages: 100,
        pages_read: 42,
        late_once: false,
        notes: '{"a":["ü😀"],"b":1}',
        remark: 'crime',
        bought_at: 1_700_000_000_001,
        lent_to: 'ann',
      },
    ]);
    expect(await db.selectFrom('shelves').select(['name', 'books_bought']).execute()).toEqual([
      { name: 'crime', books_bought: 1 },
    ]);
    const checkpoints = await readCheckpoints(test.database.session);
    expect([...checkpoints.values()].map((each) => each.position)).toEqual(libraryTables.map(() => 60n));
  });
});
