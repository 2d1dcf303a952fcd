import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import { verifyAuditChain } from '../../src/projections/audit/verify.ts';
import { digestTables, rebuild, replayInto } from '../../src/projections/engine/index.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { onEveryDatabase, testDatabases } from '../support/database.ts';
import { historyArbitrary, makeHistory, sampleHistory } from '../support/history.ts';
import { createMemoryLog, type MemoryLog } from '../support/memoryLog.ts';
import { embedded, type ProjectionWorld, startProjection } from '../support/projection.ts';

const digestsOf = async (database: ProjectionWorld['database']): Promise<Record<string, string>> => {
  const digests = await digestTables(database, tables);
  return Object.fromEntries([...digests].map(([name, { rows, sha256 }]) => [name, `${rows} rows ${sha256}`]));
};

const replayed = async (log: MemoryLog): Promise<Record<string, string>> => {
  const { database, drop } = await (await embedded()).create<ReadTables>();
  await replayInto(database, { log, tables, decode });
  const digests = await digestsOf(database);
  await drop();
  return digests;
};

describe('the read tables of a long history', () => {
  const log = createMemoryLog();
  let expected: Record<string, string>;
  beforeAll(async () => {
    await makeHistory(log, sampleHistory(900, 7));
    expected = await replayed(log);
  });

  it('has rows in every table, so that equality says something', () => {
    const empty = Object.entries(expected).filter(([, digest]) => digest.startsWith('0 rows'));
    expect(empty).toEqual([]);
  });
});

await onEveryDatabase('the read tables', (target) => {
  it.each([3, 1_000])(
    'projected in batches of %i, and rebuilt, equal a fresh replay of the log',
    async (maxBatch) => {
      const log = createMemoryLog();
      await makeHistory(log, sampleHistory(maxBatch === 3 ? 200 : 600, 11));
      const expected = await replayed(log);
      const world = await startProjection(target, { log, maxBatch });
      try {
        await world.project([]);
        await expect
          .poll(() => world.projector.waitFor(log.events.at(-1)?.position ?? 0n, { timeoutMs: 20_000 }), {
            timeout: 25_000,
          })
          .toBe('reached');
        expect(await digestsOf(world.database)).toEqual(expected);
        expect(await verifyAuditChain(world.database.session, world.database)).toMatchObject({
          ok: true,
          rows: log.events.length,
        });
        await rebuild({ log, database: world.database, tables, decode });
        expect(await digestsOf(world.database)).toEqual(expected);
      } finally {
        await world.stop();
      }
    },
    120_000,
  );
});

describe('any history', () => {
  const worlds: ProjectionWorld[] = [];
  beforeAll(async () => {
    for (const target of await testDatabases()) {
      if (target.missing === '') worlds.push(await startProjection(target, { maxBatch: 5 }));
    }
  });
  afterAll(() => Promise.all(worlds.map((world) => world.stop())));

  it('gives the same rows on every database as a fresh replay does', async () => {
    await fc.assert(
      fc.asyncProperty(historyArbitrary(60), async (steps) => {
        let expected: Record<string, string> | undefined;
        for (const world of worlds) {
          await world.reset();
          await makeHistory(world.log, steps);
          await world.project([]);
          await world.projector.waitFor(world.log.events.at(-1)?.position ?? 0n, { timeoutMs: 20_000 });
          const found = await digestsOf(world.database);
          expected ??= await replayed(world.log);
          expect(found).toEqual(expected);
        }
      }),
      { numRuns: 4 },
    );
  }, 120_000);
});
