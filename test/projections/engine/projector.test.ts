import { sql } from 'kysely';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it, vi } from 'vitest';
import { sleep } from '../../../src/projections/engine/backoff.ts';
import { verifyChain } from '../../../src/projections/engine/chain.ts';
import { readCheckpoints } from '../../../src/projections/engine/checkpoints.ts';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import type { ProjectorOptions } from '../../../src/projections/engine/projector.ts';
import { watchCheckpoints } from '../../../src/projections/engine/watch.ts';
import { type AnyTable, string, table } from '../../../src/projections/table.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { everyTransaction } from '../../support/everyTransaction.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { dieAfter } from './dying.ts';
import { emptyTables, projectAll, quiet, type Running, run } from './library.ts';
import { foldModel, tableContents } from './model.ts';
import { books, type LibraryEvent, type LibrarySchema, libraryTables, loanLog, readers, shelves } from './sample.ts';

/** A table of titles whose handler fails on one of them for as long as `broken` says. */
const titlesTable = (broken: () => string, version = 1): AnyTable =>
  table<LibraryEvent>()({
    name: 'titles',
    version,
    columns: { id: string(64), title: string(80) },
    primaryKey: ['id'],
    unique: { uq_title: ['title'] },
    on: {
      ShelfBuilt: 'ignored',
      ShelfRenamed: 'ignored',
      ShelfTornDown: 'ignored',
      BookBought: ({ data, meta }, rows) => {
        if (data.title === broken()) throw new Error('cannot read this title');
        rows.insert({ id: meta.subjectId, title: data.title });
      },
      BookLent: 'ignored',
      BookReturned: 'ignored',
      BookRead: 'ignored',
      BookMoved: 'ignored',
      BookSold: ({ meta }, rows) => rows.remove(meta.subjectId),
    },
  });

