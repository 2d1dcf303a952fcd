import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { sha256 } from '../../src/commands/envelope.ts';
import type { LiveWorker } from '../../src/domain/edgeWorker/index.ts';
import { releasable } from '../../src/domain/edgeWorker/retention.ts';
import { cleanUpArtifacts } from '../../src/sagas/cleanUpArtifacts.ts';
import { type LifecycleWorld, startLifecycle, type Tenant } from '../support/lifecycleWorld.ts';
import { createMemoryArtifacts } from '../support/memoryArtifacts.ts';
import { embedded } from '../support/projection.ts';

const retention = { keepNewest: 2, keepDeployed: 2 };
const hourMs = 60 * 60_000;

let world: LifecycleWorld;
let artifacts: ReturnType<typeof createMemoryArtifacts>;
beforeAll(async () => {
  world = await startLifecycle(await embedded(), { retention });
  artifacts = createMemoryArtifacts(world.now);
});
afterAll(() => world.stop());

const parts = (bytes: string) => [`source ${bytes}`, `bundle ${bytes}`] as const;
const store = async (bytes: string): Promise<void> => {
  for (const part of parts(bytes)) await artifacts.store.put(Buffer.from(part));
};
const submit = async (tenant: Tenant, bytes: string): Promise<void> => {
  await store(bytes);
  await world.submit(tenant, bytes);
};
const has = (bytes: string): boolean => parts(bytes).every((part) => artifacts.digests().includes(sha256(part)));

const cleanUp = async (ticketId: string): Promise<string> => {
  const context = { workspaceId: '', departmentId: '', requestId: '', correlationId: '', causationId: '' };
  const deps = {
    cleanups: world.aggregates.artifactCleanup,
    artifacts: artifacts.store,
    referenced: async (digests: readonly string[]) => {
      await world.caughtUp();
      return world.queries.referencedDigests({ digests });
    },
    clock: { now: world.now, sleep: async () => {} },
    random: { uuid: randomUUID, bytes: () => new Uint8Array(), fraction: () => 1 },
    ...{ holder: 'node/1', leaseMs: 30_000 },
  };
  return cleanUpArtifacts(deps, ticketId, context, false);
};
const cleanUpDue = async (limit = 1_000): Promise<void> => {
  await world.settle();
  const due = await world.queries.dueTickets({ now: world.now(), limit: 1_000 });
  const cleanups = due.filter(({ operation }) => operation === 'artifact_cleanup').slice(0, limit);
  for (const { ticketId } of cleanups) await cleanUp(ticketId);
};

let companies = 0;
const company = async () => {
  companies += 1;
  const slug = `company-${companies}`;
  const workspaceId = await world.company(slug);
  return { slug, workspaceId, tenant: await world.department(workspaceId) };
};

