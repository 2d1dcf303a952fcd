import { sql } from 'kysely';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { graceMs, type LifecycleWorld, startLifecycle, type Tenant } from '../support/lifecycleWorld.ts';
import { embedded } from '../support/projection.ts';

let world: LifecycleWorld;
let workspaceId: string;
let slug: string;
let tenant: Tenant;
let companies = 0;

beforeAll(async () => {
  world = await startLifecycle(await embedded());
});
beforeEach(async () => {
  world.provider.scripts.clear();
  companies += 1;
  slug = `company-${companies}`;
  workspaceId = await world.company(slug);
  tenant = await world.department(workspaceId);
  await world.submit(tenant);
  await world.deploy(tenant);
  await world.settle();
  world.pass(graceMs);
});
afterAll(() => world.stop());

const outside = () => world.provider.scripts.get(tenant.scriptName);
const tamper = (changes: object): void => {
  const script = outside();
  if (!script) throw new Error('It is not there.');
  world.provider.scripts.set(tenant.scriptName, { ...script, ...changes });
};
/** Of this test's company: earlier ones have lost what they had outside. */
const look = async (mode: 'look' | 'record' | 'apply' = 'look', scope: string = workspaceId) => {
  const { status, findings } = await world.reconcile(mode, scope);
  expect(status).toBe('SUCCEEDED');
  return findings;
};
const driftOf = async () => {
  const state = await world.worker(tenant);
  return state.status === 'absent' ? undefined : state.drift?.found;
};
const facts = (): readonly string[] =>
  world.log.events.filter(({ stream }) => stream === `edgeWorker-${tenant.workerId}`).map(({ type }) => type);

describe('Reconciling', () => {
  test('finds nothing where everything is as it should be', async () => {
    expect(await look()).toEqual([]);
  });

  test('finds orphans even after their company was hard-deleted, and takes them down when told', async () => {
    const left = outside();
    await world.deleteCompany(workspaceId, slug);
    await world.settle();
    expect(outside()).toBeUndefined();
    // Somebody's late upload puts it back; no row of the company, its worker or its revisions is left to tell whose it is.
    if (left) world.provider.scripts.set(tenant.scriptName, left);
    world.pass(graceMs);
    const rows = await Promise.all((['workspaces', 'edge_workers'] as const).map((name) => world.rows(name)));
    expect(JSON.stringify(rows)).not.toContain(workspaceId);
    expect(await look('look', '*')).toContainEqual(
      expect.objectContaining({ kind: 'orphan', action: 'remove', scriptName: tenant.scriptName, did: 'nothing' }),
    );
    expect(outside()).toBeDefined();
    await look('record', '*');
    expect(outside()).toBeDefined();
    await look('apply', '*');
    expect(outside()).toBeUndefined();
    world.pass(graceMs);
    expect(JSON.stringify(await look('look', workspaceId))).toBe('[]');
  });

  test('takes down every orphan of a company that one look finds', async () => {
    const other = await world.department(workspaceId, 'second');
    await world.submit(other);
    await world.deploy(other);
    await world.settle();
    const left = new Map(world.provider.scripts);
    await world.deleteCompany(workspaceId, slug);
    await world.settle();
    for (const [name, script] of left) world.provider.scripts.set(name, script);
    world.pass(graceMs);
    await look('apply', '*');
    expect([...world.provider.scripts.keys()]).toEqual([]);
    expect(left.size).toBe(2);
  });

  test('tells the operator of foreign names, a company of none but its own, and touches them never', async () => {
    const other = await world.department(workspaceId, 'other');
    const foreign = { revision: 0, bundleDigest: '', ticketId: '', state: 'running', by: 'eve' };
    world.provider.scripts.set('dw-foreign', { scriptName: 'dw-foreign', ...foreign });
    await world.settle();
    expect(await look('apply', '*')).toContainEqual(
      expect.objectContaining({ kind: 'foreign', scriptName: 'dw-foreign' }),
    );
    expect(world.provider.scripts.has('dw-foreign')).toBe(true);
    expect(JSON.stringify(await look('apply'))).not.toContain('dw-foreign');
    expect(other.workspaceId).toBe(workspaceId);
  });

  test('writes down what somebody deployed by hand, shows it, and deploys the live revision again when told', async () => {
    tamper({ revision: 0, ticketId: '', by: 'eve@example.org' });
    expect(await look()).toMatchObject([{ kind: 'changed', by: 'eve@example.org' }]);
    expect(await driftOf()).toBeUndefined();
    await look('record');
    expect(await driftOf()).toContain('unknown revision');
    await look('record');
    expect(facts().filter((type) => type === 'EdgeWorkerDriftFound')).toHaveLength(1);
    await world.caughtUp();
    const company = await world.queries.workers({ companyId: workspaceId, limit: 10 });
    expect(company.rows).toMatchObject([{ drift: expect.stringContaining('unknown revision') }]);
    const [finding] = await look('apply');
    expect(finding?.['did']).toContain('deploying revision 1 again');
    const state = await world.worker(tenant);
    const ticketId = state.status === 'absent' ? '' : (state.ticket?.ticketId ?? '');
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('completed');
    expect(outside()).toMatchObject({ revision: 1, ticketId });
    expect(await driftOf()).toBeUndefined();
  });

  test('writes down what is missing, and that it has come back', async () => {
    const script = outside();
    world.provider.scripts.delete(tenant.scriptName);
    await look('record');
    expect(await driftOf()).toBe('nothing');
    if (script) world.provider.scripts.set(tenant.scriptName, script);
    expect(await look('record')).toMatchObject([{ kind: 'settled' }]);
    expect(await driftOf()).toBeUndefined();
    expect(facts().at(-1)).toBe('EdgeWorkerDriftSettled');
  });

  test('does nothing on the word of half a list', async () => {
    world.provider.scripts.delete(tenant.scriptName);
    world.provider.breakList('page 2 did not come');
    const before = facts();
    const { status } = await world.reconcile('apply', workspaceId);
    expect(status).toBe('PENDING');
    expect(facts()).toEqual(before);
  });

  test('leaves alone what has a live ticket, or settled a moment ago', async () => {
    await world.submit(tenant);
    tamper({ revision: 7 });
    const { ticketId } = await world.admit(tenant);
    expect(await look('apply')).toEqual([]);
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('completed');
    tamper({ revision: 7 });
    expect(await look('apply')).toEqual([]);
    world.pass(graceMs);
    expect(await look()).toMatchObject([{ kind: 'changed' }]);
  });

  test('believes the log, not a table that somebody has touched', async () => {
    await sql`update edge_worker_scripts set owner = 'deleted' where worker_id = ${tenant.workerId}`.execute(
      world.database.session,
    );
    expect(await look('apply')).toEqual([]);
    expect(outside()).toBeDefined();
    await sql`update edge_worker_scripts set owner = 'present' where worker_id = ${tenant.workerId}`.execute(
      world.database.session,
    );
  });

  test('two at once deploy once', async () => {
    tamper({ revision: 7 });
    const [one, other] = await Promise.all([look('apply'), look('apply')]);
    const did = [...(one ?? []), ...(other ?? [])].map((finding) => String(finding['did']));
    expect(did.filter((words) => words.includes('again')).length).toBe(1);
    const state = await world.worker(tenant);
    expect(state.status !== 'absent' && state.admissions).toBe(2);
  });
});

