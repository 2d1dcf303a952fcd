import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { enqueueJob } from '../../src/commands/job.ts';
import { onEveryDatabase } from '../support/database.ts';
import { type LifecycleWorld, startLifecycle, type Tenant } from '../support/lifecycleWorld.ts';
import { embedded } from '../support/projection.ts';

const counted = async (world: LifecycleWorld, names: readonly Parameters<LifecycleWorld['rows']>[0][]) =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, (await world.rows(name)).length] as const)));

await onEveryDatabase('a company that is hard-deleted', (target) => {
  test('takes departments, workers, revisions, members and tokens along; tickets, steps, scripts and audit stay', async () => {
    const world = await startLifecycle(target);
    try {
      const workspaceId = await world.company('acme');
      const other = await world.company('other');
      for (const company of [workspaceId, other]) {
        const tenant = await world.department(company);
        await world.submit(tenant);
        expect(await world.deploy(tenant)).toMatchObject({ became: 'completed' });
      }
      await world.settle();
      const audited = (await world.rows('edge_worker_audit_logs')).length;
      await world.deleteCompany(workspaceId, 'acme');
      await world.settle();
      expect(
        await counted(world, [
          'workspaces',
          'departments',
          'edge_workers',
          'edge_worker_versions',
          'workspace_members',
        ]),
      ).toEqual({ workspaces: 1, departments: 1, edge_workers: 1, edge_worker_versions: 1, workspace_members: 1 });
      const stayed = await counted(world, [
        'edge_worker_outbox',
        'edge_worker_deployment_steps',
        'edge_worker_scripts',
      ]);
      // Two deployments with three steps each, and the cleanup of what the deleted one kept.
      expect(stayed).toEqual({ edge_worker_outbox: 3, edge_worker_deployment_steps: 6, edge_worker_scripts: 2 });
      expect((await world.rows('edge_worker_audit_logs')).length).toBeGreaterThan(audited);
      expect([...world.provider.scripts.keys()]).toHaveLength(1);
    } finally {
      await world.stop();
    }
  });
});

