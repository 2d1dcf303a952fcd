import type { Aggregates } from '../commands/aggregates.ts';
import { enqueueJob } from '../commands/job.ts';
import type { Clock } from '../platform/clock/port.ts';
import type { Log } from '../platform/log/port.ts';
import type { Schedule, ScheduleRules } from '../platform/schedule/port.ts';
import { systemEnvelope } from './envelope.ts';
import { runScheduleKind } from './runSchedule.ts';

export type Scheduled = {
  readonly workerId: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly scriptName: string;
  readonly revision: number;
  readonly schedules: readonly Schedule[];
};

export type SchedulerDeps = {
  readonly aggregates: Pick<Aggregates, 'job'>;
  readonly rules: ScheduleRules;
  /** Workers of this machine that are on the air and have schedules. */
  readonly scheduled: () => Promise<readonly Scheduled[]>;
  readonly clock: Clock;
  readonly log: Log;
};

/** What was missed while nobody looked is caught up when it is no older than this; anything older is passed over. */
export const catchUpMs = 60_000;
const minuteMs = 60_000;

/**
 * Turns every instant of a schedule into a job. The instant is in the job's key, so that of several nodes, or of one that
 * starts again, only one makes it; the queue does the rest.
 */
export const startScheduler = (deps: SchedulerDeps): { stop(): Promise<void> } => {
  const { clock, log } = deps;
  const stopping = new AbortController();
  const { signal } = stopping;
  const looking = (async () => {
    let after = clock.now() - catchUpMs;
    while (!signal.aborted) {
      const until = clock.now();
      try {
        await enqueueBetween(deps, after, until);
        after = until;
      } catch (error) {
        // Looked at again from where it was, but not from longer ago than what may still be caught up.
        log.warn({ err: error }, 'scheduler: could not look; again in a moment');
        after = Math.max(after, until - catchUpMs);
        await clock.sleep(1_000, signal);
        continue;
      }
      await clock.sleep(minuteMs - (clock.now() % minuteMs), signal);
    }
  })();
  return {
    stop: async () => {
      stopping.abort();
      await looking;
    },
  };
};

/** Of each schedule only the newest instant of the time looked at: a pause of this program does not pile them up. */
const enqueueBetween = async (deps: SchedulerDeps, after: number, until: number): Promise<void> => {
  for (const worker of await deps.scheduled()) {
    for (const schedule of worker.schedules) {
      const due = deps.rules.next(schedule, after, 10).filter((instant) => instant <= until);
      const newest = due.at(-1);
      if (newest === undefined) continue;
      if (due.length > 1) deps.log.warn({ workerId: worker.workerId, passedOver: due.length - 1 }, 'scheduler: late');
      await enqueue(deps, worker, schedule, newest);
    }
  }
};

const enqueue = async (
  { aggregates }: SchedulerDeps,
  { workerId, companyId, departmentId, scriptName }: Scheduled,
  { cron, timeZone }: Schedule,
  scheduledTime: number,
): Promise<void> => {
  const dedupeKey = `${workerId} ${cron} ${timeZone} ${scheduledTime}`;
  const context = { workspaceId: companyId, departmentId, requestId: '', correlationId: '', causationId: '' };
  const payload = { scriptName, cron, timeZone, scheduledTime };
  const job = { kind: runScheduleKind, workspaceId: companyId, departmentId, subjectId: workerId, dedupeKey, payload };
  const sent = await enqueueJob({ aggregates }, job, systemEnvelope('scheduler', context, dedupeKey));
  if (!sent.ok) throw new Error(`A firing could not be put into the queue: ${sent.rejection.rejected}`);
};