await onEveryDatabase('the projector', (target) => {
  let test: TestDatabase<LibrarySchema>;
  let log: MemoryLog;
  let running: Running[] = [];
  beforeAll(async () => {
    test = await target.create<LibrarySchema>();
  });
  afterAll(() => test.drop());
  beforeEach(async () => {
    log = createMemoryLog();
    await emptyTables(test.database);
  });
  afterEach(async () => {
    await Promise.all(running.map((each) => each.stop()));
    running = [];
  });

  const start = (more: Partial<ProjectorOptions> = {}): Running => {
    const started = run(log, test.database, more);
    running.push(started);
    return started;
  };
  const shelf = (id: string, name = `shelf ${id}`) => log.add(`shelf-${id}`, 'ShelfBuilt', { name });
  const book = (id: string, shelfId: string, more: object = {}) =>
    log.add(`book-${id}`, 'BookBought', { shelfId, title: `book ${id}`, pages: 100, ...more });
  const positions = async () =>
    Object.fromEntries(
      [...(await readCheckpoints(test.database.session)).values()].map((each) => [each.name, each.position]),
    );
  const statusOf = ({ projector }: Running, name: string) => projector.status().find((each) => each.table === name);
  const expectEqualToLog = async (tables: readonly AnyTable[] = libraryTables) =>
    expect(await tableContents(test.database, tables)).toEqual(foldModel(tables, log.events));

  it('writes what the handlers say, and the checkpoints with it', async () => {
    shelf('s1');
    book('b1', 's1', { notes: { b: 1, a: ['ü😀'] } });
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
    expect(Object.values(await positions())).toEqual(libraryTables.map(() => 60n));
  });

  it('tells who listens after each commit, and lets wait for a position', async () => {
    await createTables(test.database, libraryTables);
    const commits: [bigint, string[]][] = [];
    const { projector } = start({ onCommitted: (position, changed) => commits.push([position, [...changed].sort()]) });
    expect(await projector.waitFor(shelf('s1'), { timeoutMs: 5000 })).toBe('reached');
    expect(await projector.waitFor(log.add('book-b9', 'BookRead', { pages: 1 }), { timeoutMs: 5000 })).toBe('reached');
    expect(await projector.waitFor(1_000_000n, { timeoutMs: 20 })).toBe('timedOut');
    expect(commits).toEqual([
      [10n, ['readers', 'shelves']],
      [20n, ['books', 'loan_log', 'readers']],
    ]);
    expect(projector.status().map((each) => [each.phase, each.lagMs])).toEqual(
      libraryTables.map(() => ['following', 0]),
    );
  });

  it('lets another process wait by looking at the checkpoints', async () => {
    await createTables(test.database, libraryTables);
    const watch = watchCheckpoints(test.database, libraryTables);
    const reached = watch.waitFor(10n, { timeoutMs: 5000, tables: ['shelves'] });
    start();
    shelf('s1');
    expect(await reached).toBe('reached');
    expect(await watch.waitFor(1_000_000n, { timeoutMs: 20 })).toBe('timedOut');
  });

  it('passes over events of types and categories it does not know', async () => {
    log.add('zebra-1', 'ZebraSeen', { stripes: 3 });
    shelf('s1');
    log.add('zebra-1', 'BookSold', {});
    await projectAll(log, test.database);
    expect((await positions())['shelves']).toBe(30n);
  });

  it('stops the table whose handler throws, at that event, and no other', async () => {
    let broken = 'book b2';
    const titles = titlesTable(() => broken);
    const tables = [...libraryTables, titles];
    await createTables(test.database, tables);
    shelf('s1');
    for (const id of ['b1', 'b2', 'b3', 'b4', 'b5']) book(id, 's1');
    const stops: string[] = [];
    const started = start({ tables, onStopped: (name, reason) => stops.push(`${name}: ${reason}`) });
    expect(await started.projector.waitFor(60n, { timeoutMs: 5000, tables: ['books', 'loan_log'] })).toBe('reached');
    expect(await started.projector.waitFor(60n, { timeoutMs: 5000, tables: ['titles'] })).toBe('stopped');
    expect(stops).toEqual(['titles: cannot read this title at BookBought book-b2@0']);
    expect(statusOf(started, 'titles')).toMatchObject({ phase: 'stopped', position: 20n });
    const checkpoint = (await readCheckpoints(test.database.session)).get('titles');
    expect(checkpoint?.stopped).toContain('cannot read this title');
    expect((await tableContents(test.database, [titles])).get('titles')).toEqual([{ id: 'b1', title: 'book b1' }]);

    await started.projector.resume();
    expect(await started.projector.waitFor(60n, { timeoutMs: 5000, tables: ['titles'] })).toBe('stopped');
    broken = '';
    await started.projector.resume();
    expect(await started.projector.waitFor(60n, { timeoutMs: 5000 })).toBe('reached');
    expect(await started.projector.waitFor(book('b6', 's1'), { timeoutMs: 5000 })).toBe('reached');
    expect((await readCheckpoints(test.database.session)).get('titles')?.stopped).toBe('');
    await expectEqualToLog(tables);
  });

  it('stops a table at the row that a constraint refuses, and goes on after a restart that cures it', async () => {
    const tables = [...libraryTables, titlesTable(() => '')];
    await createTables(test.database, tables);
    shelf('s1');
    book('b1', 's1');
    book('b2', 's1', { title: 'book b1' });
    book('b3', 's1');
    const first = start({ tables });
    expect(await first.projector.waitFor(40n, { timeoutMs: 5000, tables: ['titles'] })).toBe('stopped');
    expect(await first.projector.waitFor(40n, { timeoutMs: 5000, tables: ['books'] })).toBe('reached');
    expect(statusOf(first, 'titles')?.position).toBe(20n);
    const reason = statusOf(first, 'titles')?.reason;
    expect(reason).toContain('uq_title');
    expect(reason).not.toContain('book b1');
    await first.stop();
    await sql`alter table titles drop constraint uq_title`.execute(test.database.session);
    const second = start({ tables });
    expect(await second.projector.waitFor(40n, { timeoutMs: 5000 })).toBe('reached');
  });

  it('writes a new row that takes the unique value of a changed one in the same transaction', async () => {
    shelf('s1');
    book('b1', 's1');
    log.add('book-b1', 'BookLent', { to: 'ann', dueAt: 1 });
    await projectAll(log, test.database);
    log.add('book-b1', 'BookReturned', { late: false });
    book('b0', 's1');
    const end = log.add('book-b0', 'BookLent', { to: 'ann', dueAt: 2 });
    const batches: number[] = [];
    const { projector } = start({ onBatch: ({ events }) => batches.push(events) });
    expect(await projector.waitFor(end, { timeoutMs: 5000 })).toBe('reached');
    expect(batches).toEqual([3]);
    await expectEqualToLog();
  });

  it('writes a long batch in one piece, whatever is in its texts, and chains it as a short one', async () => {
    shelf('s1');
    const odd = [
      '',
      '\t',
      '\n\r',
      '\\',
      '\\N',
      '"',
      "'",
      '\u0000',
      '\uD800',
      'ü😀',
      '\u2028',
      '{"seq":1,"seq":2}',
      ',"seq":3',
    ];
    for (let index = 0; index < 60; index += 1) {
      const title = `${index} ${odd[index % odd.length] ?? ''}`;
      log.add(
        `book-b${index}`,
        'BookBought',
        { shelfId: 's1', title, pages: index, notes: { [title]: odd } },
        { workspaceId: `w${index % 3}` },
      );
    }
    const batches: number[] = [];
    await projectAll(log, test.database, { onBatch: ({ events }) => batches.push(events) });
    // A statement that the database refused would have cut it.
    expect(batches).toEqual([61]);
    for (let index = 0; index < 60; index += 1)
      log.add(`book-b${index}`, 'BookRead', { pages: 1 }, { workspaceId: `w${index % 2}` });
    await projectAll(log, test.database);
    await expectEqualToLog();
    const rows = await test.database.db.selectFrom('loan_log').selectAll().orderBy('seq').execute();
    expect(await verifyChain(loanLog, rows)).toMatchObject({ ok: true, rows: 120 });
  });

  it('makes one batch of what arrives while another one is written', async () => {
    await createTables(test.database, libraryTables);
    let entered = false;
    let open = (): void => {};
    let gate = Promise.resolve();
    const gated =
      (transaction: typeof test.database.transaction): typeof transaction =>
      async (work) => {
        entered = true;
        await gate;
        return transaction(work);
      };
    const batches: number[] = [];
    const database = everyTransaction(test.database, gated);
    const { projector } = start({ database, onBatch: ({ events }) => batches.push(events) });
    expect(await projector.waitFor(shelf('s1'), { timeoutMs: 5000 })).toBe('reached');

    gate = new Promise((resolve) => {
      open = resolve;
    });
    entered = false;
    book('b1', 's1');
    await vi.waitUntil(() => entered);
    book('b2', 's1');
    // Enough turns of the event loop to deliver it alone, were anybody asking.
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    const end = book('b3', 's1');
    open();
    expect(await projector.waitFor(end, { timeoutMs: 5000 })).toBe('reached');
    expect(batches).toEqual([1, 1, 2]);
  });

  it('lets events gather for a moment while they come fast, and not otherwise', async () => {
    await createTables(test.database, libraryTables);
    const pauses: number[] = [];
    const { projector } = start({
      sleep: async (ms, signal) => {
        pauses.push(ms);
        await sleep(ms, signal);
      },
    });
    expect(await projector.waitFor(shelf('s1'), { timeoutMs: 5000 })).toBe('reached');
    expect(await projector.waitFor(book('b1', 's1'), { timeoutMs: 5000 })).toBe('reached');
    expect(pauses.filter((ms) => ms === 5)).toEqual([]);
    const ids = ['b2', 'b3', 'b4', 'b5', 'b6'];
    const end = ids.map((id) => book(id, 's1')).at(-1) ?? 0n;
    expect(await projector.waitFor(end, { timeoutMs: 5000 })).toBe('reached');
    await vi.waitUntil(() => pauses.includes(5));
  });

  it('stops what hangs below a stopped table with it', async () => {
    const strict = table<LibraryEvent>()({
      name: 'titles',
      version: 1,
      columns: { id: string(64), title: string(80) },
      primaryKey: ['id'],
      foreignKeys: { fk_title_book: { columns: ['id'], references: 'books', to: ['id'], onDelete: 'cascade' } },
      onAny: () => {},
    });
    const tables = [...libraryTables, strict];
    await createTables(test.database, tables);
    await sql`insert into shelves (id, built_at) values ('s1', ${new Date(0)})`.execute(test.database.session);
    shelf('s1');
    book('b1', 's1');
    const started = start({ tables });
    expect(await started.projector.waitFor(20n, { timeoutMs: 5000, tables: ['readers', 'loan_log'] })).toBe('reached');
    expect(statusOf(started, 'shelves')).toMatchObject({ phase: 'stopped', position: 0n });
    expect(statusOf(started, 'books')).toMatchObject({ phase: 'stopped', reason: 'waits for shelves' });
    expect(statusOf(started, 'titles')).toMatchObject({ phase: 'stopped', reason: 'waits for shelves' });
  });

  it('never applies an event twice, however many projectors run', async () => {
    await createTables(test.database, libraryTables);
    const racers = [start({ maxBatch: 3 }), start({ maxBatch: 5 }), start()];
    shelf('s1');
    book('b1', 's1');
    for (let index = 0; index < 120; index += 1) {
      log.add('book-b1', 'BookRead', { pages: 1 });
      if (index % 10 === 0) await racers[index % 3]?.projector.waitFor(await log.head(), { timeoutMs: 5000 });
    }
    const head = await log.head();
    const outcomes = await Promise.all(racers.map(({ projector }) => projector.waitFor(head, { timeoutMs: 10_000 })));
    expect(outcomes).toEqual(['reached', 'reached', 'reached']);
    await expectEqualToLog();
  });

  it('lets a new table catch up by itself while the others go on, then reads the log once for all', async () => {
    shelf('s1');
    for (let index = 0; index < 50; index += 1) book(`b${index}`, 's1');
    await projectAll(log, test.database);
    const tables = [...libraryTables, titlesTable(() => '')];
    expect(await createTables(test.database, tables)).toEqual({ created: ['titles'], outdated: [] });
    const started = start({ tables, maxBatch: 4 });
    expect(await started.projector.waitFor(await log.head(), { timeoutMs: 5000 })).toBe('reached');
    expect(await started.projector.waitFor(book('last', 's1'), { timeoutMs: 5000 })).toBe('reached');
    await expectEqualToLog(tables);
  });

  it('leaves a table of another version alone and says so', async () => {
    const before = [...libraryTables, titlesTable(() => '')];
    shelf('s1');
    book('b1', 's1');
    await projectAll(log, test.database, { tables: before });
    const after = [...libraryTables, titlesTable(() => '', 2)];
    expect(await createTables(test.database, after)).toEqual({ created: [], outdated: ['titles'] });
    const started = start({ tables: after });
    expect(await started.projector.waitFor(book('b2', 's1'), { timeoutMs: 5000, tables: ['books'] })).toBe('reached');
    expect(statusOf(started, 'titles')?.phase).toBe('outdated');
    expect((await positions())['titles']).toBe(20n);
  });

  it('waits out the loss of the log', async () => {
    await createTables(test.database, libraryTables);
    const warnings: string[] = [];
    const logger = { info: () => {}, warn: (_: object, message: string) => warnings.push(message), error: () => {} };
    const { projector } = start({ logger });
    expect(await projector.waitFor(shelf('s1'), { timeoutMs: 5000 })).toBe('reached');
    log.fail();
    await expect.poll(() => warnings).toContain('The log cannot be read: trying again');
    log.recover();
    expect(await projector.waitFor(book('b1', 's1'), { timeoutMs: 5000 })).toBe('reached');
    await expectEqualToLog();
  });

  it('waits out the loss of the database, whether or not a commit went through', async () => {
    await createTables(test.database, libraryTables);
    let lost: 'no' | 'before' | 'after' = 'no';
    const gone = (): Error => Object.assign(new Error('connection lost'), { code: 'ECONNRESET' });
    const unreliable =
      (transaction: typeof test.database.transaction): typeof transaction =>
      async (work) => {
        if (lost === 'before') throw gone();
        const result = await transaction(work);
        if (lost === 'after') {
          lost = 'no';
          throw gone();
        }
        return result;
      };
    const flaky = everyTransaction(test.database, unreliable);
    const { projector } = start({ database: flaky });
    expect(await projector.waitFor(shelf('s1'), { timeoutMs: 5000 })).toBe('reached');
    lost = 'after';
    expect(await projector.waitFor(book('b1', 's1'), { timeoutMs: 5000 })).toBe('reached');
    lost = 'before';
    const position = log.add('book-b1', 'BookRead', { pages: 5 });
    expect(await projector.waitFor(position, { timeoutMs: 200 })).toBe('timedOut');
    lost = 'no';
    expect(await projector.waitFor(position, { timeoutMs: 10_000 })).toBe('reached');
    await expectEqualToLog();
  });

  it('ends when told to, in the middle of a long catch-up, and the next one goes on from there', async () => {
    await createTables(test.database, libraryTables);
    shelf('s1');
    for (let index = 0; index < 200; index += 1) book(`b${index}`, 's1');
    const first = start({ maxBatch: 2 });
    await first.projector.waitFor(100n, { timeoutMs: 5000 });
    await first.stop();
    const reached = (await positions())['books'] ?? 0n;
    expect(reached).toBeLessThan(await log.head());
    await projectAll(log, test.database);
    await expectEqualToLog();
  });

  it('may end at any statement: the next one finds rows and checkpoints together', async () => {
    await createTables(test.database, libraryTables);
    const write = (index: number): void => {
      shelf(`s${index}`);
      book(`b${index}`, `s${index}`);
      log.add(`shelf-s${index}`, 'ShelfRenamed', { name: 'renamed' });
      log.add(`book-b${index}`, 'BookRead', { pages: 3 });
    };
    for (let deadline = 1; deadline <= 20; deadline += 1) {
      write(deadline);
      const dying = start({ database: dieAfter(test.database, deadline), logger: quiet });
      await dying.projector.waitFor(await log.head(), { timeoutMs: 30 });
      await dying.stop();
      await projectAll(log, test.database);
    }
    await expectEqualToLog();
  });

  it('keeps its tables independent of the tables it was not given', async () => {
    await createTables(test.database, libraryTables);
    shelf('s1');
    const started = start({ tables: [readers] });
    expect(await started.projector.waitFor(10n, { timeoutMs: 5000 })).toBe('reached');
    expect((await positions())['shelves']).toBe(0n);
    await projectAll(log, test.database, { tables: [shelves, books, readers] });
    expect((await positions())['shelves']).toBe(10n);
  });
});
