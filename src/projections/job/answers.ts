import type { JobData } from '../../domain/job/index.ts';

/** What the queries about jobs answer. Times are milliseconds since the epoch; what is "not there" is null. */

export type JobStatusAnswer = 'PENDING' | 'RUNNING' | 'SUCCEEDED' | 'FAILED' | 'CANCELLED' | 'DEAD';

export type JobAnswer = {
  readonly jobId: string;
  readonly workspaceId: string;
  /** Null: it is about the whole workspace. */
  readonly departmentId: string | null;
  readonly kind: string;
  readonly subjectId: string;
  readonly payload: JobData;
  readonly status: JobStatusAnswer;
  /** Nobody knows whether it happened; the next attempt looks. */
  readonly uncertain: boolean;
  readonly cancelRequested: boolean;
  readonly priority: number;
  /** Begun since it was enqueued or redriven. */
  readonly attempts: number;
  /** Of them, those that spent the budget. */
  readonly failures: number;
  readonly maxAttempts: number;
  readonly redrives: number;
  /** When somebody looks next; the end of the lease while it runs; null when settled. */
  readonly runAt: number | null;
  /** Steps that have happened, for the kinds that have steps. */
  readonly steps: number;
  /** Percent. */
  readonly progress: number;
  readonly note: string | null;
  readonly leaseHolder: string | null;
  readonly reasonCode: string | null;
  readonly lastError: string | null;
  readonly detail: string | null;
  readonly result: JobData | null;
  readonly requestId: string | null;
  readonly correlationId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  /** Of the newest attempt. */
  readonly startedAt: number | null;
  readonly completedAt: number | null;
};

export type JobFilter = {
  readonly status?: JobStatusAnswer | undefined;
  /** Or any of them. */
  readonly kind?: string | readonly string[] | undefined;
  readonly subjectId?: string | undefined;
};

/** A job that the runner should look at. */
export type DueJobAnswer = {
  readonly jobId: string;
  readonly kind: string;
  readonly subjectId: string;
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly leaseHolder: string | null;
  readonly requestId: string | null;
  readonly correlationId: string;
  /** Id of the event that enqueued it. */
  readonly causationId: string;
};

/** Of the jobs that somebody may have to do something about: settled ones but the dead are not counted. */
export type JobCount = {
  readonly kind: string;
  readonly status: 'PENDING' | 'RUNNING' | 'DEAD';
  readonly count: number;
};
