import { decode } from '../commands/envelope.ts';
import type { Aggregate } from '../commands/send.ts';
import {
  type EdgeWorker,
  type EdgeWorkerCommand,
  type EdgeWorkerEvent,
  type EdgeWorkerRejection,
  isAlive,
  type LiveWorker,
  liveRevision,
} from '../domain/edgeWorker/index.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { DesiredWorker, NodeProvider } from '../platform/edge/port.ts';
import type { EventLog, Position } from '../platform/eventLog/port.ts';
import type { Log } from '../platform/log/port.ts';
import { specOf } from './deployment.ts';

/** Ids of the workers that were ever deployed, as far as a read table knows: it has everything up to `position`. */
export type DeployedWorkers = { readonly ids: readonly string[]; readonly position: Position };

export type EdgeNodeDeps = {
  readonly log: EventLog;
  readonly workers: Aggregate<EdgeWorkerCommand, EdgeWorkerEvent, EdgeWorker, EdgeWorkerRejection>;
  readonly provider: NodeProvider;
  readonly deployedWorkers: () => Promise<DeployedWorkers>;
  readonly clock: Clock;
  readonly logger: Log;
};

export type EdgeNode = {
  /** Everything up to here that concerns pausing has taken effect on this node. */
  applied(): Position;
  stop(): Promise<void>;
};

/**
 * Makes this node run what the log says: once at the start, from the log and the artifact store, then following pauses
 * and resumes, and what other nodes have deployed. Deployments are the runner's; this only restores and obeys.
 */
export const startEdgeNode = async (deps: EdgeNodeDeps): Promise<EdgeNode> => {
  const { log, provider, logger } = deps;
  const start = await log.head();
  const desired: DesiredWorker[] = [];
  for (const workerId of await deployedUntil(deps, start)) {
    const state = await stateOf(deps, workerId, new AbortController().signal);
    const wanted = state && desiredOf(workerId, state);
    if (wanted) desired.push(wanted);
  }
  const report = await provider.converge(desired);
  logger.info({ desired: desired.length, ...counts(report) }, 'edge: this node runs what the log says');
  for (const { scriptName, detail } of report.failed) {
    logger.error({ scriptName, detail }, 'edge: a worker that should run here does not');
  }

  const stopping = new AbortController();
  const restoring = createRestoring(deps, stopping.signal);
  let applied = start;
  const following = (async () => {
    for await (const batch of log.subscribe({ after: start, signal: stopping.signal })) {
      for (const stored of batch.events) {
        const event = decode(stored);
        switch (event?.type) {
          case 'EdgeWorkerPaused':
          case 'EdgeWorkerResumed': {
            const state = await stateOf(deps, event.meta.subjectId, stopping.signal, event.meta.revision);
            if (state && runsHere(state)) await provider.setPaused(state.scriptName, state.status === 'paused');
            break;
          }
          case 'EdgeWorkerRetired':
          case 'EdgeWorkerDeleted': {
            const state = await stateOf(deps, event.meta.subjectId, stopping.signal);
            const gone = event.type === 'EdgeWorkerDeleted' ? event.data.scriptName : state?.scriptName;
            if (gone !== undefined) await dropQuietly(deps, gone);
            break;
          }
          case 'DeploymentCompleted':
          case 'DeploymentFailed':
          case 'DeploymentCancelled':
            restoring.add(event.meta.subjectId);
        }
      }
      applied = batch.position;
    }
  })();
  following.catch((error: unknown) => logger.error({ err: error }, 'edge: no longer follows pauses'));
  return {
    applied: () => applied,
    stop: async () => {
      stopping.abort();
      await following.catch(() => undefined);
      await restoring.idle();
    },
  };
};

/** What does not stop now is found by the job that takes the script down, or by the next start. */
const dropQuietly = async ({ provider, logger }: EdgeNodeDeps, scriptName: string): Promise<void> => {
  try {
    await provider.drop(scriptName);
  } catch (error) {
    logger.error({ err: error, scriptName }, 'edge: a worker whose owner is gone does not stop');
  }
};

/** A table may be behind, or stopped for good: what it does not have yet is read from the log. */
export const deployedUntil = async (
  { log, deployedWorkers }: EdgeNodeDeps,
  end: Position,
): Promise<ReadonlySet<string>> => {
  const { ids, position } = await deployedWorkers();
  const deployed = new Set(ids);
  if (position >= end) return deployed;
  for await (const { events } of log.readAllBatches({ after: position })) {
    for (const stored of events) {
      const event = decode(stored);
      if (event?.type === 'DeploymentCompleted') deployed.add(event.meta.subjectId);
    }
  }
  return deployed;
};

const isDefect = (error: unknown): boolean => error instanceof TypeError || error instanceof RangeError;

/**
 * What the worker is now; undefined for none, or one whose facts make no sense: the others must not wait for that. A log
 * that does not answer is asked again until it does.
 */
export const stateOf = async (
  { workers, clock, logger }: EdgeNodeDeps,
  workerId: string,
  signal: AbortSignal,
  atLeast?: number,
): Promise<LiveWorker | undefined> => {
  while (!signal.aborted) {
    try {
      const { state } = await workers.load(workerId, atLeast === undefined ? {} : { atLeast });
      return state.status === 'absent' ? undefined : state;
    } catch (error) {
      logger.error({ err: error, workerId }, 'edge: a worker cannot be read from the log');
      if (isDefect(error)) return undefined;
      await clock.sleep(1_000, signal);
    }
  }
  return undefined;
};

/** Brings workers to what the log says, one after the other; a worker with a deployment under way is left to that. */
const createRestoring = (deps: EdgeNodeDeps, signal: AbortSignal) => {
  const waiting = new Set<string>();
  let working: Promise<void> | undefined;
  const restore = async (workerId: string): Promise<void> => {
    const state = await stateOf(deps, workerId, signal);
    if (!state || isAlive(state.ticket) || signal.aborted) return;
    const wanted = desiredOf(workerId, state);
    if (wanted) await deps.provider.restore(wanted);
  };
  const work = async (): Promise<void> => {
    for (const workerId of waiting) {
      waiting.delete(workerId);
      await restore(workerId).catch((error: unknown) => {
        deps.logger.error({ err: error, workerId }, 'edge: a worker is not what the log says');
      });
    }
    working = undefined;
  };
  return {
    add: (workerId: string): void => {
      waiting.add(workerId);
      working ??= work();
    },
    idle: async (): Promise<void> => working,
  };
};

/** Facts of before there was a choice name no place: everything ran on-prem. */
const runsHere = (state: LiveWorker): boolean => state.placement?.provider === 'workerd';

export const desiredOf = (workerId: string, state: LiveWorker): DesiredWorker | undefined => {
  if (state.status === 'draft' || state.retired || !runsHere(state)) return undefined;
  const live = liveRevision(state);
  const revision = state.revisions.find((each) => each.revision === live);
  return revision && { spec: specOf(workerId, state, revision), paused: state.status === 'paused' };
};

const counts = (report: Awaited<ReturnType<NodeProvider['converge']>>) => ({
  started: report.started.length,
  stopped: report.stopped.length,
  kept: report.kept.length,
  failed: report.failed,
});
