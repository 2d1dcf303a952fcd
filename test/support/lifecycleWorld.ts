import { randomUUID } from 'node:crypto';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { createDepartment, removeDepartment } from '../../src/commands/department.ts';
import { admitDeployment, type WantedDeployment } from '../../src/commands/deployment.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { type ReconcileMode, requestReconciliation } from '../../src/commands/reconciliation.ts';
import { createWorkspace, deleteWorkspace } from '../../src/commands/workspace.ts';
import { lifecycleJobKinds, lifecycleReactors } from '../../src/compose/lifecycle.ts';
import { derivedId, edgeWorkerId, scriptNameOf } from '../../src/domain/identifiers.ts';
import type { Clock } from '../../src/platform/clock/port.ts';
import { systemClock } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { carryOutDeployment } from '../../src/sagas/carryOutDeployment.ts';
import { carryOutJob } from '../../src/sagas/jobs/carryOutJob.ts';
import { type CheckpointStore, startReactors } from '../../src/sagas/reactor.ts';
import type { Retention } from '../../src/sagas/retainRevisions.ts';
import type { DatabaseTarget } from './database.ts';
import { createMemoryLog } from './memoryLog.ts';
import { createOutsideProvider, type OutsideProvider } from './outsideProvider.ts';
import { startProjection } from './projection.ts';

export const graceMs = 60_000;
const never = new AbortController().signal;
const owner = { userId: 'user-1', email: 'ada@example.org', displayName: 'Ada' };

type Options = { readonly retention?: Retention; readonly provider?: OutsideProvider };

/**
 * Log, read tables, reactors and runner of one installation, with a small outside world. Time moves only when the test
 * says so, and jobs run only in `settle`.
 */
