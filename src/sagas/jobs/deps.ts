import type { Aggregate } from '../../commands/send.ts';
import type { Job, JobCommand, JobEvent, JobRejection } from '../../domain/job/index.ts';
import type { Clock, Random } from '../../platform/clock/port.ts';
import type { Alarms } from '../alarms.ts';
import type { WorkContext } from '../envelope.ts';
import type { JobKinds, JobOutcome } from './effect.ts';

export type JobDeps = {
  readonly jobs: Aggregate<JobCommand, JobEvent, Job, JobRejection>;
  readonly kinds: JobKinds;
  readonly clock: Clock;
  /** Shared by all jobs of a process; made from the clock when not given. */
  readonly alarms?: Alarms;
  readonly random: Random;
  /** `<node>/<incarnation>` */
  readonly holder: string;
  readonly leaseMs: number;
  /** Told of every attempt that was reported. */
  readonly observe?: (attempt: AttemptSeen) => void;
};

export type AttemptSeen = {
  readonly kind: string;
  readonly outcome: JobOutcome['outcome'];
  readonly durationMs: number;
};

/** A job that the runner found due. */
export type DueJob = {
  readonly jobId: string;
  readonly context: WorkContext;
  /** It is held by an earlier, dead incarnation of this very node. */
  readonly takeover: boolean;
};
