import type { Aggregates } from '../commands/aggregates.ts';
import { enqueueJob } from '../commands/job.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import { type LiveWorker, liveRevision } from '../domain/edgeWorker/index.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { EdgeProvider } from '../platform/edge/port.ts';
import { specOf } from './deployment.ts';
import { systemEnvelope } from './envelope.ts';
import type { JobInHand, JobKind, JobOutcome } from './jobs/effect.ts';
import { type Reactor, reactTo } from './reactor.ts';
import { outcomeOf } from './removeScript.ts';

/** A kind per provider, as for taking scripts down. `subjectId` is the worker. */
export const presenceKind = (provider: string): string => `edge.presence.${provider}`;

const name = 'applyPresence';

/**
 * Pausing and resuming where no node of ours follows the log: a job carries it out. A deployment that ends while the
 * worker is paused may have put it on the air, so the pause is applied again.
 */
export const applyPresenceOutside = (deps: { readonly aggregates: Pick<Aggregates, 'job' | 'edgeWorker'> }): Reactor =>
  reactTo(
    name,
    ['EdgeWorkerPaused', 'EdgeWorkerResumed', 'DeploymentCompleted', 'DeploymentFailed', 'DeploymentCancelled'],
    async (event) => {
      switch (event.type) {
        case 'EdgeWorkerPaused':
        case 'EdgeWorkerResumed':
          return request(deps, event, () => true);
        case 'DeploymentCompleted':
        case 'DeploymentFailed':
        case 'DeploymentCancelled':
          return request(deps, event, ({ status }) => status === 'paused');
      }
    },
  );

const request = async (
  { aggregates }: { readonly aggregates: Pick<Aggregates, 'job' | 'edgeWorker'> },
  event: Recorded<OpslogEvent>,
  matters: (worker: LiveWorker) => boolean,
): Promise<void> => {
  const { subjectId: workerId, revision, eventId, workspaceId, departmentId, requestId, correlationId } = event.meta;
  const { state } = await aggregates.edgeWorker.load(workerId, { atLeast: revision });
  if (state.status === 'absent' || !matters(state)) return;
  const provider = state.placement?.provider ?? 'workerd';
  if (provider === 'workerd') return;
  const enqueued = await enqueueJob(
    { aggregates },
    {
      ...{ kind: presenceKind(provider), workspaceId, departmentId, subjectId: workerId },
      ...{ dedupeKey: eventId, priority: 2, maxAttempts: 1_000 },
    },
    systemEnvelope(name, { workspaceId, departmentId, requestId, correlationId, causationId: eventId }, eventId),
  );
  if (!enqueued.ok) throw new Error(`The presence of ${workerId} cannot be applied: ${enqueued.rejection.rejected}`);
};

const rounds = 5;

/**
 * Makes the provider show what the worker is now, whatever the job was for. Looking again afterwards makes the newest
 * state win, whoever else applies an older one at the same time: whoever is last has seen the newest.
 */
export const applyPresence = (deps: {
  readonly workers: Aggregates['edgeWorker'];
  readonly provider: EdgeProvider;
}): JobKind => ({
  timeoutMs: 60_000,
  backoff: { firstMs: 1_000, ceilingMs: 300_000 },
  effect: async (job, signal) => {
    let applied: JobOutcome = { outcome: 'done', detail: 'There is nothing of it to show.' };
    let shown: boolean | undefined;
    for (let round = 0; round < rounds; round += 1) {
      const { state } = await deps.workers.load(job.subjectId);
      if (state.status === 'absent' || state.retired || state.placement?.provider !== deps.provider.kind)
        return applied;
      const paused = state.status === 'paused';
      if (paused === shown) return applied;
      applied = outcomeOf(await present(deps.provider, state, job, signal));
      if (applied.outcome !== 'done') return applied;
      shown = paused;
    }
    return { outcome: 'retry', detail: 'It is paused and resumed faster than that can be applied.' };
  },
});

const present = async (provider: EdgeProvider, worker: LiveWorker, job: JobInHand, signal: AbortSignal) => {
  const live = liveRevision(worker);
  const revision = worker.revisions.find((each) => each.revision === live);
  if (!revision) return { outcome: 'done', detail: 'It has no live revision.' } as const;
  const attempt = { ticketId: job.jobId, attempt: job.attempt };
  return provider.present(specOf(job.subjectId, worker, revision), worker.status === 'paused', attempt, signal);
};
