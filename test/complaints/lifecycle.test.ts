import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { type LifecycleWorld, startLifecycle, type Tenant } from '../support/lifecycleWorld.ts';
import { embedded } from '../support/projection.ts';

// What users of other systems complain about, as rules that hold here.

let world: LifecycleWorld;
let tenant: Tenant;
let slug: string;
let companies = 0;
beforeAll(async () => {
  world = await startLifecycle(await embedded());
});
beforeEach(async () => {
  companies += 1;
  slug = `company-${companies}`;
  tenant = await world.department(await world.company(slug));
  await world.submit(tenant);
});
afterAll(() => world.stop());

const shown = async (ticketId: string) => {
  await world.caughtUp();
  return world.queries.ticket({ ticketId });
};
const cancel = async (ticketId: string, giveUp = false) =>
  world.aggregates.edgeWorker.send(
    tenant.workerId,
    { type: 'RequestDeploymentCancel', data: { ticketId, giveUp } },
    world.envelope(tenant.workspaceId, tenant.departmentId),
  );
const leaseRunsOut = (): void => world.pass(60_000);

describe('A deployment', () => {
  test('whose cancel is answered is settled by that answer, and makes room for the next (coolify#11327)', async () => {
    const { ticketId } = await world.admit(tenant);
    expect(await cancel(ticketId)).toMatchObject({ ok: true });
    expect(await shown(ticketId)).toMatchObject({ status: 'cancelled', completedAt: expect.any(Number) });
    expect(await world.deploy(tenant)).toMatchObject({ became: 'completed' });
  });

  test('that is done is shown as done, with the last of its steps (coolify#6414)', async () => {
    const { ticketId } = await world.deploy(tenant);
    const ticket = await shown(ticketId);
    expect(ticket).toMatchObject({ status: 'completed' });
    expect(ticket?.records.map(({ step, outcome }) => [step, outcome])).toEqual([
      ['upload', 'done'],
      ['start', 'done'],
      ['switch', 'done'],
    ]);
    expect(await world.queries.liveDeployment({ companyId: tenant.workspaceId, ...tenant })).toBeUndefined();
  });

  test('that is on the air is never declared failed for having been tried too often (coolify#4944, #7559)', async () => {
    const { ticketId } = await world.admit(tenant);
    const lost = { outcome: 'uncertain', detail: 'the answer was lost' } as const;
    world.provider.fail('switch', ...Array.from({ length: 6 }, () => lost));
    for (let attempt = 0; attempt < 6; attempt += 1) {
      expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('uncertain');
      expect(await shown(ticketId)).toMatchObject({ status: 'uncertain', nextAttemptAt: expect.any(Number) });
      world.pass(120_000);
    }
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('completed');
    expect(await shown(ticketId)).toMatchObject({ status: 'completed' });
  });

  test('that a dead process held goes on when its lease has run out (dokploy#2670, #2106)', async () => {
    const { ticketId } = await world.admit(tenant);
    const dying = new AbortController();
    world.provider.before('upload', async () => dying.abort());
    expect(await world.carryOut(tenant.departmentId, ticketId, dying.signal)).toBe('lease lost');
    expect(await shown(ticketId)).toMatchObject({ status: 'leased' });
    await world.restart();
    leaseRunsOut();
    const due = await world.queries.dueTickets({ now: world.now(), limit: 100 });
    expect(due.map((each) => each.ticketId)).toContain(ticketId);
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('completed');
  });

  test('that a provider never answers ends its attempt, and says so (dokploy#4461)', async () => {
    const { ticketId } = await world.admit(tenant);
    world.provider.fail('upload', { outcome: 'uncertain', detail: 'No answer within 5000 ms.' });
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('uncertain');
    expect(await cancel(ticketId, true)).toMatchObject({ ok: true });
    expect(await shown(ticketId)).toMatchObject({ status: 'failed', reasonCode: 'given_up' });
    expect(await world.deploy(tenant)).toMatchObject({ became: 'completed' });
  });

  test('that failed keeps what was tried as evidence, also after its company is gone (dokploy#4083)', async () => {
    const { ticketId } = await world.admit(tenant);
    world.provider.fail('switch', { outcome: 'refused', code: 'too_large', detail: 'The script is too large.' });
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('failed');
    await world.deleteCompany(tenant.workspaceId, slug);
    await world.settle();
    expect(await shown(ticketId)).toMatchObject({ status: 'failed', reasonCode: 'too_large' });
    expect((await shown(ticketId))?.records).toMatchObject([
      { outcome: 'done' },
      { outcome: 'done' },
      { outcome: 'refused' },
    ]);
  });

  test('that is cancelled while a runner works on it stops there, before the world sees it (coolify#5850)', async () => {
    const { ticketId } = await world.admit(tenant);
    world.provider.before('upload', async () => {
      await cancel(ticketId);
    });
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('cancelled');
    expect(world.provider.scripts.has(tenant.scriptName)).toBe(false);
    expect(await shown(ticketId)).toMatchObject({ status: 'cancelled' });
  });
});

describe('A deletion', () => {
  test('takes nothing away that another one is using (coolify#11069)', async () => {
    const other = await world.department(tenant.workspaceId, 'other');
    await world.submit(other);
    await world.deploy(tenant);
    const { ticketId } = await world.admit(other);
    world.provider.before('switch', async () => {
      await world.removeDepartment(tenant);
      await world.settle();
    });
    expect(await world.carryOut(other.departmentId, ticketId)).toBe('completed');
    expect(world.provider.scripts.has(tenant.scriptName)).toBe(false);
    expect(world.provider.scripts.has(other.scriptName)).toBe(true);
    const removed = world.provider.asked.filter((call) => call.startsWith('remove '));
    expect(removed).not.toContain(`remove ${other.scriptName}`);
  });
});
