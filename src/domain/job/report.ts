import { type Decision, isRejection, type Rejection, reject } from '../kernel.ts';
import type {
  ConfirmJobCancel,
  JobRejection,
  JobReport,
  RecordJobProgress,
  RecordJobStep,
  ReportJob,
} from './commands.ts';
import type { AttemptOutcome, JobEvent } from './events.ts';
import { whyStepMalformed } from './limits.ts';
import type { LiveJob } from './state.ts';

type Outcome = Decision<JobEvent, JobRejection>;

export const leaseLost = (): Rejection<'LeaseLost'> =>
  reject('LeaseLost', 'Another runner holds this job now, or it has settled. Stop, and change nothing outside.');

/** What the holder of the lease says. A report that comes twice adds nothing; one of somebody else changes nothing. */
export const decideReport = (
  command: RecordJobProgress | RecordJobStep | ReportJob | ConfirmJobCancel,
  job: LiveJob,
): Outcome => {
  if (job.leaseId !== command.data.leaseId) return leaseLost();
  switch (command.type) {
    case 'RecordJobProgress':
      return progress(command.data, job);
    case 'RecordJobStep':
      return step(command.data, job);
    case 'ReportJob':
      return job.status === 'running' ? report(command.data, job) : [];
    case 'ConfirmJobCancel':
      return job.status === 'running' ? confirmCancel(command.data, job) : [];
  }
};

const progress = ({ leaseId, percent, note }: RecordJobProgress['data'], job: LiveJob): Outcome => {
  if (job.status !== 'running') return leaseLost();
  if (!Number.isInteger(percent) || percent < 0 || percent > 100) {
    return reject('JobMalformed', 'Progress is a whole number from 0 to 100.', { field: 'percent' });
  }
  if (percent === job.percent && note === job.note) return [];
  return [{ type: 'JobProgressRecorded', data: { leaseId, percent, note } }];
};

/** The first result counts: whoever records a step again has lost the answer to its first record. */
const step = ({ leaseId, step, result }: RecordJobStep['data'], job: LiveJob): Outcome => {
  if (job.status !== 'running') return leaseLost();
  if (job.steps.has(step)) return [];
  const { attempt } = job;
  return whyStepMalformed(step, result, job) ?? [{ type: 'JobStepRecorded', data: { leaseId, attempt, step, result } }];
};

const report = (data: ReportJob['data'], job: LiveJob): Outcome => {
  const recorded = data.step ? step({ ...data.step, leaseId: data.leaseId }, job) : [];
  if (isRejection(recorded)) return recorded;
  const { outcome, startedAt, durationMs } = data;
  if (outcome.outcome === 'done') {
    const { detail, result } = outcome;
    // The most frequent end of all is one fact, not two.
    const attempted = { attempt: job.attempt, startedAt, durationMs };
    return [...recorded, { type: 'JobSucceeded', data: { detail, result, attempted } }];
  }
  return [...recorded, attempted(data, job, outcome.outcome, outcome.detail), consequence(outcome, job)];
};

const attempted = (
  { startedAt, durationMs }: { readonly startedAt: number; readonly durationMs: number },
  { attempt }: LiveJob,
  outcome: AttemptOutcome,
  detail: string,
): JobEvent => ({ type: 'JobAttemptRecorded', data: { attempt, outcome, detail, startedAt, durationMs } });

const consequence = (outcome: Exclude<JobReport, { outcome: 'done' }>, job: LiveJob): JobEvent => {
  switch (outcome.outcome) {
    case 'refused':
      return { type: 'JobFailed', data: { reasonCode: outcome.code, reason: outcome.detail } };
    case 'retry':
      return again(outcome, job);
    case 'uncertain':
      // Without a budget: what may have happened outside is never given up, only looked at less often.
      return { type: 'JobBecameUncertain', data: { reason: outcome.detail, nextAttemptAt: outcome.nextAttemptAt } };
  }
};

const again = (outcome: Extract<JobReport, { outcome: 'retry' }>, job: LiveJob): JobEvent => {
  const { detail, nextAttemptAt } = outcome;
  if (job.cancelRequested) return { type: 'JobCancelled', data: { detail } };
  if (job.failures + 1 < job.maxAttempts) return { type: 'JobRetryScheduled', data: { reason: detail, nextAttemptAt } };
  const reason = `It did not succeed in ${job.maxAttempts} attempts: ${detail}`;
  return { type: 'JobDied', data: { leaseId: job.leaseId, reasonCode: 'attempts_exhausted', reason } };
};

const confirmCancel = (data: ConfirmJobCancel['data'], job: LiveJob): Outcome => {
  if (!job.cancelRequested) return reject('JobCancelNotRequested', 'Nobody asked to cancel this job.');
  const { detail } = data;
  return [attempted(data, job, 'cancelled', detail), { type: 'JobCancelled', data: { detail } }];
};
