import { type Aggregates, createAggregates } from '../../src/commands/aggregates.ts';
import { createAggregate } from '../../src/commands/send.ts';
import { type EdgeWorker, edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import type { EdgeProvider } from '../../src/platform/edge/port.ts';
import type { EventLog, Position } from '../../src/platform/eventLog/port.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { applyPresence, applyPresenceOutside, presenceKind } from '../../src/sagas/applyPresence.ts';
import { carryOutDeployment } from '../../src/sagas/carryOutDeployment.ts';
import { startEdgeNode } from '../../src/sagas/edgeNode.ts';
import type { JobKinds } from '../../src/sagas/jobs/effect.ts';
import { createJobs } from '../../src/sagas/jobs/jobs.ts';
import { startReactors } from '../../src/sagas/reactor.ts';
import { reconcile, reconcileKind } from '../../src/sagas/reconcile.ts';
import { removeScript, removeScriptKind } from '../../src/sagas/removeScript.ts';
import { startRunner } from '../../src/sagas/runner.ts';
import { takeDownScripts } from '../../src/sagas/takeDownScripts.ts';
import type { Bug } from './bug.ts';
import type { Cloud, OutsideWatch } from './cloud.ts';
import { createCloudAdapter } from './cloudAdapter.ts';
import { type Errands, errandHands } from './errands.ts';
import type { Faults } from './faults.ts';
import type { History } from './history.ts';
import { createMachineAdapter, type Machine } from './machine.ts';
import type { Process } from './process.ts';
import type { Draws } from './random.ts';
import { settings, windowMs } from './settings.ts';
import type { Tables } from './tables.ts';

/** What a process finds around itself. */
export type NodeParts = {
  readonly bug: Bug | undefined;
  readonly log: EventLog;
  readonly cloud: Cloud;
  readonly machine: Machine;
  readonly tables: Tables;
  readonly checkpoints: { position: Position };
  readonly draws: Draws;
  readonly faults: Faults;
  readonly watch: OutsideWatch & ProgramWatch;
  readonly history: History;
  readonly errands: Errands;
};

/** What goes on inside, as an onlooker sees it who changes nothing. */
export type ProgramWatch = {
  leaseLost(process: Process, leaseId: string): void;
  performs(ticketId: string, attempt: number, step: string): void;
  probes(ticketId: string, step: string): void;
  answered(ticketId: string, attempt: number, step: string, outcome: string, afterMs: number): void;
};

export type SimulatedNode = {
  readonly process: Process;
  readonly aggregates: Aggregates;
  wake(): void;
  /** As when it is asked to end: begins nothing more, and waits for what is under way. */
  stop(): Promise<void>;
  /** A worker's state as a new process would find it. */
  freshly(workerId: string): Promise<EdgeWorker>;
};

/** The program as one process runs it: everything in it is the real thing, its ports lead into the simulated world. */
export const startNode = (process: Process, parts: NodeParts, failed: () => void): SimulatedNode => {
  const { bug, log, faults } = parts;
  const { clock, random, name: holder, node: name } = process;
  const aggregates = createOwnAggregates(process, parts);
  const adapted = createCloudAdapter(process, parts.cloud, faults, bug?.windowMs ?? windowMs);
  const local = createMachineAdapter(process, parts.machine, parts.draws, faults, parts.watch);
  const machine = bug?.node?.(local) ?? local;
  const cloud = observed(bug?.adapter?.(adapted, parts.cloud) ?? adapted, parts.watch);
  const onPrem = observed(bug?.adapter?.(machine, parts.cloud) ?? machine, parts.watch);
  const providers = [cloud, onPrem].map((each) => bug?.provider?.(each) ?? each);

  const reacting = bug?.reactions?.(aggregates) ?? aggregates;
  const kinds = {
    ...createKinds(reacting, [cloud, onPrem], process, parts),
    ...parts.errands.kinds(process, parts.draws, faults),
  };
  const jobDeps = { jobs: aggregates.job, kinds, clock, random, holder, leaseMs: settings.jobLeaseMs };
  const jobs = createJobs(bug?.jobs?.(jobDeps) ?? jobDeps);
  const deps = {
    ...{ workers: aggregates.edgeWorker, clock, random, holder },
    ...{ leaseMs: settings.leaseMs, stepTimeoutMs: settings.stepTimeoutMs },
    providerOf: (kind: string) => providers.find((each) => each.kind === kind),
  };
  const deploymentDeps = bug?.deps?.(deps) ?? deps;

  const { providersUsed } = parts.history;
  const reactors = [
    takeDownScripts({ aggregates: reacting, providersUsed }),
    applyPresenceOutside({ aggregates: reacting }),
  ];

  let wake = (): void => {};
  let stop = async (): Promise<void> => {};
  const run = async (): Promise<void> => {
    await startEdgeNode({
      ...{ log, workers: aggregates.edgeWorker, provider: machine, clock, logger: silentLog },
      deployedWorkers: async () => ({ ids: [], position: 0n }),
    });
    startReactors({
      ...{ log, clock, logger: silentLog, reactors },
      checkpoints: durable(process, parts),
    });
    const runner = startRunner({
      dueWork: async (limit) => {
        await process.pause(parts.draws.between(1, 20));
        if (faults.tableFails()) throw new Error('the database does not answer');
        return parts.tables.due(clock.now(), limit, { name, holder });
      },
      effects: {
        job: (work, signal, hand) => jobs.effect(work, signal, bug?.hand?.(hand) ?? hand),
        deploy: (work, signal) => {
          const { ticketId, workerId, companyId: workspaceId, departmentId } = work;
          const { requestId, correlationId, causationId } = work;
          const context = { workspaceId, departmentId, requestId, correlationId, causationId };
          return carryOutDeployment(
            deploymentDeps,
            { ticketId, workerId, context, takeover: work.leaseHolder.startsWith(`${name}/`) },
            signal,
          );
        },
      },
      ...{ clock, log: silentLog, concurrency: 3, atMost: { job: errandHands }, pollMs: settings.pollMs },
      ...{ lookAhead: 16, leasesAhead: new Set(['job']) },
    });
    wake = runner.wake;
    stop = runner.stop;
  };
  // What cannot start ends, and is started again by whoever supervises it.
  run().catch(failed);
  const freshly = async (workerId: string): Promise<EdgeWorker> =>
    (await createOwnAggregates(process, parts).edgeWorker.load(workerId)).state;
  return { process, aggregates, wake: () => wake(), stop: () => stop(), freshly };
};

const createKinds = (
  aggregates: Aggregates,
  providers: readonly EdgeProvider[],
  { clock }: Process,
  { history }: NodeParts,
): JobKinds =>
  Object.fromEntries(
    providers.flatMap((provider) => {
      const { kind, scope, steps } = provider;
      const edge = { places: [{ provider: kind, scope, steps }], maxAttempts: settings.maxAttempts } as const;
      const workers = aggregates.edgeWorker;
      const looking = { now: clock.now, graceMs: 2 * windowMs, overdueMs: 600_000, scripts: history.scripts };
      return [
        [removeScriptKind(kind), removeScript({ workers, provider })],
        [presenceKind(kind), applyPresence({ workers, provider })],
        [reconcileKind(kind), reconcile({ ...looking, aggregates, edge, provider, workers })],
      ];
    }),
  );

const durable = (process: Process, { checkpoints, draws, faults }: NodeParts) => ({
  load: async () => {
    await process.pause(draws.between(1, 10));
    if (faults.checkpointFails()) throw new Error('the database does not answer');
    return checkpoints.position;
  },
  save: async (_name: string, position: Position) => {
    await process.pause(draws.between(1, 10));
    if (faults.checkpointFails()) throw new Error('the database does not answer');
    checkpoints.position = position;
  },
});

const createOwnAggregates = (process: Process, { bug, log, watch }: NodeParts): Aggregates => {
  const options = { log, now: process.clock.now };
  const workers = createAggregate(bug?.decider?.(edgeWorker) ?? edgeWorker, options);
  return {
    ...createAggregates(options),
    edgeWorker: {
      load: workers.load,
      send: async (id, command, envelope) => {
        const sent = await workers.send(id, command, envelope);
        const lost = !sent.ok && sent.rejection.rejected === 'LeaseLost' && 'leaseId' in command.data;
        if (lost && 'leaseId' in command.data) watch.leaseLost(process, command.data.leaseId);
        return sent;
      },
    },
  };
};

const observed = (provider: EdgeProvider, watch: ProgramWatch): EdgeProvider => ({
  ...provider,
  perform: async (step, spec, attempt, signal) => {
    watch.performs(attempt.ticketId, attempt.attempt, step);
    const outcome = await provider.perform(step, spec, attempt, signal);
    const afterMs = outcome.outcome === 'retry' ? (outcome.afterMs ?? 0) : 0;
    watch.answered(attempt.ticketId, attempt.attempt, step, outcome.outcome, afterMs);
    return outcome;
  },
  probe: async (step, spec, attempt, signal) => {
    watch.probes(attempt.ticketId, step);
    const outcome = await provider.probe(step, spec, attempt, signal);
    watch.answered(attempt.ticketId, attempt.attempt, step, outcome.outcome, 0);
    return outcome;
  },
});
