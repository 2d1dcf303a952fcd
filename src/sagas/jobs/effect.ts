import type { JobData, JobMode } from '../../domain/job/index.ts';
import type { Backoff } from '../deployment.ts';
import type { WorkContext } from '../envelope.ts';

/** A job under a lease, as its effect sees it. */
export type JobInHand = {
  readonly jobId: string;
  readonly kind: string;
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly subjectId: string;
  readonly payload: JobData;
  /** Rises with every lease and never starts again: the fencing token. */
  readonly attempt: number;
  /**
   * `probe` after an attempt of which nobody knows what came of it: look, and answer `done` when it has happened, `retry`
   * when nothing of it is there (it is then performed at once), `uncertain` when that cannot be told.
   */
  readonly mode: JobMode;
  readonly context: WorkContext;
  /**
   * Does one step of the work, at most once as far as can be known: its result is in the log before the next step begins,
   * and a step that is recorded is not done again by any later attempt; its result is answered instead. Steps come one
   * after the other, each under a name of its own. `look` is asked when a step may have happened in an attempt that broke
   * off: it answers the result, or undefined when nothing of it is there; without it such a step is done again. Throws
   * when the lease is lost, and what `perform` throws.
   */
  step(name: string, perform: () => Promise<JobData>, look?: () => Promise<JobData | undefined>): Promise<JobData>;
  /** Shows how far it is, 0 to 100; what comes faster than once a second is summed up. Never throws. */
  progress(percent: number, note: string): Promise<void>;
  cancelRequested(): boolean;
  /** Aborts when somebody asks to cancel. To obey is to undo or leave out what is left, and to answer `cancelled`. */
  readonly cancelSignal: AbortSignal;
};

/** Texts are for people: short, without secrets. */
export type JobOutcome =
  | { readonly outcome: 'done'; readonly detail: string; readonly result?: JobData }
  /** The world outside said no, and will say it again. */
  | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
  /** Nothing came of it. `afterMs`: not before this time has passed. */
  | { readonly outcome: 'retry'; readonly detail: string; readonly afterMs?: number }
  /** It may or may not have happened. */
  | { readonly outcome: 'uncertain'; readonly detail: string }
  /** Nothing of it is in effect any more, as was asked. */
  | { readonly outcome: 'cancelled'; readonly detail: string };

/**
 * Does the work of one kind of job. When `signal` aborts (lease lost, time over, node stopping) it must change nothing
 * more outside and answer soon. An effect that throws leaves an uncertain attempt.
 */
export type JobEffect = (job: JobInHand, signal: AbortSignal) => Promise<JobOutcome>;

export type JobKind = {
  readonly effect: JobEffect;
  /** An attempt that takes longer is told to stop, and is uncertain when it does not answer. */
  readonly timeoutMs: number;
  /** Pauses between attempts; from 1 s to 5 minutes when not given. `delaysMs`: one by one, the last for all that follow. */
  readonly backoff?: Backoff | { readonly delaysMs: readonly number[] };
};

/** What this process can do, by kind of job. Jobs of other kinds are left to whoever knows them. */
export type JobKinds = Readonly<Record<string, JobKind>>;
