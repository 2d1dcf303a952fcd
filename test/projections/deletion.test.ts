import { beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../src/commands/envelope.ts';
import { rowsOf } from '../../src/projections/engine/index.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { tables } from '../../src/projections/tables.ts';
import { onEveryDatabase } from '../support/database.ts';
import { makeHistory, sampleHistory } from '../support/history.ts';
import { createMemoryLog, type MemoryLog } from '../support/memoryLog.ts';
import { type ProjectionWorld, startProjection } from '../support/projection.ts';

type Fate = 'goes' | 'stays';
type Rule = {
  /** Of the rows of a company that is deleted for good. */
  readonly company: Fate;
  /** Of the rows of a department that is removed. */
  readonly department: Fate;
  readonly because: string;
};

const ofCompany = (because: string): Rule => ({ company: 'goes', department: 'stays', because });
const outlives = (because: string): Rule => ({ company: 'stays', department: 'stays', because });
const graph = 'the graph of now shows what is there now';
const noTenant = 'it is of no company';

/** What becomes of the rows of each table. A new table does not compile before it has its line. */
const rules: { readonly [Name in keyof ReadTables]: Rule } = {
  workspaces: ofCompany('a company is deleted hard'),
  departments: ofCompany('departments go with their company; removing one is soft and keeps its row'),
  edge_workers: ofCompany(
    'a worker cascades from its company and its department, and no department row ever goes alone',
  ),
  edge_worker_versions: ofCompany('revisions cascade from their worker'),
  workspace_members: ofCompany('nobody is a member of nothing'),
  api_tokens: ofCompany('a token ends with its company'),
  invitations: ofCompany('an invitation ends with its company'),
  resource_versions: ofCompany('the past of a deleted company is not asked for, that of a removed department is'),
  resource_relation_versions: ofCompany('as the resources that they join'),
  resources: { company: 'goes', department: 'goes', because: graph },
  resource_tags: { company: 'goes', department: 'goes', because: graph },
  resource_relations: { company: 'goes', department: 'goes', because: graph },
  edge_worker_outbox: outlives('intents and tickets have no foreign keys: they outlive worker, department and company'),
  edge_worker_deployment_steps: outlives('they are part of tickets'),
  edge_worker_audit_logs: outlives('facts for auditors are only ever added to'),
  edge_worker_scripts: outlives('reconciliation must know every script that was ever ours to find the orphans'),
  edge_secrets: outlives('whoever destroys the keys must find them'),
  edge_domains: outlives('whoever takes the host name off must find it'),
  credentials: outlives('whoever destroys the keys must find them'),
  webhooks: outlives('whoever ends it must find it'),
  jobs: outlives('what was done outside outlives whom it was done for'),
  job_turns: outlives('what is left to do for a deleted company still has its turn'),
  audit_logs: outlives('the chain is evidence'),
  events: outlives('whoever reads on by position must not find a hole'),
  users: outlives(noTenant),
  sessions: outlives(noTenant),
  edge_worker_maintenance: outlives(noTenant),
};

const lines = Object.entries(rules).map(([table, rule]) => ({ table, ...rule }));

type Row = Readonly<Record<string, unknown>>;
type Snapshot = ReadonlyMap<string, ReadonlyMap<string, Row>>;

const companyOf = (table: string, row: Row): unknown =>
  table === 'workspaces' ? row['id'] : (row['workspace_id'] ?? row['company_id']);

/** A row of the graph is of the department of either end. */
const isOfDepartment = (table: string, row: Row, departmentId: string, inDepartment: ReadonlySet<unknown>): boolean => {
  if (table === 'departments') return row['id'] === departmentId;
  if (table === 'resource_tags') return inDepartment.has(row['resource_id']);
  if (table === 'resource_relations') return inDepartment.has(row['source_id']) || inDepartment.has(row['target_id']);
  return row['department_id'] === departmentId;
};

const snapshot = async ({ database }: ProjectionWorld): Promise<Snapshot> => {
  const found = new Map<string, ReadonlyMap<string, Row>>();
  for (const table of tables) {
    const rows = new Map<string, Row>();
    for await (const row of rowsOf(database.session, database, table)) {
      rows.set(JSON.stringify(table.primaryKey.map((name) => String(row[name]))), row);
    }
    found.set(table.name, rows);
  }
  return found;
};

const alive = (
  log: MemoryLog,
  born: string,
  ended: string,
): readonly { readonly id: string; readonly of: string }[] => {
  const living = new Map<string, string>();
  for (const stored of log.events) {
    const event = decode(stored);
    if (event?.type === born) living.set(event.meta.subjectId, event.meta.workspaceId);
    if (event?.type === ended) living.delete(event.meta.subjectId);
  }
  return [...living].map(([id, of]) => ({ id, of }));
};

const settled = async (world: ProjectionWorld, position: bigint) =>
  expect(await world.projector.waitFor(position, { timeoutMs: 30_000 })).toBe('reached');

await onEveryDatabase('What is deleted', (target) => {
  const rowsWhere = (all: Snapshot, table: string, fits: (row: Row) => boolean) =>
    [...(all.get(table) ?? [])].filter(([, row]) => fits(row));

  describe('with a company', () => {
    let before: Snapshot;
    let after: Snapshot;
    let gone: ReadonlySet<unknown>;
    beforeAll(async () => {
      const log = createMemoryLog();
      await makeHistory(log, sampleHistory(900, 11));
      const world = await startProjection(target, { log });
      try {
        await settled(world, await log.head());
        const living = alive(log, 'WorkspaceCreated', 'WorkspaceDeleted');
        // All but one of them, so that it is seen that others keep what is theirs.
        gone = new Set(living.slice(1).map(({ id }) => id));
        expect(gone.size).toBeGreaterThan(0);
        before = await snapshot(world);
        let position = 0n;
        for (const { id } of living.slice(1)) {
          position = log.add(`workspace-${id}`, 'WorkspaceDeleted', { slug: 's' }, { workspaceId: id });
        }
        await settled(world, position);
        after = await snapshot(world);
      } finally {
        await world.stop();
      }
    }, 120_000);

    it.each(lines)('$table: $company, because $because', ({ table, company, because }) => {
      const isGone = (row: Row) => gone.has(companyOf(table, row));
      const had = rowsWhere(before, table, isGone);
      const has = new Map(rowsWhere(after, table, isGone));
      if (because !== noTenant) expect(had.length, 'there was something of it').toBeGreaterThan(0);
      if (company === 'goes') {
        expect([...has.keys()]).toEqual([]);
      } else {
        for (const [key, row] of had) expect(has.get(key)).toEqual(row);
      }
      const others = rowsWhere(before, table, (row) => !isGone(row));
      expect(new Map(rowsWhere(after, table, (row) => !isGone(row)))).toEqual(new Map(others));
    });
  });

  describe('with a department', () => {
    let before: Snapshot;
    let after: Snapshot;
    let gone: readonly string[];
    let inDepartments: ReadonlySet<unknown>;
    beforeAll(async () => {
      const log = createMemoryLog();
      await makeHistory(log, sampleHistory(900, 11));
      const world = await startProjection(target, { log });
      try {
        await settled(world, await log.head());
        const living = alive(log, 'DepartmentCreated', 'DepartmentRemoved');
        gone = living.slice(1).map(({ id }) => id);
        expect(gone.length).toBeGreaterThan(0);
        before = await snapshot(world);
        const resources = rowsWhere(before, 'resources', (row) => gone.some((id) => row['department_id'] === id));
        inDepartments = new Set(resources.map(([, row]) => row['id']));
        let position = 0n;
        for (const { id, of: workspaceId } of living.slice(1)) {
          const data = { workspaceId, slug: 's' };
          position = log.add(`department-${id}`, 'DepartmentRemoved', data, { workspaceId, departmentId: id });
        }
        await settled(world, position);
        after = await snapshot(world);
      } finally {
        await world.stop();
      }
    }, 120_000);

    it.each(lines)('$table: $department, because $because', ({ table, department }) => {
      const isGone = (row: Row) => gone.some((id) => isOfDepartment(table, row, id, inDepartments));
      const had = rowsWhere(before, table, isGone);
      const has = new Map(rowsWhere(after, table, isGone));
      if (department === 'goes') {
        expect(had.length, 'there was something to go').toBeGreaterThan(0);
        expect([...has.keys()]).toEqual([]);
      } else if (table === 'departments') {
        // The one row that says that it was removed.
        expect([...has.keys()]).toEqual(had.map(([key]) => key));
        expect([...has.values()].map((row) => row['status'])).toEqual(had.map(() => 'removed'));
      } else if (table === 'resource_versions') {
        for (const [key] of had) expect(has.has(key)).toBe(true);
      } else {
        for (const [key, row] of had) expect(has.get(key)).toEqual(row);
      }
    });
  });
});
