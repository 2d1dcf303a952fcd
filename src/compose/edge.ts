import type { Parts } from '../parts.ts';
import { systemClock, systemRandom } from '../platform/clock/system.ts';
import type { EdgeProvider, NodeProvider } from '../platform/edge/port.ts';
import { createWorkerdProvider } from '../platform/edge/workerd/index.ts';
import { readCheckpoints } from '../projections/engine/checkpoints.ts';
import { outdatedTables } from '../projections/engine/createTables.ts';
import { carryOutDeployment } from '../sagas/carryOutDeployment.ts';
import { cleanUpArtifacts } from '../sagas/cleanUpArtifacts.ts';
import { mergeDueWork } from '../sagas/dueWork.ts';
import { type DeployedWorkers, type EdgeNode, startEdgeNode } from '../sagas/edgeNode.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import { type ResyncReport, resync } from '../sagas/resync.ts';
import { type DueWork, type Runner, startRunner } from '../sagas/runner.ts';
import type { Closing } from './closing.ts';
import { startDomains } from './edgeDomains.ts';
import { edgeProviders } from './edgeProviders.ts';
import { handsOf } from './hands.ts';
import type { JobMetrics } from './jobMetrics.ts';
import { createJobsPart } from './jobs.ts';
import type { Gate } from './maintenance.ts';
import type { ReadTablesPart } from './readTables.ts';
import { startReconciling } from './reconciling.ts';
import { startScheduling } from './scheduling.ts';
import { secretValuesOf } from './secrets.ts';
import { throttle } from './throttle.ts';
import { openWorkerLogs } from './workerLogs.ts';

export type EdgePart = {
  /** Where the edge router answers. */
  readonly url: string;
  readonly provider: NodeProvider;
  /** Undefined: no HTTPS. */
  readonly tlsPort: number | undefined;
  readonly node: EdgeNode;
  readonly runner: Runner;
  /** Makes the node run what the log says, while it is at work. */
  readonly resync: (signal: AbortSignal) => Promise<ResyncReport>;
};

/** What a program that embeds this one adds to it. */
export type Extras = {
  readonly outside?: Outside | undefined;
  /** Kinds of job of its own, by name. */
  readonly jobKinds?: JobKinds | undefined;
};

/** What stands between the runner and a provider: nothing, but for whoever wants to see what a fault leads to. */
export type Outside = (provider: EdgeProvider) => EdgeProvider;

const leaseMs = 15_000;
const stepTimeoutMs = 60_000;
const catchUpMs = 60_000;
/** Enough for what is done between two looks. */
const lookAhead = 256;

