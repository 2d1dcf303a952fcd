import { expect, it } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import { isForTenants } from '../../src/domain/publicEvent.ts';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Database } from '../../src/platform/database/port.ts';
import type { Cursor } from '../../src/projections/answers.ts';
import { replayInto, rowsOf } from '../../src/projections/engine/index.ts';
import type { ChangedThing } from '../../src/projections/past/changes.ts';
import type { PastStreamsPage } from '../../src/projections/past/position.ts';
import { workspaceLog } from '../../src/projections/past/workspaceLog.ts';
import { createQueries } from '../../src/projections/queries.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { onEveryDatabase } from '../support/database.ts';
import { makeHistory, sampleHistory } from '../support/history.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

/** Whose a row is; tables of no workspace have none. */
const ownerOf = (table: string, row: Readonly<Record<string, unknown>>): unknown =>
  table === 'workspaces' ? row['id'] : (row['workspace_id'] ?? row['company_id']);

const rowsOfWorkspace = async (database: Database<ReadTables>, workspaceId: string) => {
  const found: Record<string, unknown[]> = {};
  for (const table of tables) {
    const rows: unknown[] = [];
    for await (const row of rowsOf(database.session, database, table)) {
      if (ownerOf(table.name, row) === workspaceId) rows.push(row);
    }
    found[table.name] = rows;
  }
  return found;
};

await onEveryDatabase('questions to the past', (target) => {
  it('are answered as a walk over the log answers them', async () => {
    const log = createMemoryLog();
    await makeHistory(log, sampleHistory(300, 31));
    const { database, drop } = await target.create<ReadTables>();
    try {
      await replayInto(database, { log, tables, decode });
      const queries = createQueries(database);
      const all = log.events.flatMap((stored) => decode(stored) ?? []);
      const workspaceIds = new Set(all.map(({ meta }) => meta.workspaceId).filter((id) => id !== ''));
      for (const workspaceId of [...workspaceIds].slice(0, 4)) {
        const own = all.filter(({ meta }) => meta.workspaceId === workspaceId);
        const some = own[Math.floor(own.length / 2)]?.meta;
        if (!some) throw new Error('There is none.');
        const until = own.filter(({ meta }) => meta.recordedAt <= some.recordedAt);
        const position = Number(until.at(-1)?.meta.position);
        expect(await queries.pastPosition({ workspaceId, at: some.recordedAt })).toEqual({
          ...{ position, events: until.length },
        });
        expect(await queries.pastPosition({ workspaceId, at: 0 })).toBeUndefined();
        const span = { workspaceId, fromMs: some.recordedAt, toMs: some.recordedAt + 5_000 };
        const within = own.filter(({ meta }) => meta.recordedAt >= span.fromMs && meta.recordedAt < span.toMs);
        const begins = within[0]?.meta.position ?? 0n;
        const earlier = all.findLast(({ type, meta }) => meta.position < begins && isForTenants(type, meta));
        expect(await queries.positionsBetween(span)).toEqual({
          ...{ after: earlier?.meta.position ?? 0n, last: within.at(-1)?.meta.position },
        });
        expect(await queries.positionsBetween({ workspaceId, fromMs: 0, toMs: 1 })).toBeUndefined();
        const told = own.filter(({ type, meta }) => isForTenants(type, meta));
        const before = told.filter(({ meta }) => meta.position <= BigInt(position));
        const streams = new Set<string>();
        for (let after: number | undefined = 0; after !== undefined; ) {
          const page: PastStreamsPage = await queries.pastStreams({ workspaceId, position, after, limit: 7 });
          for (const { category, id } of page.streams) streams.add(`${category}-${id}`);
          after = page.next;
        }
        expect([...streams].sort()).toEqual(
          [...new Set(before.map(({ meta }) => `${meta.category}-${meta.subjectId}`))].sort(),
        );

        const later = { since: position, upTo: Number.MAX_SAFE_INTEGER - 1 };
        const args = { workspaceId, ...later, role: 'OWNER' as const, hidden: ['job'], limit: 3 };
        const changed = told.filter(({ meta }) => meta.position > BigInt(position) && meta.category !== 'job');
        const found: ChangedThing[] = [];
        for (let after: Cursor | undefined; ; ) {
          const page = await queries.changedThings({ ...args, after });
          found.push(...page.rows);
          if (page.next === null) break;
          after = page.next;
        }
        expect(new Set(found.map(({ id }) => id)).size).toBe(found.length);
        const byFacts = found.filter(({ categories }) => categories.length > 0).map(({ id }) => id);
        expect(byFacts.sort()).toEqual([...new Set(changed.map(({ meta }) => meta.subjectId))].sort());
        const narrow = await queries.changedThings({ ...args, limit: 200, type: 'edgeWorker' });
        const workers = changed.filter(({ meta }) => meta.category === 'edgeWorker');
        expect(narrow.rows.map(({ id }) => id)).toEqual([...new Set(workers.map(({ meta }) => meta.subjectId))]);
      }
    } finally {
      await drop();
    }
  }, 60_000);
});

