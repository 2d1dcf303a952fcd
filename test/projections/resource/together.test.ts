import { sql } from 'kysely';
import { expect, it } from 'vitest';
import { decode } from '../../../src/commands/envelope.ts';
import { silentLog } from '../../../src/platform/log/port.ts';
import { createTables, rebuild, startProjector } from '../../../src/projections/engine/index.ts';
import { createQueries } from '../../../src/projections/queries.ts';
import type { ReadTables } from '../../../src/projections/schema.ts';
import { tables } from '../../../src/projections/tables.ts';
import { onEveryDatabase } from '../../support/database.ts';
import { everyTransaction } from '../../support/everyTransaction.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { startProjection } from '../../support/projection.ts';

const addDepartments = (log: MemoryLog): bigint => {
  log.add('workspace-w1', 'WorkspaceCreated', { name: 'W', slug: 'w' });
  log.add('department-d1', 'DepartmentCreated', { workspaceId: 'w1', name: 'A', slug: 'a' });
  return log.add('department-d2', 'DepartmentCreated', { workspaceId: 'w1', name: 'B', slug: 'b' });
};

await onEveryDatabase('a department and its resource', (target) => {
  const open = async () => {
    const { database, drop } = await target.create<ReadTables>();
    await createTables(database, tables);
    const count = async (name: string): Promise<number> => {
      const { rows } = await sql<{ count: number | string }>`select count(*) as count from ${sql.table(name)}`.execute(
        database.session,
      );
      return Number(rows[0]?.count);
    };
    return { database, drop, count };
  };

  it('appear together: a batch that fails in the middle leaves neither, and its second try leaves both', async () => {
    const { database, drop, count } = await open();
    const log = createMemoryLog();
    const seen: [number, number][] = [];
    let failures = 0;
    const failing = everyTransaction(
      database,
      (transaction) => (work) =>
        transaction(async (session) => {
          const result = await work(session);
          failures += 1;
          // Everything is written, nothing is committed.
          if (failures === 1) throw Object.assign(new Error('the connection was lost'), { code: 'ECONNRESET' });
          return result;
        }),
    );
    const head = addDepartments(log);
    const stopping = new AbortController();
    const projector = startProjector({
      ...{ log, tables, decode, logger: silentLog, signal: stopping.signal },
      database: { ...failing, classify: () => 'unavailable' as const },
      sleep: async () => {
        seen.push([await count('departments'), await count('resources')]);
      },
    });
    expect(await projector.waitFor(head, { timeoutMs: 20_000 })).toBe('reached');
    stopping.abort();
    await projector.done;
    expect(failures).toBeGreaterThan(1);
    expect(seen[0]).toEqual([0, 0]);
    expect([await count('departments'), await count('resources')]).toEqual([2, 2]);
    await drop();
  });

  it('part only where the graph stops: departments go on, readiness names the table, and a rebuild mends it', async () => {
    const world = await startProjection(target);
    try {
      await world.project([]);
      addDepartments(world.log);
      const head = world.log.add('department-d3', 'DepartmentCreated', { workspaceId: 'w1', name: 'C', slug: 'c' });
      expect(await world.projector.waitFor(head, { timeoutMs: 20_000 })).toBe('reached');
      // Somebody's hand in the table: the row of the next resource cannot be inserted.
      await sql`insert into resources (id, workspace_id, created_at, updated_at)
        values ('d4', 'w1', ${new Date(0)}, ${new Date(0)})`.execute(world.database.session);
      const next = world.log.add('department-d4', 'DepartmentCreated', { workspaceId: 'w1', name: 'D', slug: 'd' });
      expect(await world.projector.waitFor(next, { timeoutMs: 20_000, tables: ['departments'] })).toBe('reached');
      expect(await world.projector.waitFor(next, { timeoutMs: 20_000, tables: ['resources'] })).toBe('stopped');
      const stopped = world.projector.status().flatMap(({ table, phase }) => (phase === 'stopped' ? [table] : []));
      expect(stopped.sort()).toEqual(['resource_relations', 'resource_tags', 'resources']);
      await rebuild({ log: world.log, database: world.database, tables, decode });
      const ids = (rows: readonly Readonly<Record<string, unknown>>[]) => rows.map(({ id }) => id);
      expect(ids(await world.rows('resources'))).toEqual(ids(await world.rows('departments')));
    } finally {
      await world.stop();
    }
  });

  it('are found by no other tenant, whatever is asked', async () => {
    const world = await startProjection(target);
    try {
      addDepartments(world.log);
      const relation = { workspaceId: 'w1', relationType: 'uses' };
      const end = (id: string) => ({ id, type: 'department', departmentId: id, incarnation: '' });
      const head = world.log.add('resourceRelation-r1', 'ResourceRelationCreated', {
        ...{ ...relation, source: end('d1'), target: end('d2') },
      });
      await world.projector.waitFor(head, { timeoutMs: 20_000 });
      const queries = createQueries(world.database);
      const moments = [undefined, { at: 1_800_000_000_000 }, { position: Number(head) }];
      for (const moment of moments) {
        const mine = { workspaceId: 'w1', role: 'OWNER' as const, moment };
        const theirs = { ...mine, workspaceId: 'w2' };
        const walk = { resourceId: 'd1', depth: 8, direction: 'both' as const, maxNodes: 10, maxEdges: 10 };
        const [edge] = (await queries.relations({ ...mine, limit: 5 })).rows;
        expect(edge).toMatchObject({ sourceId: 'd1', targetId: 'd2' });
        expect((await queries.graphFrom({ ...mine, ...walk }))?.nodes).toHaveLength(2);
        expect((await queries.graphFrom({ ...mine, ...walk, maxNodes: 1 }))?.cut).toBe('nodes');
        expect((await queries.graphFrom({ ...mine, ...walk, departmentIds: ['d1'] }))?.nodes).toHaveLength(1);
        expect((await queries.resources({ ...theirs, limit: 5 })).rows).toEqual([]);
        expect(await queries.resource({ ...theirs, resourceId: 'd1' })).toBeUndefined();
        expect((await queries.relations({ ...theirs, limit: 5 })).rows).toEqual([]);
        expect(await queries.relation({ ...theirs, relationId: edge?.id ?? '' })).toBeUndefined();
        expect(await queries.graphFrom({ ...theirs, ...walk })).toBeUndefined();
      }
    } finally {
      await world.stop();
    }
  });
});