describe('Removal', () => {
  let world: LifecycleWorld;
  let workspaceId: string;
  let tenant: Tenant;
  let slug: string;
  let companies = 0;
  beforeAll(async () => {
    world = await startLifecycle(await embedded());
  });
  // A company of its own for every test, in one installation.
  beforeEach(async () => {
    companies += 1;
    slug = `company-${companies}`;
    workspaceId = await world.company(slug);
    tenant = await world.department(workspaceId);
    await world.submit(tenant);
  });
  afterAll(() => world.stop());

  const isThere = () => world.provider.scripts.has(tenant.scriptName);
  const own = async (name: Parameters<LifecycleWorld['rows']>[0]) =>
    (await world.rows(name)).filter((row) => row['company_id'] === workspaceId || row['workspace_id'] === workspaceId);

  test('of a company settles the live ticket of its worker as failed, with worker_deleted', async () => {
    const { ticketId } = await world.admit(tenant);
    await world.deleteCompany(workspaceId, slug);
    await world.settle();
    expect(await world.queries.ticket({ ticketId })).toMatchObject({ status: 'failed', reasonCode: 'worker_deleted' });
    expect(await world.worker(tenant)).toMatchObject({ status: 'absent' });
  });

  test('of a company takes the script down, and the log says that it is gone', async () => {
    await world.deploy(tenant);
    await world.deleteCompany(workspaceId, slug);
    await world.settle();
    expect(isThere()).toBe(false);
    const facts = world.log.events.filter(({ stream }) => stream === `edgeWorker-${tenant.workerId}`);
    expect(facts.at(-1)?.type).toBe('EdgeWorkerScriptRemoved');
  });

  test('of a company gives its slug back, even when the process dies before it could', async () => {
    await world.aggregates.workspace.send(
      workspaceId,
      { type: 'DeleteWorkspace', data: { confirm: slug } },
      world.envelope(workspaceId),
    );
    await world.settle();
    expect(await world.company(slug)).not.toBe(workspaceId);
    await world.settle();
    const rows = await world.rows('workspaces');
    expect(rows.filter((row) => row['slug'] === slug)).toHaveLength(1);
  });

  test('of a department deletes no row, hides it, retires its worker, and gives its slug back', async () => {
    await world.deploy(tenant);
    await world.settle();
    const names = ['departments', 'edge_workers', 'edge_worker_versions', 'edge_worker_outbox'] as const;
    const count = () => Promise.all(names.map(async (name) => (await own(name)).length));
    const before = await count();
    await world.removeDepartment(tenant);
    await world.settle();
    expect(await count()).toEqual(before);
    expect(await own('departments')).toMatchObject([{ status: 'removed', removed_at: expect.any(Number) }]);
    expect((await world.queries.departments({ workspaceId, limit: 10 })).rows).toEqual([]);
    expect((await world.queries.workers({ companyId: workspaceId, limit: 10 })).rows).toEqual([]);
    expect(await world.worker(tenant)).toMatchObject({ retired: true, placement: undefined });
    expect(isThere()).toBe(false);
    const again = await world.department(workspaceId);
    await world.settle();
    expect((await world.queries.departments({ workspaceId, limit: 10 })).rows).toMatchObject([
      { id: again.departmentId, slug: 'sales' },
    ]);
  });

  test('catches what was admitted in the very moment of it', async () => {
    await world.caughtUp();
    await world.restart();
    await world.deleteCompany(workspaceId, slug);
    await world.caughtUp();
    const late = await world.department(workspaceId, 'late');
    await world.submit(late);
    await world.settle();
    expect(await world.worker(late)).toMatchObject({ status: 'absent' });
  });

  test('of a department catches a deployment that its guard let through', async () => {
    await world.settle();
    await world.removeDepartment(tenant);
    const late = await world.department(workspaceId, 'late');
    await world.submit(late);
    await world.removeDepartment(late);
    await world.settle();
    expect(await world.worker(late)).toMatchObject({ retired: true });
  });

  test('is complete when it is done again from the beginning, and adds nothing the second time', async () => {
    await world.deploy(tenant);
    await world.deleteCompany(workspaceId, slug);
    await world.settle();
    const before = world.log.events.length;
    await world.restart('lost');
    await world.settle();
    expect(world.log.events.slice(before).map(({ type }) => type)).toEqual([]);
  });

  test('sweeps again after a runner that was at work when its deployment was withdrawn', async () => {
    const { ticketId } = await world.admit(tenant);
    // The runner has asked for the switch; the company goes meanwhile, and only then the switch takes effect.
    world.provider.before('switch', async () => {
      await world.deleteCompany(workspaceId, slug);
      await world.settle();
      expect(isThere()).toBe(false);
    });
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('lease lost');
    expect(isThere()).toBe(true);
    world.pass(120_000);
    await world.settle();
    expect(isThere()).toBe(false);
  });

  test('does not take away a script that its worker wants, whoever asks', async () => {
    await world.deploy(tenant);
    const job = { kind: 'edge.removeScript.cloudflare', workspaceId, subjectId: tenant.scriptName };
    await enqueueJob(
      world,
      { ...job, payload: { workerId: tenant.workerId }, dedupeKey: 'by mistake' },
      world.envelope(workspaceId),
    );
    await world.settle();
    expect(isThere()).toBe(true);
    expect(world.provider.asked).not.toContain(`remove ${tenant.scriptName}`);
  });

  test('is tried again until the provider has let go', async () => {
    await world.deploy(tenant);
    world.provider.fail('remove', { outcome: 'retry', detail: 'busy' }, { outcome: 'uncertain', detail: '522' });
    await world.removeDepartment(tenant);
    for (let round = 0; round < 3; round += 1) {
      await world.settle();
      world.pass(60_000);
    }
    await world.settle();
    expect(isThere()).toBe(false);
    expect(await world.worker(tenant)).toMatchObject({ placement: undefined });
  });

  test('that the provider refuses today stays owed, and is done once it is allowed', async () => {
    await world.deploy(tenant);
    world.provider.fail('remove', { outcome: 'refused', code: '10000', detail: 'The token may not do that.' });
    await world.removeDepartment(tenant);
    await world.settle();
    const { rows } = await world.queries.jobs({
      workspaceId,
      role: 'ADMIN',
      kind: 'edge.removeScript.cloudflare',
      limit: 1,
    });
    expect(rows).toMatchObject([{ status: 'PENDING', lastError: '10000: The token may not do that.' }]);
    world.pass(60_000);
    await world.settle();
    expect(isThere()).toBe(false);
  });
});
