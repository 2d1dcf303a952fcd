import type { Aggregates } from '../commands/aggregates.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { NodeProvider } from '../platform/edge/port.ts';
import type { JobInHand, JobKind, JobOutcome } from './jobs/effect.ts';

export const runScheduleKind = 'edge.runSchedule';

/** A firing that could not begin by then is given up: the next one is never far. */
export const lateMs = 60_000;

export type RunScheduleDeps = {
  readonly workers: Pick<Aggregates['edgeWorker'], 'load'>;
  readonly provider: Pick<NodeProvider, 'runScheduled'>;
  readonly clock: Pick<Clock, 'now'>;
};

/** Calls the scheduled handler once. What may have begun is never begun again: a missed firing is better than two. */
export const runSchedule = (deps: RunScheduleDeps): JobKind => ({
  timeoutMs: 30_000,
  backoff: { firstMs: 1_000, ceilingMs: 10_000 },
  effect: (job, signal) => effect(deps, job, signal),
});

const effect = async (deps: RunScheduleDeps, job: JobInHand, signal: AbortSignal): Promise<JobOutcome> => {
  if (job.mode === 'probe') {
    return { outcome: 'refused', code: 'outcome_unknown', detail: 'It may have run, so it is not run again.' };
  }
  const firing = firingOf(job);
  if (!firing) return { outcome: 'refused', code: 'payload_malformed', detail: 'The job does not say what to run.' };
  if (deps.clock.now() - firing.scheduledTime > lateMs) {
    return { outcome: 'refused', code: 'missed', detail: 'It could not begin within a minute of its time.' };
  }
  const { state } = await deps.workers.load(job.subjectId);
  if (state.status !== 'active' || state.retired || state.placement?.provider !== 'workerd') {
    return { outcome: 'refused', code: 'not_on_air', detail: 'The worker was taken off the air meanwhile.' };
  }
  const { cron, scheduledTime } = firing;
  const outcome = await deps.provider.runScheduled(firing.scriptName, { cron, scheduledTime }, signal);
  return outcome.outcome === 'done'
    ? { ...outcome, result: { revision: Number(outcome.facts?.['revision'] ?? 0) } }
    : outcome;
};

const firingOf = ({ payload }: JobInHand) => {
  const { scriptName, cron, scheduledTime } = payload;
  return typeof scriptName === 'string' && typeof cron === 'string' && typeof scheduledTime === 'number'
    ? { scriptName, cron, scheduledTime }
    : undefined;
};
