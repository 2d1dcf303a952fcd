import { afterAll, beforeAll, expect, it } from 'vitest';
import type { SqlDatabase } from '../../../src/platform/database/port.ts';
import { readCheckpoints } from '../../../src/projections/engine/checkpoints.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { type Death, dying, type UseKind, usesOf } from './dying.ts';
import { emptyTables, projectAll, run } from './library.ts';
import { foldModel, tableContents } from './model.ts';
import { type LibrarySchema, libraryTables } from './sample.ts';

/** What is in the tables before, so that chains go on and rows change. */
const writeBefore = (log: MemoryLog): void => {
  for (const shelf of ['s1', 's2']) log.add(`shelf-${shelf}`, 'ShelfBuilt', { name: shelf });
  for (const id of ['b1', 'b2', 'b3']) {
    log.add(`book-${id}`, 'BookBought', { shelfId: 's1', title: id, pages: 9 }, { workspaceId: 'w2' });
  }
};

/** Every kind of change: new rows, patches, counts, puts, versions, removals, and what splits a batch in stages. */
const writeChanges = (log: MemoryLog, books: number): void => {
  log.add('book-b4', 'BookBought', { shelfId: 's2', title: 'b4', pages: 4 });
  log.add('book-b1', 'BookLent', { to: 'ann', dueAt: 1 });
  log.add('book-b2', 'BookRead', { pages: 3 });
  log.add('shelf-s1', 'ShelfRenamed', { name: 'crime' });
  log.add('book-b3', 'BookSold', { price: 1 }, { workspaceId: 'w2' });
  log.add('shelf-s2', 'ShelfTornDown', { reason: '' });
  for (let index = 0; index < books; index += 1) {
    const data = { shelfId: 's1', title: `n${index}`, pages: index };
    log.add(`book-n${index}`, 'BookBought', data, { workspaceId: `w${index % 3}` });
  }
};

/** Their rows are more than is sent as one text. */
const writeLong = (log: MemoryLog): void => {
  for (let index = 0; index < 22; index += 1) {
    log.add('book-b1', 'BookRead', { pages: 1, words: 'ü'.repeat(100_000) }, { workspaceId: `w${index % 3}` });
  }
};

type Path = { readonly name: string; write(log: MemoryLog): void; diesAt(kind: UseKind): boolean };
const always = (): boolean => true;
const few: Path = { name: 'few at a time', write: (log) => writeChanges(log, 2), diesAt: always };
const many: Path = { name: 'many at a time', write: (log) => writeChanges(log, 24), diesAt: always };
const long: Path = { name: 'long ones', write: writeLong, diesAt: (kind) => kind !== 'statement' };

await onEveryDatabase('tables after a death at any statement', (target) => {
  let test: TestDatabase<LibrarySchema>;
  beforeAll(async () => {
    test = await target.create<LibrarySchema>();
  });
  afterAll(() => test.drop());

  /** Answers the log, which has a batch that is not in the tables. */
  const begin = async ({ write }: Path): Promise<MemoryLog> => {
    const log = createMemoryLog();
    await emptyTables(test.database);
    writeBefore(log);
    await projectAll(log, test.database);
    write(log);
    return log;
  };

  const live = async (log: MemoryLog, database: SqlDatabase): Promise<void> => {
    const { projector, stop } = run(log, database);
    expect(await projector.waitFor(await log.head(), { timeoutMs: 10_000 })).toBe('reached');
    await stop();
  };

  const dieAndLookAt = async (log: MemoryLog, death: Death): Promise<void> => {
    const { database, gone } = dying(test.database, death);
    const { stop } = run(log, database);
    await gone;
    await stop();
    const positions = [...(await readCheckpoints(test.database.session)).values()].map(({ position }) => position);
    const reached = positions[0] ?? 0n;
    expect(new Set(positions)).toEqual(new Set([reached]));
    const written = log.events.filter(({ position }) => position <= reached);
    expect(await tableContents(test.database, libraryTables)).toEqual(foldModel(libraryTables, written));
  };

  const eachDeath = (path: Path): void => {
    it(`are those of their checkpoint, and in the end those of the log: ${path.name}`, {
      timeout: 120_000,
    }, async () => {
      const healthy = await begin(path);
      const uses = await usesOf(test.database, (database) => live(healthy, database));
      const deaths = [...uses.keys()].filter((index) => path.diesAt(uses[index] ?? 'statement'));
      for (const death of deaths.flatMap(bothSides)) {
        const log = await begin(path);
        await dieAndLookAt(log, death);
        await projectAll(log, test.database);
        expect(await tableContents(test.database, libraryTables)).toEqual(foldModel(libraryTables, log.events));
      }
    });
  };

  eachDeath(few);
  eachDeath(many);
  if (target.name !== 'MariaDB') eachDeath(long);

  it('were written in the ways that this is about', async () => {
    const ways = async (path: Path) => {
      const log = await begin(path);
      return usesOf(test.database, (database) => live(log, database));
    };
    const copies = (uses: readonly UseKind[]): number => uses.filter((kind) => kind === 'copy').length;
    const [ofFew, ofMany, ofLong] = [await ways(few), await ways(many), await ways(long)];
    expect(ofFew.at(-1)).toBe(target.name === 'PostgreSQL' ? 'pipelinedCommit' : 'commit');
    expect(ofMany.at(-1)).toBe('commit');
    expect(ofMany.length).toBeGreaterThan(10);
    // Books, their versions and the chained loan log; then that log alone, in two pieces.
    expect([ofFew, ofMany, ofLong].map(copies)).toEqual(target.name === 'MariaDB' ? [0, 0, 0] : [0, 3, 2]);
  });
});

const bothSides = (index: number): readonly Death[] => [
  { at: index + 1, when: 'before' },
  { at: index + 1, when: 'after' },
];