await onEveryDatabase('a workspace replayed by itself', (target) => {
  it('has the rows that it has among all the others', async () => {
    const log = createMemoryLog();
    await makeHistory(log, sampleHistory(500, 23));
    const living = await openDatabase<ReadTables>('pglite:memory');
    await replayInto(living, { log, tables, decode });
    // Those in which the most happened.
    const workspaces = await living.db
      .selectFrom('audit_logs')
      .innerJoin('workspaces', 'workspaces.id', 'audit_logs.workspace_id')
      .select(['workspaces.id', ({ fn }) => fn.max('seq').as('events')])
      .groupBy('workspaces.id')
      .orderBy('events', 'desc')
      .limit(3)
      .execute();
    expect(workspaces).toHaveLength(3);
    for (const { id } of workspaces) {
      const { database, drop } = await target.create<ReadTables>();
      try {
        await replayInto(database, { log: workspaceLog(log, id), tables, decode });
        const alone = await rowsOfWorkspace(database, id);
        expect(alone).toEqual(await rowsOfWorkspace(living, id));
        expect(alone['departments']?.length).toBeGreaterThan(0);
        for (const table of tables) {
          for await (const row of rowsOf(database.session, database, table)) {
            expect([id, '', undefined]).toContain(ownerOf(table.name, row));
          }
        }
      } finally {
        await drop();
      }
    }
    await living.close();
  }, 120_000);
});

await onEveryDatabase('a replay', (target) => {
  it('takes a batch in which very many tags are given to things that are new', async () => {
    const log = createMemoryLog();
    const meta = (departmentId: string) => ({
      ...{ actor: { kind: 'user', id: 'user-1' }, authMethod: 'session', workspaceId: 'w', departmentId },
      ...{ requestId: 'r', commandId: 'c', $correlationId: 'x', $causationId: 'y' },
    });
    log.add('workspace-w', 'WorkspaceCreated', { name: 'W', slug: 'w' }, meta(''));
    const tags = ['a', 'b', 'c'];
    for (let index = 0; index < 300; index += 1) {
      const id = `d${index}`;
      log.add(`department-${id}`, 'DepartmentCreated', { workspaceId: 'w', name: id, slug: id }, meta(id));
      log.add(`resource-${id}`, 'ResourceTagged', { workspaceId: 'w', incarnation: '', tags, added: tags }, meta(id));
    }
    const { database, drop } = await target.create<ReadTables>();
    try {
      await replayInto(database, { log, tables, decode });
      const { count } = await database.db
        .selectFrom('resource_tags')
        .select(({ fn }) => fn.countAll().as('count'))
        .executeTakeFirstOrThrow();
      expect(Number(count)).toBe(900);
    } finally {
      await drop();
    }
  });
});
