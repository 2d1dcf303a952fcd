import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../../src/commands/envelope.ts';
import { replayInto } from '../../../src/projections/engine/index.ts';
import { createQueries } from '../../../src/projections/queries.ts';
import type { ReadTables } from '../../../src/projections/schema.ts';
import { tables } from '../../../src/projections/tables.ts';
import { testDatabases } from '../../support/database.ts';
import { makeHistory, sampleHistory } from '../../support/history.ts';
import { createMemoryLog, type MemoryLog } from '../../support/memoryLog.ts';
import { embedded, type ProjectionWorld, startProjection } from '../../support/projection.ts';
import { type Graph, graphOf } from './graph.ts';

/** What the tables of now say once the log was replayed to a moment and no further. */
const replayedTo = async (
  log: MemoryLog,
  until: { time: number } | { position: bigint },
  workspaces: readonly string[],
) => {
  const { database, drop } = await (await embedded()).create<ReadTables>();
  await replayInto(database, { log, tables, decode, until });
  const queries = createQueries(database);
  const graphs: Record<string, Graph> = {};
  for (const workspaceId of workspaces) graphs[workspaceId] = await graphOf(queries, { workspaceId, role: 'OWNER' });
  await drop();
  return graphs;
};

describe('the graph of a random history', () => {
  const worlds: ProjectionWorld[] = [];
  const log = createMemoryLog();
  let workspaces: readonly string[] = [];

  beforeAll(async () => {
    await makeHistory(log, sampleHistory(900, 23));
    for (const target of await testDatabases()) {
      if (target.missing === '') worlds.push(await startProjection(target, { log, maxBatch: 40 }));
    }
    for (const world of worlds) {
      const head = log.events.at(-1)?.position ?? 0n;
      expect(await world.projector.waitFor(head, { timeoutMs: 60_000 })).toBe('reached');
    }
    const [first] = worlds;
    const rows = (await first?.rows('workspaces')) ?? [];
    workspaces = rows.map(({ id }) => String(id));
  }, 120_000);
  afterAll(() => Promise.all(worlds.map((world) => world.stop())));

  const moments = [0.15, 0.4, 0.55, 0.7, 0.85, 1];

  it.each(moments)('as of any moment is what a replay of the log to that moment gives (%d of it)', async (part) => {
    const event = log.events[Math.floor(part * (log.events.length - 1))];
    if (!event) throw new Error('the history is empty');
    const byTime = await replayedTo(log, { time: event.recordedAt }, workspaces);
    if (part > 0.5) expect(Object.values(byTime).some(({ edges }) => edges.length > 2)).toBe(true);
    for (const world of worlds) {
      for (const workspaceId of workspaces) {
        const expected = byTime[workspaceId];
        expect(await graphOf(world.queries, { workspaceId, role: 'OWNER', moment: { at: event.recordedAt } })).toEqual(
          expected,
        );
        const position = Number(event.position);
        expect(await graphOf(world.queries, { workspaceId, role: 'OWNER', moment: { position } })).toEqual(expected);
      }
    }
  });

  it('of now is the newest version of it', async () => {
    for (const world of worlds) {
      for (const workspaceId of workspaces) {
        const position = await world.queries.graphPosition();
        expect(await graphOf(world.queries, { workspaceId, role: 'OWNER', moment: { position } })).toEqual(
          await graphOf(world.queries, { workspaceId, role: 'OWNER' }),
        );
      }
    }
  });

  it('has a resource for every row of a feature, and none without one', async () => {
    for (const world of worlds) {
      const resources = await world.rows('resources');
      const ofType = (type: string) => resources.flatMap((row) => (row['type'] === type ? [String(row['id'])] : []));
      const ids = async (
        table: Parameters<typeof world.rows>[0],
        isThere: (row: Readonly<Record<string, unknown>>) => boolean,
      ) => (await world.rows(table)).flatMap((row) => (isThere(row) ? [String(row['id'])] : []));
      const departments = await ids('departments', (row) => row['status'] === 'active');
      const ofLiveDepartment = (row: Readonly<Record<string, unknown>>) =>
        departments.includes(String(row['department_id']));
      expect(ofType('department')).toEqual(departments);
      expect(departments.length).toBeGreaterThan(0);
      const inLive = (type: string) =>
        resources.flatMap((row) => (row['type'] === type && ofLiveDepartment(row) ? [String(row['id'])] : []));
      expect(inLive('edgeWorker')).toEqual(
        await ids('edge_workers', (row) => row['retired'] === false && ofLiveDepartment(row)),
      );
      expect(inLive('edgeSecret')).toEqual(
        await ids('edge_secrets', (row) => Number(row['readable_versions']) > 0 && ofLiveDepartment(row)),
      );
      // Rows that a reaction is still to remove, with their workspace or department, are not in the graph any more.
      const isHeld = (row: Readonly<Record<string, unknown>>) =>
        workspaces.includes(String(row['workspace_id'])) && (row['department_id'] === '' || ofLiveDepartment(row));
      const credentials = resources.flatMap((row) =>
        row['type'] === 'credential' && isHeld(row) ? [String(row['id'])] : [],
      );
      expect(credentials).toEqual(await ids('credentials', (row) => row['status'] === 'active' && isHeld(row)));
      expect(credentials.length).toBeGreaterThan(0);
      expect(inLive('edgeDomain')).toEqual(await ids('edge_domains', ofLiveDepartment));
    }
  });

  it('is wholly gone with its workspace, at any moment', async () => {
    for (const world of worlds) {
      const position = world.log.add('workspace-doomed', 'WorkspaceCreated', { name: 'D', slug: 'doomed' });
      world.log.add('department-doomed', 'DepartmentCreated', { workspaceId: 'doomed', name: 'D', slug: 'd' });
      const last = world.log.add('workspace-doomed', 'WorkspaceDeleted', { slug: 'doomed' });
      expect(await world.projector.waitFor(last, { timeoutMs: 20_000 })).toBe('reached');
      const view = { workspaceId: 'doomed', role: 'OWNER' as const, moment: { position: Number(position) + 10 } };
      expect(await graphOf(world.queries, view)).toEqual({ nodes: [], edges: [] });
      break;
    }
  });
});
