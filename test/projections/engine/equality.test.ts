import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { SqlDatabase } from '../../../src/platform/database/port.ts';
import { verifyChain } from '../../../src/projections/engine/chain.ts';
import { digestTables } from '../../../src/projections/engine/digest.ts';
import { rebuild } from '../../../src/projections/engine/rebuild.ts';
import { replayInto } from '../../../src/projections/engine/replay.ts';
import { type TestDatabase, testDatabases } from '../../support/database.ts';
import type { MemoryLog } from '../../support/memoryLog.ts';
import { decode, dropTables, emptyTables, projectAll } from './library.ts';
import { foldModel, tableContents } from './model.ts';
import { type LibrarySchema, libraryTables, loanLog } from './sample.ts';
import { storyArbitrary, writeStory } from './story.ts';

const present = (await testDatabases()).filter((target) => target.missing === '');

describe(`read tables on ${present.map((target) => target.name).join(', ')}`, () => {
  let tests: TestDatabase<LibrarySchema>[] = [];
  beforeAll(async () => {
    tests = await Promise.all(present.map((target) => target.create<LibrarySchema>()));
  });
  afterAll(() => Promise.all(tests.map((test) => test.drop())));

  const digests = async (database: SqlDatabase) => {
    const all = await digestTables(database, libraryTables);
    return Object.fromEntries([...all].map(([name, { rows, sha256 }]) => [name, `${rows} ${sha256}`]));
  };

  const onEach = async (work: (database: SqlDatabase) => Promise<void>) =>
    Promise.all(
      tests.map(async ({ database }) => {
        await work(database);
        return { contents: await tableContents(database, libraryTables), digests: await digests(database) };
      }),
    );

  it('are what a plain fold of the log in memory gives, in batches of any size', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(storyArbitrary(), fc.constantFrom(1, 2, 7, 1000), async (story, maxBatch) => {
        const log = writeStory(story);
        const expected = foldModel(libraryTables, log.events);
        const results = await onEach(async (database) => {
          await emptyTables(database);
          await projectAll(log, database, { maxBatch });
        });
        for (const { contents } of results) expect(contents).toEqual(expected);
        for (const result of results) expect(result.digests).toEqual(results[0]?.digests);
      }),
      { numRuns: 30, endOnFailure: true },
    );
  });

  it.each([1, 1000])(
    'judge what follows a version without a parent as if it never was, in batches of %i',
    async (maxBatch) => {
      const step = { book: 7, amount: 4, words: 'a' };
      const log = writeStory([
        { ...step, kind: 'build', shelf: 1 },
        // To a shelf that never was, and from there to one that is.
        { ...step, kind: 'move', shelf: 2 },
        { ...step, kind: 'move', shelf: 1 },
        { ...step, kind: 'move', shelf: 3 },
      ]);
      const expected = foldModel(libraryTables, log.events);
      expect(expected.get('book_versions')).toMatchObject([{ shelf_id: 's1' }, { shelf_id: 's1' }]);
      const results = await onEach(async (database) => {
        await emptyTables(database);
        await projectAll(log, database, { maxBatch });
      });
      for (const { contents } of results) expect(contents).toEqual(expected);
    },
  );

  it('are the same after a rebuild', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(storyArbitrary(), async (story) => {
        const log = writeStory(story);
        const expected = foldModel(libraryTables, log.events);
        const results = await onEach(async (database) => {
          await emptyTables(database);
          await projectAll(log, database);
          await sql`update shelves set name = 'wrong'`.execute(database.session);
          await rebuild({ log, database, tables: libraryTables, decode });
        });
        for (const { contents } of results) expect(contents).toEqual(expected);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it('are as of any moment when replayed up to it', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(storyArbitrary(), fc.nat(60), async (story, cut) => {
        const log = writeStory(story);
        const until = log.events[Math.min(cut, log.events.length - 1)];
        const time = until?.recordedAt ?? 0;
        const expected = foldModel(libraryTables, upTo(log, time));
        const results = await onEach(async (database) => {
          await dropTables(database);
          await replayInto(database, { log, tables: libraryTables, decode, until: { time } });
        });
        for (const { contents } of results) expect(contents).toEqual(expected);
      }),
      { numRuns: 6, endOnFailure: true },
    );
  });

  it('keep a hash chain that verifies, and one changed row is found', async () => {
    const steps = fc.sample(storyArbitrary(), { numRuns: 8, seed: 7 }).flat();
    const log = writeStory(steps);
    for (const { database } of tests) {
      await dropTables(database);
      await projectAll(log, database);
      const rows = async () =>
        (await tableContents(database, [loanLog]))
          .get('loan_log')
          ?.sort((a, b) => Number(a['seq']) - Number(b['seq'])) ?? [];
      expect(await verifyChain(loanLog, await rows())).toMatchObject({ ok: true, rows: (await rows()).length });
      await sql`update loan_log set what = 'Nothing' where seq = 3 and workspace_id = 'w1'`.execute(database.session);
      expect(await verifyChain(loanLog, await rows())).toEqual({ ok: false, by: 'w1', sequence: 3, reason: 'hash' });
    }
  });
});

const upTo = (log: MemoryLog, time: number) => log.events.filter((event) => event.recordedAt <= time);