describe('Artifacts', () => {
  test('of revisions past retention go after an hour, and the revision says so', async () => {
    const { tenant, workspaceId } = await company();
    const bytes = ['a1', 'a2', 'a3', 'a4'];
    for (const each of bytes) await submit(tenant, each);
    await cleanUpDue();
    expect(bytes.map(has)).toEqual([true, true, true, true]);
    world.pass(hourMs);
    await cleanUpDue();
    expect(bytes.map(has)).toEqual([false, false, true, true]);
    await world.settle();
    const { rows } = await world.queries.revisions({
      companyId: workspaceId,
      departmentId: tenant.departmentId,
      limit: 10,
    });
    expect(rows.map(({ revision, retiredAt }) => [revision, retiredAt !== null])).toEqual([
      [4, false],
      [3, false],
      [2, true],
      [1, true],
    ]);
  });

  test('that another worker refers to stay when this one lets them go, or goes itself', async () => {
    const [one, other] = [await company(), await company()];
    await submit(one.tenant, 'shared');
    await submit(other.tenant, 'shared');
    await world.deleteCompany(one.workspaceId, one.slug);
    await world.settle();
    world.pass(hourMs);
    await cleanUpDue();
    expect(has('shared')).toBe(true);
    await world.deleteCompany(other.workspaceId, other.slug);
    await world.settle();
    world.pass(hourMs);
    await cleanUpDue();
    expect(has('shared')).toBe(false);
  });

  test('that are stored again while their cleanup is at work stay', async () => {
    const [one, other] = [await company(), await company()];
    await submit(one.tenant, 'again');
    await world.deleteCompany(one.workspaceId, one.slug);
    await world.settle();
    world.pass(hourMs);
    artifacts.beforeRemove(() => submit(other.tenant, 'again'));
    await cleanUpDue();
    expect(has('again')).toBe(true);
  });

  test('that are stored again by a submission that comes to nothing go in the end', async () => {
    const { tenant, workspaceId, slug } = await company();
    await submit(tenant, 'vain');
    await world.deleteCompany(workspaceId, slug);
    await world.settle();
    world.pass(hourMs);
    artifacts.beforeRemove(() => store('vain'));
    await cleanUpDue();
    expect(artifacts.digests()).toContain(sha256('source vain'));
    for (let round = 0; round < 2; round += 1) {
      world.pass(hourMs + 1);
      await cleanUpDue();
    }
    expect(artifacts.digests()).not.toContain(sha256('source vain'));
  });

  test('property: nothing kept ever goes, and what nobody keeps goes in the end', async () => {
    const what = fc.constantFrom(
      ...([
        'store',
        'store',
        'record',
        'record',
        'deploy',
        'deploy',
        'rollback',
        'admit',
        'cancel',
        'carryOut',
      ] as const),
      ...(['pass', 'pass', 'cleanUp', 'cleanUp', 'cleanUpWhileStoring', 'delete'] as const),
    );
    const step = fc.record({ what, pick: fc.nat({ max: 2 }), bytes: fc.nat({ max: 4 }) });
    await fc.assert(
      fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 30 }), async (steps) => {
        const tenants = [await company(), await company(), await company()];
        const run = randomUUID();
        const gone = new Set<string>();
        const pending: { readonly tenant: Tenant; readonly bytes: string }[] = [];
        const recorded: { readonly tenant: Tenant; readonly bytes: string }[] = [];
        const record = async (): Promise<void> => {
          const next = pending.shift();
          if (!next || gone.has(next.tenant.workspaceId)) return;
          await world.submit(next.tenant, next.bytes);
          recorded.push(next);
        };
        /** Of a worker that is there: by revision, what its bytes were. */
        const kept = async (): Promise<readonly string[]> => {
          const lists = tenants.map(async ({ tenant }) => {
            const state = await world.worker(tenant);
            if (state.status === 'absent') return [];
            const own = recorded.filter((each) => each.tenant === tenant);
            return own.filter((_, index) => keeps(state, index + 1)).map(({ bytes }) => bytes);
          });
          return (await Promise.all(lists)).flat();
        };
        for (const { what, pick, bytes: number } of steps) {
          const chosen = tenants[pick];
          if (!chosen) continue;
          const { tenant, workspaceId, slug } = chosen;
          const bytes = `${run} ${number}`;
          const state = await world.worker(tenant);
          const ticket = state.status === 'absent' ? undefined : state.ticket;
          const attempt = async (work: () => Promise<unknown>): Promise<void> =>
            void (await work().catch(() => undefined));
          switch (what) {
            case 'store':
              await store(bytes);
              pending.push({ tenant, bytes });
              break;
            case 'record':
              await record();
              break;
            case 'deploy':
              await attempt(() => world.deploy(tenant, { revision: number }));
              break;
            case 'rollback':
              await attempt(() => world.deploy(tenant, { kind: 'rollback' }));
              break;
            case 'admit':
              await attempt(() => world.admit(tenant, { revision: number }));
              break;
            case 'carryOut':
              if (ticket) await world.carryOut(tenant.departmentId, ticket.ticketId);
              break;
            case 'cancel':
              if (ticket) {
                const data = { ticketId: ticket.ticketId, giveUp: true };
                const command = { type: 'RequestDeploymentCancel', data } as const;
                await world.aggregates.edgeWorker.send(tenant.workerId, command, world.envelope(workspaceId));
              }
              break;
            case 'pass':
              // A submission takes no hour from its upload to its record.
              while (pending.length > 0) await record();
              world.pass(hourMs / 2 + 1);
              break;
            case 'cleanUp':
              await cleanUpDue(1);
              break;
            case 'cleanUpWhileStoring':
              artifacts.beforeRemove(async () => {
                if (gone.has(workspaceId)) return;
                await submit(tenant, bytes);
                recorded.push({ tenant, bytes });
              });
              await cleanUpDue();
              artifacts.beforeRemove(async () => {});
              break;
            case 'delete':
              if (gone.has(workspaceId)) break;
              gone.add(workspaceId);
              await world.deleteCompany(workspaceId, slug);
              break;
          }
          await world.settle();
          for (const each of await kept()) expect(has(each), `${each} after ${what}`).toBe(true);
        }
        while (pending.length > 0) await record();
        for (let round = 0; round < 4; round += 1) {
          await cleanUpDue();
          world.pass(hourMs + 1);
        }
        const still = new Set(await kept());
        const known = new Set(recorded.map(({ bytes }) => bytes));
        // What a submission stored and never recorded is its own to clean up, and is not looked at here.
        for (const bytes of known) expect([bytes, has(bytes)]).toEqual([bytes, still.has(bytes)]);
      }),
      { numRuns: 8 },
    );
  }, 60_000);
});

/** By the worker's own state, and by the rule anew: neither may say that it can go. */
const keeps = (worker: LiveWorker, revision: number): boolean => {
  const found = worker.revisions.find((each) => each.revision === revision);
  if (!found) return false;
  if (
    worker.ticket &&
    ['pending', 'leased', 'uncertain'].includes(worker.ticket.status) &&
    worker.ticket.revision === revision
  ) {
    return true;
  }
  return !found.released || worker.history.at(-1) === revision || releasable(worker, retention).includes(found);
};
