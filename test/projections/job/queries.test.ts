import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import type { JobEvent, JobFacts } from '../../../src/domain/job/index.ts';
import { onEveryDatabase } from '../../support/database.ts';
import * as a from '../../support/jobFacts.ts';
import { type Fact, fact, type ProjectionWorld, startProjection } from '../../support/projection.ts';

const companies = ['company-1', 'company-2', 'company-3'] as const;
const created: readonly Fact[] = companies.map((id) =>
  fact(`workspace-${id}`, { type: 'WorkspaceCreated', data: { name: id, slug: id } }, { workspaceId: id }),
);

await onEveryDatabase('the queries about jobs', (target) => {
  let world: ProjectionWorld;
  beforeAll(async () => {
    world = await startProjection(target);
  });
  beforeEach(async () => {
    await world.reset();
    await world.project(created);
  });
  afterAll(() => world.stop());

  const enqueued = (jobId: string, workspaceId: string, changes: Partial<JobFacts> = {}): Fact =>
    fact(`job-${jobId}`, a.enqueued({ workspaceId, dedupeKey: jobId, ...changes }), {
      workspaceId,
      departmentId: changes.departmentId ?? '',
    });
  const then = (jobId: string, workspaceId: string, ...events: readonly JobEvent[]): readonly Fact[] =>
    events.map((event) => fact(`job-${jobId}`, event, { workspaceId, departmentId: '' }));
  const kinds = ['domain.verify'];
  const due = async (limit: number, more: { now?: number; node?: { name: string; holder: string } } = {}) =>
    (await world.queries.dueJobs({ now: 2_000, limit, kinds, ...more })).map((job) => job.jobId);

  it('no workspace waits for another’s backlog: every one has its first before any has its second', async () => {
    const backlog = Array.from({ length: 6 }, (_, n) => enqueued(`a${n}`, 'company-1', { runAt: 10 + n }));
    await world.project([
      ...backlog,
      enqueued('b0', 'company-2', { runAt: 1_000 }),
      enqueued('c0', 'company-3', { runAt: 1_500 }),
    ]);
    expect(await due(4)).toEqual(['a0', 'b0', 'c0', 'a1']);
  });

  it('what a workspace has running counts as its turn', async () => {
    await world.project([
      ...[enqueued('a0', 'company-1', { runAt: 1 }), enqueued('a1', 'company-1', { runAt: 2 })],
      ...then('a0', 'company-1', a.leased()),
      enqueued('b0', 'company-2', { runAt: 1_000 }),
      enqueued('b1', 'company-2', { runAt: 1_001 }),
    ]);
    expect(await due(3)).toEqual(['b0', 'b1', 'a1']);
  });

  it('with a single free hand, workspaces take turns however old their backlogs are', async () => {
    const backlog = Array.from({ length: 3 }, (_, n) => enqueued(`a${n}`, 'company-1', { runAt: 10 + n }));
    await world.project([
      ...backlog,
      enqueued('b0', 'company-2', { runAt: 900 }),
      enqueued('b1', 'company-2', { runAt: 901 }),
    ]);
    const order: string[] = [];
    for (let turn = 1; turn <= 5; turn += 1) {
      const [next = 'none'] = await due(1);
      order.push(next);
      const company = next.startsWith('a') ? 'company-1' : 'company-2';
      await world.project(then(next, company, a.leased('l1', 1, 'perform', 1_000 + turn), ...a.succeeded(1)));
    }
    expect(order).toEqual(['a0', 'b0', 'a1', 'b1', 'a2']);
  });

  it('within a workspace the more urgent comes first, then the more overdue', async () => {
    await world.project([
      enqueued('low', 'company-1', { priority: 9, runAt: 1 }),
      enqueued('late', 'company-1', { runAt: 20 }),
      enqueued('early', 'company-1', { runAt: 10 }),
      enqueued('urgent', 'company-1', { priority: 0, runAt: 1_000 }),
    ]);
    expect(await due(10)).toEqual(['urgent', 'early', 'late', 'low']);
  });

  it('only what is due, of a kind that was asked for, and not settled', async () => {
    await world.project([
      enqueued('future', 'company-1', { runAt: 2_001 }),
      enqueued('foreign', 'company-1', { kind: 'server.patch' }),
      enqueued('done', 'company-1'),
      ...then('done', 'company-1', a.leased(), ...a.succeeded(1)),
      enqueued('dead', 'company-1', { maxAttempts: 1 }),
      ...then('dead', 'company-1', a.leased(), ...a.exhausted(1, 'l1', 1)),
      enqueued('doubtful', 'company-1'),
      ...then('doubtful', 'company-1', a.leased(), ...a.doubted(1)),
    ]);
    expect(await due(10)).toEqual([]);
    expect(await due(10, { now: 5_000 })).toEqual(['future', 'doubtful']);
    expect(await world.queries.dueJobs({ now: 9_000, limit: 10, kinds: [] })).toEqual([]);
  });

  it('a lease that ran out is due; one in force only for the node whose dead run holds it', async () => {
    await world.project([enqueued('j1', 'company-1'), ...then('j1', 'company-1', a.leased('l1'))]);
    const node = (name: string, holder: string) => ({ node: { name, holder } });
    expect(await due(10)).toEqual([]);
    expect(await due(10, { now: 11_000 })).toEqual(['j1']);
    expect(await due(10, node('node', 'node/new'))).toEqual(['j1']);
    expect(await due(10, node('node', 'node/l1'))).toEqual([]);
    expect(await due(10, node('nod', 'nod/new'))).toEqual([]);
    expect(await due(10, node('node%', 'node%/new'))).toEqual([]);
  });

  it('says of a due job whose it is, who held it and what its trace is', async () => {
    await world.project([enqueued('j1', 'company-1', { departmentId: 'd1' })]);
    expect(await world.queries.dueJobs({ now: 2_000, limit: 1, kinds })).toMatchObject([
      {
        ...{ jobId: 'j1', kind: 'domain.verify', workspaceId: 'company-1', departmentId: 'd1', leaseHolder: null },
        ...{ requestId: 'request-1', correlationId: 'correlation-1' },
      },
    ]);
  });

  it('lists the jobs of one tenant only, newest first, in pages, by status, kind and subject', async () => {
    const { queries } = world;
    const workspaceId = 'company-1';
    await world.project([
      ...[enqueued('j1', workspaceId), enqueued('j2', workspaceId, { subjectId: 'domain-2' })],
      ...[enqueued('j3', workspaceId, { kind: 'server.patch', departmentId: 'd1' }), enqueued('x1', 'company-2')],
      ...then('j1', workspaceId, a.leased(), ...a.succeeded(1)),
    ]);
    const ids = async (args: object = {}) =>
      (await queries.jobs({ workspaceId, role: 'ADMIN', limit: 10, ...args })).rows.map((each) => each.jobId);
    expect(await ids()).toEqual(['j3', 'j2', 'j1']);
    expect(await ids({ status: 'SUCCEEDED' })).toEqual(['j1']);
    expect(await ids({ kind: 'server.patch' })).toEqual(['j3']);
    expect(await ids({ subjectId: 'domain-2' })).toEqual(['j2']);
    expect(await ids({ departmentIds: ['d1'] })).toEqual(['j3']);
    expect(await ids({ departmentIds: [] })).toEqual([]);
    const first = await queries.jobs({ workspaceId, role: 'ADMIN', limit: 2 });
    expect(first.rows.map((each) => each.jobId)).toEqual(['j3', 'j2']);
    expect(await ids({ after: first.next ?? undefined })).toEqual(['j1']);
  });

  it('answers undefined for a job of another tenant or department, like for none', async () => {
    const { queries } = world;
    await world.project([enqueued('j1', 'company-1', { departmentId: 'd1' })]);
    expect(await queries.job({ workspaceId: 'company-1', role: 'ADMIN', jobId: 'j1' })).toMatchObject({
      ...{ jobId: 'j1', departmentId: 'd1', payload: { zoneId: 'zone-1', records: 2 }, result: null, runAt: 1_000 },
    });
    expect(await queries.job({ workspaceId: 'company-2', role: 'ADMIN', jobId: 'j1' })).toBeUndefined();
    expect(
      await queries.job({ workspaceId: 'company-1', role: 'ADMIN', departmentIds: ['d2'], jobId: 'j1' }),
    ).toBeUndefined();
    expect(await queries.job({ workspaceId: 'company-1', role: 'ADMIN', jobId: 'j9' })).toBeUndefined();
  });

  it('counts what waits, runs or is dead', async () => {
    await world.project([
      ...[enqueued('j1', 'company-1'), enqueued('j2', 'company-2'), enqueued('j3', 'company-1')],
      ...then('j2', 'company-2', a.leased()),
      ...then('j3', 'company-1', a.leased(), ...a.succeeded(1)),
      enqueued('j4', 'company-1', { kind: 'server.patch', maxAttempts: 1 }),
      ...then('j4', 'company-1', a.leased(), ...a.exhausted(1, 'l1', 1)),
    ]);
    expect(await world.queries.jobCounts()).toEqual([
      { kind: 'domain.verify', status: 'PENDING', count: 1 },
      { kind: 'domain.verify', status: 'RUNNING', count: 1 },
      { kind: 'server.patch', status: 'DEAD', count: 1 },
    ]);
  });
});
