import { decode } from '../commands/envelope.ts';
import type { Aggregate } from '../commands/send.ts';
import {
  type EdgeWorker,
  type EdgeWorkerCommand,
  type EdgeWorkerEvent,
  type EdgeWorkerRejection,
  liveRevision,
} from '../domain/edgeWorker/index.ts';
import type { DesiredWorker, EdgeProvider } from '../platform/edge/port.ts';
import type { EventLog, Position } from '../platform/eventLog/port.ts';
import type { Log } from '../platform/log/port.ts';
import { specOf } from './deployment.ts';

export type EdgeNodeDeps = {
  readonly log: EventLog;
  readonly workers: Aggregate<EdgeWorkerCommand, EdgeWorkerEvent, EdgeWorker, EdgeWorkerRejection>;
  readonly provider: EdgeProvider;
  /** Ids of the workers that have ever been deployed, from the read tables, with everything up to `position`. */
  readonly deployedWorkers: (position: Position) => Promise<readonly string[]>;
  readonly logger: Log;
};

export type EdgeNode = {
  /** Everything up to here that concerns pausing has taken effect on this node. */
  applied(): Position;
  stop(): Promise<void>;
};

/**
 * Makes this node run what the log says: once at the start, from the log and the artifact store, then following pauses
 * and resumes as they happen. Deployments are the runner's; this only restores and obeys.
 */
export const startEdgeNode = async (deps: EdgeNodeDeps): Promise<EdgeNode> => {
  const { log, provider, logger } = deps;
  const start = await log.head();
  const desired: DesiredWorker[] = [];
  for (const workerId of await deps.deployedWorkers(start)) {
    const { state } = await deps.workers.load(workerId);
    const wanted = desiredOf(workerId, state);
    if (wanted) desired.push(wanted);
  }
  const report = await provider.converge(desired);
  logger.info({ desired: desired.length, ...counts(report) }, 'edge: this node runs what the log says');

  const stopping = new AbortController();
  let applied = start;
  const following = (async () => {
    for await (const batch of log.subscribe({ after: start, signal: stopping.signal })) {
      for (const stored of batch.events) {
        const event = decode(stored);
        if (event?.type !== 'EdgeWorkerPaused' && event?.type !== 'EdgeWorkerResumed') continue;
        const { state } = await deps.workers.load(event.meta.subjectId);
        if (state.status !== 'absent') await provider.setPaused(state.scriptName, state.status === 'paused');
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
    },
  };
};

const desiredOf = (workerId: string, state: EdgeWorker): DesiredWorker | undefined => {
  if (state.status === 'absent' || state.status === 'draft') return undefined;
  const live = liveRevision(state);
  const revision = state.revisions.find((each) => each.revision === live);
  return revision && { spec: specOf(workerId, state, revision), paused: state.status === 'paused' };
};

const counts = (report: Awaited<ReturnType<EdgeProvider['converge']>>) => ({
  started: report.started.length,
  stopped: report.stopped.length,
  kept: report.kept.length,
  failed: report.failed,
});
