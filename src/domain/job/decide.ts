import { type Decision, reject } from '../kernel.ts';
import { isEarlierRun } from '../leaseHolder.ts';
import type { EnqueueJob, JobCommand, JobRejection, LeaseJob, RenewJobLease } from './commands.ts';
import type { JobEvent } from './events.ts';
import { maxLeaseMs, whyMalformed } from './limits.ts';
import { decideReport, leaseLost } from './report.ts';
import { isSettled, type Job, type LiveJob, modeOf } from './state.ts';

type Outcome = Decision<JobEvent, JobRejection>;

/** Rules of one job: who may act on it, and when. What a report means is in report.ts. */
export const decide = (command: JobCommand, job: Job): Outcome => {
  if (command.type === 'EnqueueJob') return enqueue(command.data, job);
  if (job.status === 'absent') return reject('JobNotFound', 'There is no such job.');
  switch (command.type) {
    case 'LeaseJob':
      return lease(command.data, job);
    case 'RenewJobLease':
      return renew(command.data, job);
    case 'RecordJobProgress':
    case 'RecordJobStep':
    case 'ReportJob':
    case 'ConfirmJobCancel':
      return decideReport(command, job);
    case 'RequestJobCancel':
      return requestCancel(job);
    case 'RedriveJob':
      return redrive(command.data.now, job);
  }
};

/** The first one counts: what comes again under the same id, perhaps with fresher details, is the same job. */
const enqueue = (data: EnqueueJob['data'], job: Job): Outcome => {
  if (job.status === 'absent') return whyMalformed(data) ?? [{ type: 'JobEnqueued', data }];
  const same = job.kind === data.kind && job.workspaceId === data.workspaceId && job.dedupeKey === data.dedupeKey;
  return same ? [] : reject('JobExists', 'Another job has this id.');
};

const tooLong = () =>
  reject('LeaseTooLong', `A lease is for ${maxLeaseMs / 60_000} minutes at most. Renew it while the work goes on.`, {
    details: { limitMs: maxLeaseMs },
  });

const lease = (data: LeaseJob['data'], job: LiveJob): Outcome => {
  const { leaseId, holder, now, leasedUntil, takeover } = data;
  if (job.leaseId === leaseId) return job.status === 'running' || job.status === 'dead' ? [] : leaseLost();
  if (isSettled(job)) return reject('JobSettled', 'This job has settled.');
  if (leasedUntil - now > maxLeaseMs) return tooLong();
  const reclaims = takeover && isEarlierRun(job.holder, holder);
  if (job.status === 'running' && now < job.leasedUntil && !reclaims) {
    return reject('LeaseHeld', 'Another runner works on this job.', { details: { leasedUntil: job.leasedUntil } });
  }
  if (job.status === 'pending' && now < job.nextAttemptAt) {
    return reject('JobNotDue', 'The next attempt is not due yet.', { details: { nextAttemptAt: job.nextAttemptAt } });
  }
  const attempt = job.attempt + 1;
  const granted = (doubts: number): JobEvent => ({
    type: 'JobLeased',
    data: { leaseId, holder, attempt, mode: modeOf({ doubts }), leasedAt: now, leasedUntil },
  });
  if (job.status === 'pending') return [granted(job.doubts)];
  const lost = lossOf(job, now);
  return job.losses + 1 < job.maxAttempts ? [lost, granted(job.doubts + 1)] : [lost, diedOfLosses(job, leaseId)];
};

const lossOf = ({ attempt, holder, leasedAt }: LiveJob, now: number): JobEvent => {
  const detail = `${holder} did not report.`;
  const durationMs = Math.max(0, now - leasedAt);
  return { type: 'JobAttemptRecorded', data: { attempt, outcome: 'lost', detail, startedAt: leasedAt, durationMs } };
};

/** A job that takes down every process that tries it must not go on for ever. */
const diedOfLosses = ({ maxAttempts }: LiveJob, leaseId: string): JobEvent => {
  const reason = `${maxAttempts} attempts in a row ended without a report: the process that worked on it was gone.`;
  return { type: 'JobDied', data: { leaseId, reasonCode: 'attempts_lost', reason } };
};

const renew = ({ leaseId, now, leasedUntil }: RenewJobLease['data'], job: LiveJob): Outcome => {
  if (job.status !== 'running' || job.leaseId !== leaseId) return leaseLost();
  if (leasedUntil - now > maxLeaseMs) return tooLong();
  return leasedUntil <= job.leasedUntil ? [] : [{ type: 'JobLeaseRenewed', data: { leaseId, leasedUntil } }];
};

/** What waits, and is known not to have happened, ends at once. Anything else ends when somebody has looked. */
const requestCancel = (job: LiveJob): Outcome => {
  if (job.status === 'cancelled' || (job.cancelRequested && !isSettled(job))) return [];
  if (isSettled(job)) return reject('JobSettled', 'This job has settled: there is nothing left to cancel.');
  const requested: JobEvent = { type: 'JobCancelRequested', data: {} };
  if (job.status === 'running' || job.doubts > 0) return [requested];
  return [requested, { type: 'JobCancelled', data: { detail: 'Cancelled before it was begun.' } }];
};

const redrive = (now: number, job: LiveJob): Outcome => {
  const waiting = job.status === 'pending' && job.redrives > 0 && job.failures === 0;
  if (waiting) return [];
  if (job.status !== 'dead') return reject('JobNotDead', 'Only a job that was given up can be redriven.');
  return [{ type: 'JobRedriven', data: { redrives: job.redrives + 1, runAt: now } }];
};
