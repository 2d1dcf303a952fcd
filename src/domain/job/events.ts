import type { Message } from '../kernel.ts';

/** Names to primitives. References only: what is a secret stays where it is kept and is fetched at the moment of use. */
export type JobData = Readonly<Record<string, string | number | boolean>>;

/** The same as it can be read back from anywhere; what is no primitive is left out. */
export const toJobData = (value: unknown): JobData => {
  const primitive = (each: unknown): each is string | number | boolean =>
    typeof each === 'string' || typeof each === 'number' || typeof each === 'boolean';
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : [];
  return Object.fromEntries(entries.flatMap(([name, each]) => (primitive(each) ? [[name, each]] : [])));
};

/** `probe`: it is not known whether an earlier attempt took effect, so look before anything is done again. */
export type JobMode = 'perform' | 'probe';
/** `lost`: whoever held the lease never reported; its process died or was cut off. */
export type AttemptOutcome = 'done' | 'refused' | 'retry' | 'uncertain' | 'cancelled' | 'lost';

/** What is to be done, for whom, and when. Times are milliseconds since the epoch. */
export type JobFacts = {
  readonly kind: string;
  readonly workspaceId: string;
  /** '' when it belongs to the whole workspace. */
  readonly departmentId: string;
  /** What it is about, for example a domain. */
  readonly subjectId: string;
  readonly payload: JobData;
  /** 0 is the most urgent, 9 the least. */
  readonly priority: number;
  readonly runAt: number;
  /** So many attempts may fail before it is given up. */
  readonly maxAttempts: number;
  /** The intent within workspace and kind: the same key is the same job. */
  readonly dedupeKey: string;
};

export type AttemptTiming = { readonly attempt: number; readonly startedAt: number; readonly durationMs: number };

/** One stream per job. */
export type JobEvent =
  | Message<'JobEnqueued', JobFacts>
  | Message<
      'JobLeased',
      { leaseId: string; holder: string; attempt: number; mode: JobMode; leasedAt: number; leasedUntil: number }
    >
  | Message<'JobLeaseRenewed', { leaseId: string; leasedUntil: number }>
  | Message<'JobProgressRecorded', { leaseId: string; percent: number; note: string }>
  /** A step of it has happened, with this result: it is not done again, in no later attempt. */
  | Message<'JobStepRecorded', { leaseId: string; attempt: number; step: string; result: JobData }>
  | Message<
      'JobAttemptRecorded',
      { attempt: number; outcome: AttemptOutcome; detail: string; startedAt: number; durationMs: number }
    >
  | Message<'JobRetryScheduled', { reason: string; nextAttemptAt: number }>
  | Message<'JobBecameUncertain', { reason: string; nextAttemptAt: number }>
  /** Without `attempted` in facts of earlier versions, where the attempt was a fact of its own before this one. */
  | Message<'JobSucceeded', { detail: string; result: JobData; attempted?: AttemptTiming }>
  /** The world outside said no. */
  | Message<'JobFailed', { reasonCode: string; reason: string }>
  /** Given up after its last attempt; an administrator may redrive it. */
  | Message<'JobDied', { leaseId: string; reasonCode: string; reason: string }>
  | Message<'JobCancelRequested', object>
  | Message<'JobCancelled', { detail: string }>
  | Message<'JobRedriven', { redrives: number; runAt: number }>;
