import type { Decider } from '../kernel.ts';
import type { JobCommand, JobRejection, JobReport, JobStep } from './commands.ts';
import { decide } from './decide.ts';
import { type AttemptOutcome, type JobData, type JobEvent, type JobFacts, type JobMode, toJobData } from './events.ts';
import { evolve, initial, isSettled, type Job, type JobStatus, type LiveJob } from './state.ts';

export const job: Decider<JobCommand, JobEvent, Job, JobRejection> = {
  category: 'job',
  events: {
    JobEnqueued: true,
    JobLeased: true,
    JobLeaseRenewed: true,
    JobProgressRecorded: true,
    JobStepRecorded: true,
    JobAttemptRecorded: true,
    JobRetryScheduled: true,
    JobBecameUncertain: true,
    JobSucceeded: true,
    JobFailed: true,
    JobDied: true,
    JobCancelRequested: true,
    JobCancelled: true,
    JobRedriven: true,
  },
  initial,
  decide,
  evolve,
};
export { maxLeaseMs } from './limits.ts';
export type {
  AttemptOutcome,
  Job,
  JobCommand,
  JobData,
  JobEvent,
  JobFacts,
  JobMode,
  JobRejection,
  JobReport,
  JobStatus,
  JobStep,
  LiveJob,
};
export { isSettled, toJobData };
