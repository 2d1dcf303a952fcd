import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { EdgeWorkerEvent } from '../../src/domain/edgeWorker/index.ts';
import type { Cursor, Page } from '../../src/projections/answers.ts';
import { onEveryDatabase } from '../support/database.ts';
import * as a from '../support/edgeWorkerFacts.ts';
import { type Fact, fact, type ProjectionWorld, startProjection } from '../support/projection.ts';

/** Two companies with the same shape, so that whatever lacks a tenant in its predicate answers too much. */
const companies = ['company-1', 'company-2'] as const;
const departmentsOf = (company: string) => [`${company}-a`, `${company}-b`] as const;

const foundation: readonly Fact[] = companies.flatMap((company) => {
  const meta = { workspaceId: company, departmentId: '' };
  return [
    fact(`workspace-${company}`, { type: 'WorkspaceCreated', data: { name: company, slug: company } }, meta),
    ...['user-1', `${company}-user-2`, `${company}-user-3`].map((userId) =>
      fact(
        `workspace-${company}`,
        {
          type: 'MemberAdded',
          data: { userId, email: `${userId}@example.org`, displayName: userId, role: 'MEMBER', departmentIds: ['x'] },
        },
        meta,
      ),
    ),
    ...departmentsOf(company).map((id) =>
      fact(
        `department-${id}`,
        { type: 'DepartmentCreated', data: { workspaceId: company, name: id, slug: id } },
        { workspaceId: company, departmentId: id },
      ),
    ),
    fact(
      `apiToken-${company}-token`,
      {
        type: 'ApiTokenIssued',
        data: { workspaceId: company, name: 'ci', digest: 'f00d', role: 'MEMBER', departmentId: '', expiresAt: 0 },
      },
      meta,
    ),
  ];
});

const renamed = (event: EdgeWorkerEvent, change: Readonly<Record<string, string>>): EdgeWorkerEvent =>
  JSON.parse(JSON.stringify(event), (_, value: unknown) =>
    typeof value === 'string' && Object.hasOwn(change, value) ? change[value] : value,
  );

/** The facts of a worker in a department: every id gets the department's name in front. */
const work = (company: string, department: string, ...events: readonly EdgeWorkerEvent[]): readonly Fact[] => {
  const change: Record<string, string> = {
    [a.companyId]: company,
    [a.departmentId]: department,
    [a.scriptName]: `dw-${department}`,
  };
  for (const id of ['version-1', 'version-2', 'version-3', 't1', 't2', 't3']) change[id] = `${department}-${id}`;
  const meta = { workspaceId: company, departmentId: department };
  return events.map((event) => fact(`edgeWorker-${department}-worker`, renamed(event, change), meta));
};