/** Puts this node back to what the log says, then carries out what is due. */
export const startEdge = async (
  parts: Parts,
  reads: ReadTablesPart,
  metrics: JobMetrics,
  gate: Gate,
  closing: Closing,
  { outside = (provider) => provider, jobKinds = {} }: Extras,
): Promise<EdgePart> => {
  const { config, folder, logger, log, aggregates, artifacts, queries } = parts;
  const logs = openWorkerLogs(parts, closing);
  const workerd = await createWorkerdProvider({
    scope: parts.scope,
    ...{ dataDir: folder.edge, artifacts, log: logger, clock: systemClock, secretValues: secretValuesOf(parts) },
    ...{ host: config.edge.host, port: config.edge.port, baseDomain: config.edge.baseDomain },
    tlsPort: config.edge.tlsPort,
    limits: { heapMiB: config.edge.memoryMb },
    trustForwarded: config.trustProxy,
    onTransition: (transition) => logger.info(transition, 'edge: a worker process has changed'),
    onLog: logs.onLog,
  });
  const provider = logs.forgetting(workerd);
  closing.add(() => provider.close());
  const nodeDeps = {
    ...{ log, provider, logger, workers: aggregates.edgeWorker, clock: systemClock },
    deployedWorkers: () => deployedWorkers(parts),
  };
  const node = await startEdgeNode(nodeDeps);
  closing.add(() => node.stop());

  await startDomains(parts, provider.hostnames, closing);

  // The name of the node and of this run of it: what an earlier run still holds is ours to take back.
  const name = folder.nodeId;
  const holder = `${name}/${systemRandom.uuid().slice(0, 8)}`;
  const providers = edgeProviders(parts, provider).map(outside);
  const providerOf = (kind: string) => providers.find((each) => each.kind === kind);
  const common = { clock: systemClock, random: systemRandom, holder, leaseMs };
  const jobs = createJobsPart(parts, reads, metrics, { name, holder }, providers, provider, jobKinds);
  const runner = startRunner({
    dueWork: mergeDueWork([(limit) => dueWork(parts, { name, holder }, gate, limit), ...jobs.due], logger),
    ...handsOf(config.runnerConcurrency, config.jobConcurrency),
    lookAhead,
    leasesAhead: new Set(['job']),
    effects: {
      ...jobs.effects,
      deploy: (work, signal) =>
        carryOutDeployment(
          { ...common, workers: aggregates.edgeWorker, providerOf, stepTimeoutMs },
          { ticketId: work.ticketId, workerId: work.workerId, ...inContext(work, name) },
          signal,
        ),
      artifact_cleanup: (work) => {
        const { context, takeover } = inContext(work, name);
        const referenced = async (digests: readonly string[]) => {
          const wait = { timeoutMs: catchUpMs, tables: ['edge_worker_versions'] };
          if ((await reads.waitFor(await log.head(), wait)) !== 'reached') {
            throw new Error('The read tables do not catch up with the log.');
          }
          return queries.referencedDigests({ digests });
        };
        const deps = { ...common, cleanups: aggregates.artifactCleanup, artifacts, referenced };
        return cleanUpArtifacts(deps, work.ticketId, context, takeover);
      },
    },
    ...{ clock: systemClock, log: logger, pollMs: 1_000 },
  });
  closing.add(() => runner.stop());
  // Under load every batch of facts would be a look at what is due; a moment's wait makes it one look for many.
  const waking = throttle(runner.wake, 25);
  closing.add(waking.stop);
  reads.onChange(waking.call);
  startReconciling(parts, providers, closing);
  startScheduling(parts, closing);
  const { port } = new URL(provider.url('worker'));
  const host = config.edge.host === '0.0.0.0' ? '127.0.0.1' : config.edge.host;
  return {
    url: `http://${host}:${port}`,
    provider,
    tlsPort: provider.tlsPort,
    node,
    runner,
    resync: (signal) => resync(nodeDeps, signal),
  };
};

/** What the table knows, and up to where; nothing from a table of another version. */
const deployedWorkers = async ({ database, queries, tables }: Parts): Promise<DeployedWorkers> => {
  const checkpoints = await readCheckpoints(database.session);
  if (outdatedTables(tables, checkpoints).includes('edge_workers')) return { ids: [], position: 0n };
  return { ids: await queries.deployedWorkers(), position: checkpoints.get('edge_workers')?.position ?? 0n };
};

const dueWork = async (
  { queries }: Parts,
  node: { readonly name: string; readonly holder: string },
  gate: Gate,
  limit: number,
): Promise<readonly DueWork[]> => {
  const due = await queries.dueTickets({ now: Date.now(), limit, node, gate: await gate() });
  return due.map((ticket) => ({ ...ticket, leaseHolder: ticket.leaseHolder ?? '', requestId: ticket.requestId ?? '' }));
};

const inContext = (work: DueWork, nodeName: string) => ({
  context: {
    ...{ workspaceId: work.companyId, departmentId: work.departmentId },
    ...{ requestId: work.requestId, correlationId: work.correlationId, causationId: work.causationId },
  },
  takeover: work.leaseHolder.startsWith(`${nodeName}/`),
});
