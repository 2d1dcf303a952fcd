import type { Message } from '../kernel.ts';
import type { JobData, JobFacts } from './events.ts';

export type JobStep = { readonly step: string; readonly result: JobData };

/** What an attempt came to, as its runner reports it. */
export type JobReport =
  | { readonly outcome: 'done'; readonly detail: string; readonly result: JobData }
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
  /** Nothing came of it: it may be done again. */
  | { readonly outcome: 'retry'; readonly detail: string; readonly nextAttemptAt: number }
  /** It may or may not have happened. */
  | { readonly outcome: 'uncertain'; readonly detail: string; readonly nextAttemptAt: number };

type Timing = { startedAt: number; durationMs: number };

export type EnqueueJob = Message<'EnqueueJob', JobFacts>;
/** `takeover`: an earlier run of the same node held it; that run is dead, so the lease need not run out first. */
export type LeaseJob = Message<
  'LeaseJob',
  { leaseId: string; holder: string; now: number; leasedUntil: number; takeover: boolean }
>;
export type RenewJobLease = Message<'RenewJobLease', { leaseId: string; now: number; leasedUntil: number }>;
/** `percent` is a whole number from 0 to 100. */
export type RecordJobProgress = Message<'RecordJobProgress', { leaseId: string; percent: number; note: string }>;
export type RecordJobStep = Message<'RecordJobStep', { leaseId: string; step: string; result: JobData }>;
/** `step`: the last one of the attempt, recorded together with what the attempt came to. */
export type ReportJob = Message<
  'ReportJob',
  { leaseId: string; outcome: JobReport; step?: JobStep | undefined } & Timing
>;
export type RequestJobCancel = Message<'RequestJobCancel', object>;
export type ConfirmJobCancel = Message<'ConfirmJobCancel', { leaseId: string; detail: string } & Timing>;
export type RedriveJob = Message<'RedriveJob', { now: number }>;

export type JobCommand =
  | EnqueueJob
  | LeaseJob
  | RenewJobLease
  | RecordJobProgress
  | RecordJobStep
  | ReportJob
  | RequestJobCancel
  | ConfirmJobCancel
  | RedriveJob;

export type JobRejection =
  | 'JobNotFound'
  | 'JobExists'
  | 'JobMalformed'
  | 'JobSettled'
  | 'JobNotDue'
  | 'JobNotDead'
  | 'JobCancelNotRequested'
  | 'LeaseHeld'
  | 'LeaseLost'
  | 'LeaseTooLong';