await onEveryDatabase('the queries', (target) => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(target);
  });
  beforeEach(async () => {
    await world.reset();
    await world.project(foundation);
  });
  afterAll(() => world.stop());

  const everything = async <Row>(
    read: (args: { limit: number; after?: Cursor }) => Promise<Page<Row>>,
    limit: number,
  ): Promise<readonly Row[]> => {
    const rows: Row[] = [];
    let after: Cursor | undefined;
    for (let pages = 0; pages < 50; pages += 1) {
      const page = await read({ limit, ...(after && { after }) });
      expect(page.rows.length).toBeLessThanOrEqual(limit);
      rows.push(...page.rows);
      if (page.next === null) return rows;
      after = page.next;
    }
    throw new Error('the pages do not end');
  };

  it('answer only what is in the tenant, and undefined for what is another tenant’s', async () => {
    const { queries } = world;
    const workspaceId = 'company-1';
    expect(await queries.workspace({ workspaceId })).toMatchObject({ id: 'company-1', slug: 'company-1' });
    const members = await queries.members({ workspaceId, limit: 10 });
    expect(members.rows.map((row) => row.userId)).toEqual(['user-1', 'company-1-user-2', 'company-1-user-3']);
    expect(await queries.member({ workspaceId, userId: 'company-2-user-2' })).toBeUndefined();
    expect(await queries.member({ workspaceId, userId: 'user-1' })).toMatchObject({
      role: 'MEMBER',
      departmentIds: ['x'],
    });
    expect(await queries.department({ workspaceId, departmentId: 'company-2-a' })).toBeUndefined();
    expect(await queries.department({ workspaceId, departmentId: 'company-1-a' })).toMatchObject({
      slug: 'company-1-a',
    });
    expect(await queries.apiToken({ workspaceId, tokenId: 'company-2-token' })).toBeUndefined();
    expect(await queries.apiToken({ workspaceId, tokenId: 'company-1-token' })).toMatchObject({
      ...{ departmentId: null, expiresAt: null, revokedAt: null },
    });
    expect((await queries.apiTokens({ workspaceId, limit: 10 })).rows).toHaveLength(1);
    const audit = await queries.audit({ workspaceId, limit: 200 });
    expect(new Set(audit.rows.map((row) => row.workspaceId))).toEqual(new Set(['company-1']));
    expect((await queries.workspacesOfUser({ userId: 'company-1-user-2', limit: 10 })).rows).toMatchObject([
      { id: 'company-1', role: 'MEMBER', departmentIds: ['x'] },
    ]);
    expect((await queries.workspacesOfUser({ userId: 'user-1', limit: 10 })).rows).toHaveLength(2);
    expect((await queries.workspacesOfUser({ userId: 'nobody', limit: 10 })).rows).toEqual([]);
  });

  it('page through everything once, in the same order whatever the page size', async () => {
    const { queries } = world;
    // Facts of one moment: the id alone decides their order.
    await sql`update departments set created_at = ${new Date(1_700_000_000_000)}`.execute(world.database.session);
    for (const limit of [1, 2, 3, 100]) {
      const departments = await everything((page) => queries.departments({ workspaceId: 'company-1', ...page }), limit);
      expect(departments.map((row) => row.id)).toEqual(['company-1-a', 'company-1-b']);
      const audit = await everything((page) => queries.audit({ workspaceId: 'company-1', ...page }), limit);
      expect(audit.map((row) => row.seq)).toEqual([7, 6, 5, 4, 3, 2, 1]);
      const mine = await everything((page) => queries.workspacesOfUser({ userId: 'user-1', ...page }), limit);
      expect(mine.map((row) => row.id)).toEqual(['company-1', 'company-2']);
    }
  });

  it('limit departments and workers to those that the caller may see', async () => {
    const { queries } = world;
    const workspaceId = 'company-1';
    await world.project(departmentsOf('company-1').flatMap((department) => work('company-1', department, a.created)));
    const some = await queries.departments({ workspaceId, limit: 10, departmentIds: ['company-1-b', 'company-2-a'] });
    expect(some.rows.map((row) => row.id)).toEqual(['company-1-b']);
    expect((await queries.departments({ workspaceId, limit: 10, departmentIds: [] })).rows).toEqual([]);
    const workers = await queries.workers({ companyId: workspaceId, limit: 10, departmentIds: ['company-1-b'] });
    expect(workers.rows.map((row) => row.departmentId)).toEqual(['company-1-b']);
    expect((await queries.workers({ companyId: workspaceId, limit: 10, departmentIds: [] })).rows).toEqual([]);
    const audit = await queries.audit({ workspaceId, limit: 10, departmentIds: ['company-1-b'] });
    expect(new Set(audit.rows.map((row) => row.departmentId))).toEqual(new Set(['company-1-b']));
  });

  it('show the worker of a department with nothing in place of what is not there', async () => {
    const { queries } = world;
    await world.project(work('company-1', 'company-1-a', a.created, a.submitted(1)));
    expect(await queries.worker({ companyId: 'company-1', departmentId: 'company-1-a' })).toMatchObject({
      ...{ id: 'company-1-a-worker', status: 'draft', currentVersionId: null, currentRevision: null },
    });
    expect(await queries.worker({ companyId: 'company-2', departmentId: 'company-1-a' })).toBeUndefined();
    await world.project(work('company-1', 'company-1-a', ...a.deployed('t1', 1, 1)));
    expect(await queries.worker({ companyId: 'company-1', departmentId: 'company-1-a' })).toMatchObject({
      ...{ status: 'active', currentVersionId: 'company-1-a-version-1', currentRevision: 1 },
    });
  });

  it('list revisions newest first without evidence or values of variables, and one with its evidence', async () => {
    const { queries } = world;
    const department = { companyId: 'company-1', departmentId: 'company-1-a' };
    await world.project(
      work('company-1', 'company-1-a', a.created, a.submitted(1), a.submitted(2, { sbom: '' }), a.submitted(3)),
    );
    for (const limit of [1, 2, 10]) {
      const revisions = await everything((page) => queries.revisions({ ...department, ...page }), limit);
      expect(revisions.map((row) => row.revision)).toEqual([3, 2, 1]);
      expect(revisions[0]).toMatchObject({ variableNames: ['GREETING'], compatibilityFlags: [], deployedAt: null });
      expect(JSON.stringify(revisions)).not.toContain('hello');
      expect(revisions[0]).not.toHaveProperty('sbom');
    }
    expect(await queries.revision({ ...department, revision: 1 })).toMatchObject({ sbom: '{}', buildReceipt: '{}' });
    expect(await queries.revision({ ...department, revision: 2 })).toMatchObject({ sbom: null });
    expect(await queries.revision({ ...department, revision: 4 })).toBeUndefined();
    expect(await queries.revision({ ...department, companyId: 'company-2', revision: 1 })).toBeUndefined();
  });

  it('keep an SBOM of megabytes whole', async () => {
    const sbom = JSON.stringify({ text: 'ü'.repeat(1_000_000) });
    await world.project(work('company-1', 'company-1-a', a.created, a.submitted(1, { sbom })));
    const found = await world.queries.revision({ companyId: 'company-1', departmentId: 'company-1-a', revision: 1 });
    expect(found?.sbom === sbom).toBe(true);
  });

  it('show a ticket with its steps, its tenant, and what happens next', async () => {
    const { queries } = world;
    const retry = { ticketId: 't1', versionId: 'version-1', reason: 'busy', nextAttemptAt: 1_900_000_000_000 };
    await world.project(
      work(
        ...(['company-1', 'company-1-a', a.created, a.submitted(1), a.admitted('t1', 1, 1)] as const),
        ...[
          a.leased('t1', 1, 'l1'),
          a.stepRecorded('t1', 1, 'fetch'),
          a.stepRecorded('t1', 2, 'start', { outcome: 'retry' }),
        ],
        { type: 'DeploymentRetryScheduled', data: retry },
      ),
    );
    expect(await queries.ticket({ ticketId: 'company-1-a-t1' })).toMatchObject({
      ...{ companyId: 'company-1', departmentId: 'company-1-a', status: 'pending', attemptCount: 1, revision: 1 },
      ...{ steps: ['fetch', 'start', 'switch'], nextAttemptAt: 1_900_000_000_000, errorMessage: 'busy', url: null },
      ...{ leaseHolder: null, leasedUntil: null, reasonCode: null, completedAt: null, cancelRequested: false },
      records: [
        { sequence: 1, attempt: 1, step: 'fetch', outcome: 'done', detail: 'fine', startedAt: 2_000, durationMs: 5 },
        { sequence: 2, step: 'start', outcome: 'retry' },
      ],
    });
    expect(await queries.ticket({ ticketId: 'none' })).toBeUndefined();
    const department = { companyId: 'company-1', departmentId: 'company-1-a' };
    expect(await queries.liveDeployment(department)).toMatchObject({ ticketId: 'company-1-a-t1' });
    expect(await queries.liveDeployment({ ...department, companyId: 'company-2' })).toBeUndefined();
  });

  it('put the newest admission first and those from before they were counted last, by raw id', async () => {
    const { queries } = world;
    await world.project(
      work('company-1', 'company-1-a', a.created, a.submitted(1), ...a.deployed('t1', 1, 1), ...a.deployed('t2', 1, 2)),
    );
    const legacy = (id: string, worker: string) => sql`
      insert into edge_worker_outbox (id, ticket_id, operation, dedupe_key, company_id, department_id, worker_id, status)
      values (${id}, ${id}, 'deploy', ${id}, 'company-1', ${worker.replace('-worker', '')}, ${worker}, 'completed')`;
    for (const id of ['legacy-a', 'legacy-B', 'legacy-c']) {
      await legacy(id, 'company-1-a-worker').execute(world.database.session);
    }
    const department = { companyId: 'company-1', departmentId: 'company-1-a' };
    for (const limit of [1, 2, 10]) {
      const found = await everything((page) => queries.deployments({ ...department, ...page }), limit);
      expect(found.map((row) => row.ticketId)).toEqual([
        ...['company-1-a-t2', 'company-1-a-t1', 'legacy-c', 'legacy-a', 'legacy-B'],
      ]);
    }
    await world.project([
      ...work('company-1', 'company-1-b', a.created),
      ...work('company-2', 'company-2-a', a.created),
    ]);
    await legacy('other-1', 'company-1-b-worker').execute(world.database.session);
    await legacy('other-2', 'company-1-b-worker').execute(world.database.session);
    const workers = await queries.workers({ companyId: 'company-1', limit: 10 });
    expect(workers.rows.map((row) => [row.departmentId, row.latestDeployment?.ticketId])).toEqual([
      ['company-1-a', 'company-1-a-t2'],
      ['company-1-b', 'other-2'],
    ]);
    expect((await queries.workers({ companyId: 'company-2', limit: 10 })).rows).toMatchObject([
      { latestDeployment: null },
    ]);
  });

  it('find what is due, the most overdue first, and say when the next one is', async () => {
    const { queries } = world;
    const cleanup = (id: string, dueAt: number) =>
      fact(`artifactCleanup-${id}`, {
        type: 'ArtifactCleanupRequested',
        data: { workerId: 'w', digests: [], reason: '', requestedAt: 1, dueAt },
      });
    await world.project([
      ...work('company-1', 'company-1-a', a.created, a.submitted(1), a.admitted('t1', 1, 1)),
      ...work('company-1', 'company-1-b', a.created, a.submitted(1), a.admitted('t1', 1, 1), a.leased('t1', 1, 'l1')),
      ...work('company-2', 'company-2-a', a.created, a.submitted(1), ...a.deployed('t1', 1, 1)),
      cleanup('c1', 5_000),
      cleanup('c2', 20_000),
    ]);
    const due = async (now: number, node?: { name: string; holder: string }) =>
      (await queries.dueTickets({ now, limit: 10, ...(node && { node }) })).map((row) => row.ticketId);
    expect(await due(4_999)).toEqual(['company-1-a-t1']);
    expect(await due(5_000)).toEqual(['company-1-a-t1', 'c1']);
    expect(await due(10_999)).toEqual(['company-1-a-t1', 'c1']);
    expect(await due(11_000)).toEqual(['company-1-a-t1', 'c1', 'company-1-b-t1']);
    expect(await due(20_000)).toHaveLength(4);
    // This node, started again, need not wait for the lease of its own earlier process.
    expect(await due(0, { name: 'node', holder: 'node/new' })).toEqual(['company-1-a-t1', 'company-1-b-t1']);
    expect(await due(0, { name: 'node', holder: 'node/l1' })).toEqual(['company-1-a-t1']);
    expect(await due(0, { name: 'nod_', holder: 'x' })).toEqual(['company-1-a-t1']);
    expect(await queries.dueTickets({ now: 20_000, limit: 1 })).toMatchObject([
      {
        ...{ operation: 'deploy', companyId: 'company-1', departmentId: 'company-1-a', status: 'pending' },
        ...{ leaseId: null, leaseHolder: null, nextAttemptAt: null, correlationId: 'correlation-1' },
      },
    ]);
    expect(await queries.nextDueAt({ now: 0 })).toBe(5_000);
    expect(await queries.nextDueAt({ now: 11_000 })).toBe(20_000);
    expect(await queries.nextDueAt({ now: 20_000 })).toBeUndefined();
  });

  it('say what should be on the air, with everything that it takes to put it there', async () => {
    const { queries } = world;
    await world.project([
      ...work('company-1', 'company-1-a', a.created, a.submitted(1), ...a.deployed('t1', 1, 1), a.submitted(2)),
      ...work('company-1', 'company-1-b', a.created, a.submitted(1)),
      ...work(
        ...(['company-2', 'company-2-a', a.created, a.submitted(1), ...a.deployed('t1', 1, 1)] as const),
        ...[a.submitted(2), ...a.deployed('t2', 2, 2, 'version-1')],
        { type: 'EdgeWorkerPaused', data: {} },
      ),
    ]);
    expect(await queries.liveWorkers()).toEqual([
      {
        paused: false,
        spec: {
          workspaceId: 'company-1',
          departmentId: 'company-1-a',
          workerId: 'company-1-a-worker',
          scriptName: 'dw-company-1-a',
          versionId: 'company-1-a-version-1',
          revision: 1,
          bundleDigest: 'b'.repeat(64),
          compatibilityDate: '2026-01-01',
          compatibilityFlags: [],
          variables: { GREETING: 'hello' },
        },
      },
      expect.objectContaining({
        paused: true,
        spec: expect.objectContaining({ workerId: 'company-2-a-worker', revision: 2 }),
      }),
    ]);
    expect(await queries.deployedWorkers()).toEqual(['company-1-a-worker', 'company-2-a-worker']);
  });

  it('find which digests a revision refers to, as source or as bundle', async () => {
    await world.project(work('company-1', 'company-1-a', a.created, a.submitted(1)));
    const digests = ['a'.repeat(64), 'b'.repeat(64), 'c'.repeat(64), 'd'.repeat(64)];
    const found = await world.queries.referencedDigests({ digests });
    expect([...found].sort()).toEqual(['a'.repeat(64), 'b'.repeat(64)]);
    expect(await world.queries.referencedDigests({ digests: [] })).toEqual(new Set());
    const many = Array.from({ length: 1_200 }, (_, index) => String(index));
    expect(await world.queries.referencedDigests({ digests: [...many, 'a'.repeat(64)] })).toEqual(
      new Set(['a'.repeat(64)]),
    );
  });

  it('filter the audit by who, what, which and when', async () => {
    const { queries } = world;
    const workspaceId = 'company-1';
    const by = async (filter: Parameters<typeof queries.audit>[0] extends infer Args ? Partial<Args> : never) =>
      (await queries.audit({ workspaceId, limit: 50, ...filter })).rows.map((row) => row.seq);
    expect(await by({ action: 'workspace.MemberAdded' })).toEqual([4, 3, 2]);
    expect(await by({ resourceType: 'department', resourceId: 'company-1-b' })).toEqual([6]);
    expect(await by({ actorId: 'user-1' })).toHaveLength(7);
    expect(await by({ actorId: 'USER-1' })).toEqual([]);
    const { rows } = await queries.audit({ workspaceId, limit: 50 });
    const [time = 0] = rows.filter((row) => row.seq === 5).map((row) => row.createdAt);
    expect(await by({ from: time })).toEqual([7, 6, 5]);
    expect(await by({ to: time })).toEqual([4, 3, 2, 1]);
    expect(rows.at(-1)).toMatchObject({
      ...{ action: 'workspace.WorkspaceCreated', previousHash: null, hash: expect.stringMatching(/^[0-9a-f]{64}$/) },
      ...{ metadata: { name: 'company-1', slug: 'company-1' }, departmentId: null, requestId: 'request-1' },
    });
  });

  it('answer a user without a trace of the password', async () => {
    await world.project([
      fact('user-u1', { type: 'UserRegistered', data: { email: 'a@b.c', displayName: 'Ada', passwordHash: 'x' } }),
    ]);
    expect(await world.queries.user({ userId: 'u1' })).toEqual({
      ...{ id: 'u1', email: 'a@b.c', displayName: 'Ada', createdAt: expect.any(Number) },
    });
    expect(await world.queries.user({ userId: 'u2' })).toBeUndefined();
  });
});
