import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { createTables } from '../../../src/projections/engine/index.ts';
import type { ReadTables } from '../../../src/projections/schema.ts';
import { tables } from '../../../src/projections/tables.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';

/** The constraints catch a projection that breaks a rule of the domain: rows are written here as none of ours would. */
await onEveryDatabase('the edge worker tables', (target) => {
  let test: TestDatabase<ReadTables>;
  const run = (statement: string) => sql.raw<Record<string, unknown>>(statement).execute(test.database.session);
  const count = async (table: string): Promise<number> => {
    const { rows } = await run(`select count(*) as n from ${table}`);
    return Number(rows[0]?.['n']);
  };
  /** The name of the constraint that refuses it; '' when nothing does. */
  const refusedBy = async (statement: string): Promise<string> => {
    try {
      await run(statement);
      return '';
    } catch (error) {
      expect(test.database.classify(error)).toBe('constraint');
      const message = error instanceof Error ? error.message : '';
      return /\b((?:uq|ck|fk)_[a-z_]+)/.exec(message)?.[1] ?? message;
    }
  };

  beforeAll(async () => {
    test = await target.create<ReadTables>();
    await createTables(test.database, tables);
  });
  beforeEach(async () => {
    for (const { name } of [...tables].reverse()) await run(`delete from ${name}`);
    await run("insert into workspaces (id, slug) values ('c1', 'one'), ('c2', 'two')");
    await run(
      "insert into departments (id, workspace_id, slug) values ('d1', 'c1', 'a'), ('d2', 'c1', 'b'), ('d3', 'c2', 'a')",
    );
    await run(
      "insert into edge_workers (id, company_id, department_id, script_name) values ('e1', 'c1', 'd1', 'dw-1')",
    );
    await run("insert into edge_worker_versions (id, worker_id, revision) values ('v1', 'e1', 1)");
  });
  afterAll(() => test.drop());

  const worker = (id: string, department: string, script: string, status = 'draft') =>
    `insert into edge_workers (id, company_id, department_id, script_name, status)
       values ('${id}', 'c1', '${department}', '${script}', '${status}')`;
  const version = (id: string, revision: number, column = 'sbom', value = '{}') =>
    `insert into edge_worker_versions (id, worker_id, revision, ${column}) values ('${id}', 'e1', ${revision}, '${value}')`;
  const ticket = (id: string, workerId: string, status: string, operation = 'deploy') =>
    `insert into edge_worker_outbox (id, ticket_id, dedupe_key, operation, worker_id, status)
       values ('${id}', '${id}', '${id}', '${operation}', '${workerId}', '${status}')`;

  it.each([
    ['a second worker of a department', worker('e2', 'd1', 'dw-2'), 'uq_edge_worker_department'],
    ['a second worker with a script name', worker('e2', 'd2', 'dw-1'), 'uq_edge_worker_script_name'],
    ['a worker with a status that there is not', worker('e2', 'd2', 'dw-2', 'gone'), 'ck_edge_worker_status'],
    ['a worker of a department that there is not', worker('e2', 'dx', 'dw-2'), 'fk_edge_worker_department'],
    ['a second revision with a number', version('v2', 1), 'uq_edge_worker_version_revision'],
    ['a revision in another language', version('v2', 2, 'language', 'cobol'), 'ck_edge_worker_version_language'],
    ['a revision in a state that there is not', version('v2', 2, 'state', 'odd'), 'ck_edge_worker_version_state'],
    ['an operation that there is not', ticket('t1', 'e1', 'pending', 'explode'), 'ck_edge_worker_outbox_operation'],
    ['a ticket status that there is not', ticket('t1', 'e1', 'odd'), 'ck_edge_worker_outbox_status'],
    [
      'a gate that is neither open nor closed',
      "insert into edge_worker_maintenance (scope, state) values ('onprem:0123456789ab', 'ajar')",
      'ck_edge_worker_maintenance_state',
    ],
  ])('refuse %s', async (_, statement, constraint) => {
    expect(await refusedBy(statement)).toBe(constraint);
  });

  it('accept what obeys', async () => {
    expect(await refusedBy(worker('e2', 'd2', 'dw-2', 'paused'))).toBe('');
    expect(await refusedBy(version('v2', 2, 'state', 'uncertain'))).toBe('');
  });

  it('give a revision that nobody gave a state the one that cannot be deployed', async () => {
    const { rows } = await run("select state, sbom, build_receipt from edge_worker_versions where id = 'v1'");
    expect(rows).toEqual([{ state: 'uploading', sbom: null, build_receipt: null }]);
  });

  it('admit one live deployment per worker, any number of settled ones, and of other operations', async () => {
    for (const [index, status] of ['completed', 'failed', 'cancelled', 'completed'].entries()) {
      expect(await refusedBy(ticket(`s${index}`, 'e1', status))).toBe('');
    }
    expect(await refusedBy(ticket('c1', 'e1', 'pending', 'artifact_cleanup'))).toBe('');
    expect(await refusedBy(ticket('c2', 'e1', 'pending', 'artifact_cleanup'))).toBe('');
    for (const alive of ['pending', 'leased', 'uncertain']) {
      expect(await refusedBy(ticket(`live-${alive}`, 'e1', alive))).toBe('');
      for (const other of ['pending', 'leased', 'uncertain']) {
        expect(await refusedBy(ticket('other', 'e1', other))).toBe('uq_edge_worker_outbox_active_deployment_worker');
      }
      expect(await refusedBy(ticket(`elsewhere-${alive}`, `e-${alive}`, alive))).toBe('');
      await run(`update edge_worker_outbox set status = 'completed' where id = 'live-${alive}'`);
    }
  });

  it('admit an intent once, and a ticket once', async () => {
    await run(ticket('t1', 'e1', 'completed'));
    const again = (id: string, ticketId: string, key: string) =>
      `insert into edge_worker_outbox (id, ticket_id, dedupe_key, operation, status)
         values ('${id}', '${ticketId}', '${key}', 'deploy', 'completed')`;
    expect(await refusedBy(again('t2', 't2', 't1'))).toBe('uq_edge_worker_outbox_dedupe');
    expect(await refusedBy(again('t2', 't1', 't2'))).toBe('uq_edge_worker_outbox_ticket');
    expect(await refusedBy(again('t2', 't2', 't2'))).toBe('');
  });

  it('let workers and revisions go with their company, and keep tickets, steps and audit', async () => {
    await run(ticket('t1', 'e1', 'pending'));
    await run("insert into edge_worker_deployment_steps (ticket_id, sequence) values ('t1', 1)");
    await run("insert into edge_worker_audit_logs (audit_id) values ('a1')");
    await run("delete from workspaces where id = 'c1'");
    expect(await Promise.all(['departments', 'edge_workers', 'edge_worker_versions'].map(count))).toEqual([1, 0, 0]);
    const kept = ['edge_worker_outbox', 'edge_worker_deployment_steps', 'edge_worker_audit_logs'];
    expect(await Promise.all(kept.map(count))).toEqual([1, 1, 1]);
  });

  it('compare identifiers byte by byte', async () => {
    expect(await refusedBy(worker('E1', 'd2', 'DW-1'))).toBe('');
    const { rows } = await run("select id from edge_workers where id = 'e1'");
    expect(rows).toEqual([{ id: 'e1' }]);
  });

  it('have a default for everything but the key, so that a hot-fix can add columns', async () => {
    for (const table of tables) {
      const values = table.primaryKey.map((name) =>
        ['sequence', 'position'].includes(name) ? '77' : "'only-the-key'",
      );
      if (Object.keys(table.foreignKeys).length > 0) continue;
      const statement = `insert into ${table.name} (${table.primaryKey.join(', ')}) values (${values.join(', ')})`;
      expect(await refusedBy(statement), table.name).toBe('');
    }
  });
});

describe('the names of indexes', () => {
  it.each([
    ['edge_workers', ['ix_edge_worker_company_department']],
    ['edge_worker_versions', ['ix_edge_worker_version_tenant', 'ix_edge_worker_version_state']],
    [
      'edge_worker_outbox',
      [
        'ix_edge_worker_outbox_pending',
        'ix_edge_worker_outbox_tenant',
        'ix_edge_worker_outbox_worker_operation_sequence',
      ],
    ],
    ['edge_worker_maintenance', []],
    ['edge_worker_audit_logs', ['ix_edge_worker_audit_tenant_created', 'ix_edge_worker_audit_resource']],
  ])('%s has those that its reads are anchored on', (name, expected) => {
    const table = tables.find((each) => each.name === name);
    expect(Object.keys(table?.indexes ?? {})).toEqual(expect.arrayContaining(expected));
    if (name === 'edge_worker_maintenance') expect(table).toMatchObject({ indexes: {}, unique: {}, foreignKeys: {} });
    if (name === 'edge_worker_audit_logs') expect(table).toMatchObject({ unique: {}, checks: {}, foreignKeys: {} });
    if (name === 'edge_worker_outbox') expect(table).toMatchObject({ foreignKeys: {} });
  });
});