describe('Pausing where no node of ours runs', () => {
  test('is carried out by a job, and so is resuming', async () => {
    await world.tell(tenant, 'PauseEdgeWorker');
    await world.settle();
    expect(outside()).toMatchObject({ state: 'paused' });
    await world.tell(tenant, 'ResumeEdgeWorker');
    await world.settle();
    expect(outside()).toMatchObject({ state: 'running' });
  });

  test('the newest state wins, whichever job comes last', async () => {
    await world.tell(tenant, 'PauseEdgeWorker');
    // It is resumed, and that is carried out, while the pause is on its way out: the older one has its effect last.
    world.provider.before('present', async () => {
      await world.tell(tenant, 'ResumeEdgeWorker');
      await world.settle();
    });
    await world.settle();
    expect(outside()).toMatchObject({ state: 'running' });
  });

  test('is applied again after a deployment that ends while the worker is paused', async () => {
    await world.submit(tenant);
    const { ticketId } = await world.admit(tenant);
    world.provider.before('switch', async () => {
      await world.tell(tenant, 'PauseEdgeWorker');
    });
    expect(await world.carryOut(tenant.departmentId, ticketId)).toBe('completed');
    await world.settle();
    expect(outside()).toMatchObject({ state: 'paused', revision: 2 });
  });

  test('that was undone outside is found, and applied again when told', async () => {
    await world.tell(tenant, 'PauseEdgeWorker');
    await world.settle();
    world.pass(graceMs);
    tamper({ state: 'running' });
    expect(await look('record')).toMatchObject([{ kind: 'presence', action: 'present', did: 'nothing' }]);
    await look('apply');
    expect(outside()).toMatchObject({ state: 'paused' });
  });
});
