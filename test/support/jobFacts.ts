import type { AttemptOutcome, JobCommand, JobEvent, JobFacts, JobMode, JobReport } from '../../src/domain/job/index.ts';

/** Examples of the facts and commands of a job, small and the same every time. */
export const jobFacts: JobFacts = {
  ...{ kind: 'domain.verify', workspaceId: 'company-1', departmentId: '', subjectId: 'domain-1' },
  ...{ payload: { zoneId: 'zone-1', records: 2 }, priority: 5, runAt: 1_000, maxAttempts: 3, dedupeKey: 'verify-1' },
};

export const enqueue = (changes: Partial<JobFacts> = {}): JobCommand => ({
  type: 'EnqueueJob',
  data: { ...jobFacts, ...changes },
});
export const enqueued = (changes: Partial<JobFacts> = {}): JobEvent => ({
  type: 'JobEnqueued',
  data: { ...jobFacts, ...changes },
});

type LeaseArgs = {
  readonly leaseId?: string;
  readonly now?: number;
  readonly ms?: number;
  readonly takeover?: boolean;
};
export const lease = ({ leaseId = 'l1', now = 1_000, ms = 10_000, takeover = false }: LeaseArgs = {}): JobCommand => ({
  type: 'LeaseJob',
  data: { leaseId, holder: `node/${leaseId}`, now, leasedUntil: now + ms, takeover },
});
export const leased = (leaseId = 'l1', attempt = 1, mode: JobMode = 'perform', now = 1_000): JobEvent => ({
  type: 'JobLeased',
  data: { leaseId, holder: `node/${leaseId}`, attempt, mode, leasedAt: now, leasedUntil: now + 10_000 },
});

export const outcomes = {
  done: { outcome: 'done', detail: 'it is there', result: { records: 2 } },
  refused: { outcome: 'refused', code: 'zone_missing', detail: 'no such zone' },
  retry: { outcome: 'retry', detail: 'rate limited', nextAttemptAt: 5_000 },
  uncertain: { outcome: 'uncertain', detail: 'the answer was lost', nextAttemptAt: 5_000 },
} as const satisfies Record<string, JobReport>;

const timing = { startedAt: 1_000, durationMs: 20 };
export const report = (outcome: JobReport['outcome'], leaseId = 'l1'): JobCommand => ({
  type: 'ReportJob',
  data: { ...timing, leaseId, outcome: outcomes[outcome] },
});
export const confirmCancel = (leaseId = 'l1'): JobCommand => ({
  type: 'ConfirmJobCancel',
  data: { ...timing, leaseId, detail: 'taken back' },
});
export const attempted = (attempt: number, outcome: AttemptOutcome, detail: string): JobEvent => ({
  type: 'JobAttemptRecorded',
  data: { attempt, outcome, detail, ...timing },
});
export const lost = (attempt: number, holder: string, startedAt: number, durationMs: number): JobEvent => ({
  type: 'JobAttemptRecorded',
  data: { attempt, outcome: 'lost', detail: `${holder} did not report.`, startedAt, durationMs },
});

const { retry, uncertain, done, refused } = outcomes;
const later = { nextAttemptAt: 5_000 };
/** What each report leads to while the job has attempts left. */
export const retried = (attempt: number): readonly JobEvent[] => [
  attempted(attempt, 'retry', retry.detail),
  { type: 'JobRetryScheduled', data: { reason: retry.detail, ...later } },
];
export const doubted = (attempt: number): readonly JobEvent[] => [
  attempted(attempt, 'uncertain', uncertain.detail),
  { type: 'JobBecameUncertain', data: { reason: uncertain.detail, ...later } },
];
export const succeeded = (attempt: number): readonly JobEvent[] => [
  { type: 'JobSucceeded', data: { detail: done.detail, result: done.result, attempted: { attempt, ...timing } } },
];
/** As an earlier version told it. */
export const succeededOnce = (attempt: number): readonly JobEvent[] => [
  attempted(attempt, 'done', done.detail),
  { type: 'JobSucceeded', data: { detail: done.detail, result: done.result } },
];
export const failed = (attempt: number): readonly JobEvent[] => [
  attempted(attempt, 'refused', refused.detail),
  { type: 'JobFailed', data: { reasonCode: refused.code, reason: refused.detail } },
];
export const exhausted = (attempt: number, leaseId = 'l1', maxAttempts = 3): readonly JobEvent[] => [
  attempted(attempt, 'retry', retry.detail),
  {
    type: 'JobDied',
    data: {
      ...{ leaseId, reasonCode: 'attempts_exhausted' },
      reason: `It did not succeed in ${maxAttempts} attempts: ${retry.detail}`,
    },
  },
];
export const cancelRequested: JobEvent = { type: 'JobCancelRequested', data: {} };
export const cancelled = (detail: string): JobEvent => ({ type: 'JobCancelled', data: { detail } });
export const redriven = (redrives: number, runAt: number): JobEvent => ({
  type: 'JobRedriven',
  data: { redrives, runAt },
});
