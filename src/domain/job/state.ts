import type { AttemptOutcome, JobData, JobEvent, JobFacts, JobMode } from './events.ts';

export type JobStatus = 'pending' | 'running' | 'succeeded' | 'failed' | 'cancelled' | 'dead';

export type LiveJob = JobFacts & {
  readonly status: JobStatus;
  /** Counts every lease and never starts again: the fencing token for what is done outside. */
  readonly attempt: number;
  /** Attempts that failed since the job was enqueued or redriven: they spend the budget. */
  readonly failures: number;
  /** Attempts in a row that nobody reported. */
  readonly losses: number;
  /** Attempts in a row after which nobody knows what happened outside. Above 0 the job is uncertain. */
  readonly doubts: number;
  readonly cancelRequested: boolean;
  readonly leaseId: string;
  readonly holder: string;
  readonly leasedAt: number;
  readonly leasedUntil: number;
  readonly nextAttemptAt: number;
  readonly percent: number;
  readonly note: string;
  readonly redrives: number;
  /** Results of the steps that have happened, by name. They outlive attempts and redrives. */
  readonly steps: ReadonlyMap<string, JobData>;
};

export type Job = { readonly status: 'absent' } | LiveJob;

export const initial: Job = { status: 'absent' };

export const isSettled = ({ status }: LiveJob): boolean => status !== 'pending' && status !== 'running';

export const modeOf = ({ doubts }: Pick<LiveJob, 'doubts'>): JobMode => (doubts > 0 ? 'probe' : 'perform');

const idle = {
  ...{ attempt: 0, failures: 0, losses: 0, doubts: 0, cancelRequested: false, leaseId: '', holder: '' },
  ...{ leasedAt: 0, leasedUntil: 0, percent: 0, note: '', redrives: 0, steps: new Map<string, JobData>() },
} as const;

export const evolve = (state: Job, event: JobEvent): Job => {
  if (event.type === 'JobEnqueued') {
    return state.status === 'absent'
      ? { ...event.data, ...idle, status: 'pending', nextAttemptAt: event.data.runAt }
      : state;
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'JobLeased': {
      const { leaseId, holder, attempt, leasedAt, leasedUntil } = event.data;
      return { ...state, status: 'running', leaseId, holder, attempt, leasedAt, leasedUntil };
    }
    case 'JobLeaseRenewed':
      return { ...state, leasedUntil: event.data.leasedUntil };
    case 'JobProgressRecorded':
      return { ...state, percent: event.data.percent, note: event.data.note };
    case 'JobStepRecorded':
      return { ...state, steps: new Map([...state.steps, [event.data.step, event.data.result]]) };
    case 'JobAttemptRecorded':
      return { ...state, ...afterAttempt(state, event.data.outcome) };
    case 'JobRetryScheduled':
    case 'JobBecameUncertain':
      return { ...state, status: 'pending', nextAttemptAt: event.data.nextAttemptAt };
    case 'JobSucceeded':
      return { ...state, status: 'succeeded', percent: 100, losses: 0, doubts: 0 };
    case 'JobFailed':
      return { ...state, status: 'failed' };
    case 'JobDied':
      return { ...state, status: 'dead', leaseId: event.data.leaseId };
    case 'JobCancelRequested':
      return { ...state, cancelRequested: true };
    case 'JobCancelled':
      return { ...state, status: 'cancelled' };
    case 'JobRedriven': {
      const { redrives, runAt } = event.data;
      const anew = { failures: 0, losses: 0, cancelRequested: false, percent: 0, note: '' };
      return { ...state, ...anew, status: 'pending', nextAttemptAt: runAt, redrives };
    }
    default:
      event satisfies never;
      return state;
  }
};

const afterAttempt = (job: LiveJob, outcome: AttemptOutcome): Pick<LiveJob, 'failures' | 'losses' | 'doubts'> => {
  const { failures, losses, doubts } = job;
  switch (outcome) {
    case 'lost':
      return { failures, losses: losses + 1, doubts: doubts + 1 };
    case 'uncertain':
      return { failures, losses: 0, doubts: doubts + 1 };
    case 'retry':
      return { failures: failures + 1, losses: 0, doubts: 0 };
    case 'done':
    case 'refused':
    case 'cancelled':
      return { failures, losses: 0, doubts: 0 };
    default:
      outcome satisfies never;
      return { failures, losses, doubts };
  }
};
