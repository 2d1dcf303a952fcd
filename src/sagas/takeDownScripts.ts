import type { Aggregates } from '../commands/aggregates.ts';
import { enqueueJob } from '../commands/job.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { Position } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';
import { removeScriptKind } from './removeScript.ts';

type Deps = {
  readonly aggregates: Pick<Aggregates, 'job' | 'edgeWorker'>;
  /** Providers that deployments of this worker were ever admitted for, with everything up to `position`. */
  readonly providersUsed: (workerId: string, position: Position) => Promise<readonly string[]>;
};

const name = 'takeDownScripts';

/** A runner that was at work when its deployment was withdrawn may still put something there until its step times out. */
const sweepAfterMs = 90_000;

/** The script of a worker that is gone is taken down wherever a deployment may have put it, successful or not. */
export const takeDownScripts = (deps: Deps): Reactor =>
  reactTo(name, ['EdgeWorkerRetired', 'EdgeWorkerDeleted', 'DeploymentFailed'], async (event) => {
    switch (event.type) {
      case 'EdgeWorkerRetired':
      case 'EdgeWorkerDeleted':
        return takeDown(deps, event, 0);
      case 'DeploymentFailed': {
        const { reasonCode } = event.data;
        if (reasonCode !== 'worker_retired' && reasonCode !== 'worker_deleted') return;
        return takeDown(deps, event, event.meta.recordedAt + sweepAfterMs);
      }
    }
  });

const takeDown = async (deps: Deps, event: Recorded<OpslogEvent>, runAt: number): Promise<void> => {
  const { subjectId: workerId, eventId, workspaceId, departmentId, requestId, correlationId, position } = event.meta;
  const { state } = await deps.aggregates.edgeWorker.load(workerId);
  const scriptName = state.status === 'absent' ? state.was?.scriptName : state.scriptName;
  if (scriptName === undefined) return;
  const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
  for (const provider of await deps.providersUsed(workerId, position)) {
    const enqueued = await enqueueJob(
      deps,
      {
        ...{ kind: removeScriptKind(provider), workspaceId, departmentId, subjectId: scriptName },
        ...{ payload: { workerId }, dedupeKey: eventId, runAt, maxAttempts: 1_000 },
      },
      systemEnvelope(name, context, eventId, provider),
    );
    if (!enqueued.ok) throw new Error(`${scriptName} could not be taken down: ${enqueued.rejection.rejected}`);
  }
};
