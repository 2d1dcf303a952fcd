import fc from 'fast-check';
import { sql } from 'kysely';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { decode } from '../../../src/commands/envelope.ts';
import { openDatabase } from '../../../src/platform/database/database.ts';
import {
  type AuditProof,
  lookAtTables,
  prove,
  replayTables,
  verifyAudit,
} from '../../../src/projections/audit/verify.ts';
import { createQueries } from '../../../src/projections/queries.ts';
import { tables } from '../../../src/projections/tables.ts';
import { makeHistory, sampleHistory } from '../../support/history.ts';
import { createMemoryLog } from '../../support/memoryLog.ts';
import { embedded, type ProjectionWorld, startProjection } from '../../support/projection.ts';

describe('audit verification', () => {
  const log = createMemoryLog();
  const openScratch = async () => openDatabase('pglite:memory');
  let world: ProjectionWorld;
  let expected: Awaited<ReturnType<typeof replayTables>>;
  beforeAll(async () => {
    await makeHistory(log, sampleHistory(250, 7));
    world = await startProjection(await embedded(), { log });
    const head = await log.head();
    await world.projector.waitFor(head, { timeoutMs: 20_000 });
    const positions = new Map(tables.map(({ name }) => [name, head]));
    expected = await replayTables({ log, tables, decode, openScratch }, positions);
  });
  afterAll(() => world.stop());

  const verify = async (): Promise<AuditProof> =>
    verifyAudit({
      ...{ database: world.database, log, tables, decode, at: await log.head() },
      openScratch,
    });
  const run = async (...statements: readonly string[]): Promise<void> => {
    for (const statement of statements) await sql.raw(statement).execute(world.database.session);
  };
  /** Tampers, verifies, and takes it back. */
  const tampered = async (...statements: readonly string[]): Promise<AuditProof> => {
    await run('begin', "set local session_replication_role = 'replica'");
    try {
      await run(...statements);
      return await verifyInside();
    } finally {
      await run('rollback');
    }
  };
  // PGlite has one connection: a snapshot of its own cannot be opened inside the transaction that tampers.
  const verifyInside = async (): Promise<AuditProof> =>
    prove(await lookAtTables({ database: world.database, tables }, world.database.session), expected);

  it('holds for tables that nobody touched, and says what it looked at', async () => {
    const proof = await verify();
    expect(proof).toMatchObject({
      ok: true,
      chain: { ok: true, entries: log.events.length },
      tables: { ok: true, compared: tables.length, differing: [], behind: [] },
      position: await log.head(),
    });
    expect(proof.tables.rows).toBeGreaterThan(log.events.length);
  });

  it('tells by its key which event it has from a position', async () => {
    const { auditedAt } = createQueries(world.database);
    const event = log.events[5];
    if (event === undefined) throw new Error('the log has more events');
    const { id, position } = event;
    expect(await auditedAt({ eventId: id, position })).toBe('same');
    expect(await auditedAt({ eventId: 'another', position })).toBe('other');
    expect(await auditedAt({ eventId: id, position: position + 1n })).toBe('none');
    await run('set enable_seqscan = off');
    const { rows } = await sql<{ 'QUERY PLAN': string }>`
      explain select id from audit_logs where position = ${Number(position)}`.execute(world.database.session);
    await run('set enable_seqscan = on');
    expect(JSON.stringify(rows)).toContain('Index Scan using pk_audit_logs');
  });

  it('finds an edited row by the chain and by the log, and names it without its values', async () => {
    const proof = await tampered("update audit_logs set actor_id = 'mallory' where seq = 2 and workspace_id = ''");
    expect(proof).toMatchObject({
      ok: false,
      chain: { ok: false, broken: { workspaceId: '', sequence: 2, reason: 'hash' } },
    });
    expect(proof.tables.differing).toMatchObject([{ table: 'audit_logs', edited: 1, removed: 0, inserted: 0 }]);
    expect(proof.tables.differing[0]?.first[0]?.kind).toBe('edited');
    expect(JSON.stringify(proof.tables)).not.toContain('mallory');
  });

  it('finds newest rows that were cut off, which the chain alone cannot show', async () => {
    const proof = await tampered(
      "delete from audit_logs where workspace_id = '' and seq = (select max(seq) from audit_logs where workspace_id = '')",
    );
    expect(proof.chain.ok).toBe(true);
    expect(proof.tables.differing).toMatchObject([{ table: 'audit_logs', removed: 1 }]);
  });

  it('finds a whole chain that was forged consistently', async () => {
    const proof = await tampered("update audit_logs set workspace_id = 'elsewhere' where workspace_id = ''");
    expect(proof.ok).toBe(false);
    expect(proof.tables.differing[0]?.table).toBe('audit_logs');
  });

  it('finds tampering in every table', async () => {
    for (const { name } of tables) expect((await world.rows(name)).length, name).toBeGreaterThan(0);
    const proof = await tampered(
      ...tables.map(({ name }) => `delete from ${name} where ctid = (select min(ctid) from ${name})`),
    );
    expect(proof.tables.differing.map(({ table, removed }) => ({ table, removed }))).toEqual(
      tables.map(({ name }) => ({ table: name, removed: 1 })),
    );
  });

  it('says which tables have not got as far as was asked', async () => {
    const proof = await verifyAudit({
      ...{ database: world.database, log, tables, decode, at: (await log.head()) + 1n },
      openScratch,
    });
    expect(proof.ok).toBe(false);
    expect(proof.tables.behind).toHaveLength(tables.length);
  });

  it('finds any edit, removal, insertion, reordering and truncation of audit rows', async () => {
    const total = (await world.rows('audit_logs')).length;
    const pickRow = (n: number) => `(select id from audit_logs order by position limit 1 offset ${n % total})`;
    const column = fc.constantFrom('actor_id', 'action', 'metadata', 'created_at', 'hash', 'risk_level', 'request_id');
    const edits: Readonly<Record<string, string>> = {
      created_at: "created_at + interval '1 second'",
      metadata: `'{"forged":true}'`,
      risk_level: "case risk_level when 'low' then 'high' else 'low' end",
    };
    const tampering = fc.oneof(
      fc
        .tuple(column, fc.nat())
        .map(([name, n]) => [`update audit_logs set ${name} = ${edits[name] ?? "'forged'"} where id = ${pickRow(n)}`]),
      fc.nat().map((n) => [`delete from audit_logs where id = ${pickRow(n)}`]),
      fc
        .nat()
        .map((n) => [
          `create temp table forged on commit drop as select * from audit_logs where id = ${pickRow(n)}`,
          "update forged set id = 'forged', seq = seq + 100000, position = position + 1",
          'insert into audit_logs select * from forged',
        ]),
      fc
        .tuple(fc.nat({ max: total - 1 }), fc.nat({ max: total - 1 }))
        .filter(([a, b]) => a !== b)
        .map(([a, b]) => [
          `create temp table swapped on commit drop as select a.id as a, b.id as b, a.metadata as am, a.action as aa,
             b.metadata as bm, b.action as ba, a.resource_id as ar, b.resource_id as br
             from audit_logs a, audit_logs b where a.id = ${pickRow(a)} and b.id = ${pickRow(b)}`,
          `update audit_logs set seq = seq + 1000000 where id in (select a from swapped)`,
          `update audit_logs set position = position + 1 where id in (select b from swapped)`,
        ]),
      fc
        .nat({ max: total - 1 })
        .map((n) => [
          `delete from audit_logs where position >= (select position from audit_logs order by position limit 1 offset ${n})`,
        ]),
    );
    await fc.assert(
      fc.asyncProperty(tampering, async (statements) => {
        const proof = await tampered(...statements);
        expect(proof.ok).toBe(false);
        expect(proof.tables.differing.map(({ table }) => table)).toEqual(['audit_logs']);
      }),
      { numRuns: 30 },
    );
  });
});