export const startLifecycle = async (target: DatabaseTarget, options: Options = {}) => {
  let now = 1_700_000_000_000;
  const clock: Clock = { now: () => now, sleep: (_ms, signal) => systemClock.sleep(60_000, signal) };
  const log = createMemoryLog(() => now);
  const provider = options.provider ?? createOutsideProvider();
  const { retention = { keepNewest: 100, keepDeployed: 10 } } = options;
  const world = await startProjection(target, { log });
  const { queries, projector } = world;
  const aggregates = createAggregates({ log, now: clock.now });
  const reads = { waitFor: projector.waitFor };
  const timing = { now: clock.now, graceMs, overdueMs: 10 * graceMs };
  const parts = { aggregates, log, queries, config: { retention } };
  const kinds = lifecycleJobKinds(parts, reads, [provider], timing);
  const edge = {
    places: [{ provider: provider.kind, scope: provider.scope, steps: provider.steps }],
    maxAttempts: 3,
  } as const;

  let saved = 0n;
  const checkpoints: CheckpointStore = {
    load: async () => saved,
    save: async (_name, position) => {
      saved = position;
    },
  };
  const startReacting = () =>
    startReactors({
      ...{ log, logger: silentLog, clock: systemClock, checkpoints },
      reactors: lifecycleReactors(parts, reads, timing),
    });
  let reactors = startReacting();

  const envelope = (workspaceId = '', departmentId = ''): Envelope => ({
    ...{ commandId: randomUUID(), commandDigest: '', authMethod: 'session', actor: { kind: 'user', id: owner.userId } },
    ...{ workspaceId, departmentId, requestId: 'r1', correlationId: 'c1', causationId: '' },
  });
  const must = <Result extends { readonly ok: boolean }>(result: Result): Extract<Result, { readonly ok: true }> => {
    if (isOk(result)) return result;
    throw new Error(JSON.stringify(result));
  };

  const caughtUp = async (): Promise<void> => {
    const head = await log.head();
    await projector.waitFor(head, { timeoutMs: 20_000 });
    while (reactors.position() < head) await new Promise((resolve) => setImmediate(resolve));
    const after = await log.head();
    if (after > head) await caughtUp();
  };
  const runDueJobs = async (): Promise<number> => {
    const due = await queries.dueJobs({ now, limit: 100, kinds: Object.keys(kinds) });
    for (const { jobId, workspaceId, departmentId, requestId, correlationId, causationId } of due) {
      const context = { workspaceId, departmentId, requestId: requestId ?? '', correlationId, causationId };
      const random = { uuid: randomUUID, bytes: () => new Uint8Array(), fraction: () => 1 };
      const deps = { jobs: aggregates.job, kinds, clock, random, holder: 'node/1', leaseMs: 30_000 };
      await carryOutJob(deps, { jobId, context, takeover: false }, never);
    }
    return due.length;
  };
  /** Until nothing is left to do at this time. */
  const settle = async (): Promise<void> => {
    do await caughtUp();
    while ((await runDueJobs()) > 0);
  };

  const carryOut = async (departmentId: string, ticketId: string, stop: AbortSignal = never) => {
    const workerId = edgeWorkerId(sha256, departmentId);
    const { state } = await aggregates.edgeWorker.load(workerId);
    const workspaceId = state.status === 'absent' ? '' : state.companyId;
    const context = { workspaceId, departmentId, requestId: '', correlationId: 'c1', causationId: '' };
    const random = { uuid: randomUUID, bytes: () => new Uint8Array(), fraction: () => 1 };
    const deps = { workers: aggregates.edgeWorker, clock, random, holder: 'node/1', leaseMs: 30_000 };
    return carryOutDeployment(
      { ...deps, providerOf: (kind) => (kind === provider.kind ? provider : undefined), stepTimeoutMs: 5_000 },
      { ticketId, workerId, context, takeover: false },
      stop,
    );
  };
  const admit = async (tenant: Tenant, wanted: Partial<WantedDeployment> = {}) =>
    must(
      await admitDeployment(
        { aggregates, edge },
        tenant.departmentId,
        { kind: 'deploy', revision: 0, ...wanted },
        envelope(tenant.workspaceId, tenant.departmentId),
      ),
    ).value;

  return {
    ...{ log, aggregates, queries, provider, parts, reads, timing, kinds, settle, caughtUp, envelope, carryOut, admit },
    rows: world.rows,
    database: world.database,
    now: () => now,
    pass: (ms: number): void => {
      now += ms;
    },
    /** A process ends and another begins, from its last checkpoint or, when that was lost, from the beginning. */
    restart: async (checkpoint: 'kept' | 'lost' = 'kept') => {
      await reactors.stop();
      if (checkpoint === 'lost') saved = 0n;
      reactors = startReacting();
    },
    company: async (slug: string) => {
      const created = await createWorkspace({ aggregates }, { name: slug, slug }, owner, envelope());
      return must(created).value.workspaceId;
    },
    department: async (workspaceId: string, slug = 'sales'): Promise<Tenant> => {
      const { value } = must(
        await createDepartment({ aggregates }, workspaceId, { name: slug, slug }, envelope(workspaceId)),
      );
      const { departmentId } = value;
      const scriptName = scriptNameOf(sha256, workspaceId, departmentId);
      return { workspaceId, departmentId, workerId: edgeWorkerId(sha256, departmentId), scriptName };
    },
    removeDepartment: async (tenant: Tenant) =>
      must(await removeDepartment({ aggregates }, tenant, envelope(tenant.workspaceId, tenant.departmentId))),
    deleteCompany: async (workspaceId: string, slug: string) =>
      must(await deleteWorkspace({ aggregates }, workspaceId, { confirm: slug }, envelope(workspaceId))),
    /** `bytes` stand for what is built: the same ones have the same digests, whoever submits them. */
    submit: async ({ workspaceId, departmentId, workerId, scriptName }: Tenant, bytes: string = randomUUID()) => {
      const request = envelope(workspaceId, departmentId);
      const data = {
        ...{ versionId: derivedId(sha256, 'version', request.commandId), language: 'typescript' as const },
        ...{ entryPoint: 'src/index.ts', compatibilityDate: '2026-01-01', compatibilityFlags: [], variables: {} },
        ...{ environmentDigest: sha256('{}'), sourceDigest: sha256(`source ${bytes}`), sourceBytes: 1, sourceFiles: 1 },
        ...{ bundleDigest: sha256(`bundle ${bytes}`), bundleBytes: 1, sbomDigest: sha256('{}') },
        ...{ sbom: '{}', buildReceipt: '{}', companyId: workspaceId, departmentId, scriptName },
      };
      must(await aggregates.edgeWorker.send(workerId, { type: 'SubmitRevision', data }, request));
    },
    deploy: async (tenant: Tenant, wanted: Partial<WantedDeployment> = {}) => {
      const { ticketId } = await admit(tenant, wanted);
      return { ticketId, became: await carryOut(tenant.departmentId, ticketId) };
    },
    tell: async (tenant: Tenant, type: 'PauseEdgeWorker' | 'ResumeEdgeWorker') =>
      must(
        await aggregates.edgeWorker.send(
          tenant.workerId,
          { type, data: {} },
          envelope(tenant.workspaceId, tenant.departmentId),
        ),
      ),
    worker: async ({ workerId }: Tenant) => (await aggregates.edgeWorker.load(workerId)).state,
    /** Asks, carries out, and answers what was found. */
    reconcile: async (mode: ReconcileMode, companyId = '*') => {
      const wanted = { providers: [provider.kind], companyId, mode, key: randomUUID() };
      const { value } = must(await requestReconciliation({ aggregates }, wanted, envelope()));
      await settle();
      const [{ jobId } = { jobId: '' }] = value.jobs;
      const workspaceId = companyId === '*' ? 'installation' : companyId;
      const job = await queries.job({ workspaceId, role: 'ADMIN', jobId });
      return { status: job?.status, findings: findingsOf(job?.result) };
    },
    stop: async () => {
      await reactors.stop();
      await world.stop();
    },
  };
};

const isOk = <Result extends { readonly ok: boolean }>(
  result: Result,
): result is Extract<Result, { readonly ok: true }> => result.ok;

export type Tenant = {
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly workerId: string;
  readonly scriptName: string;
};
export type LifecycleWorld = Awaited<ReturnType<typeof startLifecycle>>;

export const findingsOf = (result: unknown): readonly Record<string, unknown>[] => {
  const text =
    typeof result === 'object' && result !== null && 'findings' in result && typeof result.findings === 'string'
      ? result.findings
      : '[]';
  const parsed: unknown = JSON.parse(text);
  return Array.isArray(parsed) ? parsed : [];
};
