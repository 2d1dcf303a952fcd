import type { JobCommand, JobStep, LiveJob } from '../../domain/job/index.ts';
import { type Alarms, createAlarms } from '../alarms.ts';
import { systemEnvelope } from '../envelope.ts';
import { type Hand, inHand } from '../hand.ts';
import { act } from './act.ts';
import { type Attendance, createAttendance } from './attendance.ts';
import { type Bell, signalOf } from './bell.ts';
import type { DueJob, JobDeps } from './deps.ts';
import type { JobKind } from './effect.ts';
import { type Report, reportOf } from './report.ts';

export type Became = LiveJob['status'] | 'not leased' | 'lease lost';

/** Leases one job, does its work as its kind says, and reports what came of it. Answers what became of the job. */
export const carryOutJob = async (
  deps: JobDeps,
  due: DueJob,
  stop: AbortSignal,
  hand: Hand = inHand,
): Promise<Became> => {
  // A kind never changes, so any state that was ever seen will do.
  const { state } = await deps.jobs.load(due.jobId, { maxAgeMs: Number.POSITIVE_INFINITY });
  const kind = state.status !== 'absent' && Object.hasOwn(deps.kinds, state.kind) ? deps.kinds[state.kind] : undefined;
  if (!kind || stop.aborted) return 'not leased';
  const leaseId = deps.random.uuid();
  const now = deps.clock.now();
  const leased = await deps.jobs.send(
    due.jobId,
    {
      type: 'LeaseJob',
      data: { leaseId, holder: deps.holder, now, leasedUntil: now + deps.leaseMs, takeover: due.takeover },
    },
    systemEnvelope('runner', due.context, 'lease', leaseId),
  );
  if (!leased.ok || leased.state.status === 'absent') return 'not leased';
  const alarms = deps.alarms ?? createAlarms(deps.clock);
  return leased.state.status === 'running'
    ? work({ ...deps, alarms }, due, kind, leaseId, leased.state, stop, hand)
    : leased.state.status;
};

const work = async (
  deps: JobDeps & { readonly alarms: Alarms },
  due: DueJob,
  kind: JobKind,
  leaseId: string,
  job: LiveJob,
  stop: AbortSignal,
  hand: Hand,
): Promise<Became> => {
  const { clock } = deps;
  const attendance = createAttendance(deps, due, leaseId, job);
  try {
    const taken = await hand.take();
    if (attendance.lost.rung()) return 'lease lost';
    const whyNot = reasonNotToBegin(taken, job, attendance);
    if (whyNot) return giveBack(deps, due, leaseId, whyNot, { lost: attendance.lost, stop });
    const startedAt = clock.now();
    const outcome = await act({ ...deps, due, kind, job, attendance, stop });
    const step = await attendance.steps.end();
    hand.free();
    if (attendance.lost.rung()) return 'lease lost';
    const durationMs = clock.now() - startedAt;
    const cancelRequested = attendance.cancel.rung();
    const pause = { now: clock.now(), fraction: deps.random.fraction(), stopped: stop.aborted };
    const report = reportOf(outcome, job, kind, cancelRequested, pause);
    const became = await tell(
      deps,
      due,
      { report, step, leaseId, startedAt, durationMs },
      { lost: attendance.lost, stop },
    );
    if (became !== 'lease lost') deps.observe?.({ kind: job.kind, outcome: outcome.outcome, durationMs });
    return became;
  } finally {
    await attendance.end();
  }
};

type Until = { readonly lost: Bell; readonly stop: AbortSignal };
type NotBegun = { readonly outcome: 'cancelled' | 'uncertain'; readonly detail: string };

/** Time has passed since it was due: a log may answer late, a process may stand still, a hand may not be free. */
const reasonNotToBegin = (taken: boolean, { doubts }: LiveJob, attendance: Attendance): NotBegun | undefined => {
  // As for what still waits: with a doubt, only a look can tell what there is to take back.
  if (attendance.cancel.rung() && doubts === 0)
    return { outcome: 'cancelled', detail: 'Cancelled before it was begun.' };
  if (!taken) return { outcome: 'uncertain', detail: 'It waited in vain for its turn on this node.' };
  if (attendance.ranOut()) return { outcome: 'uncertain', detail: 'Its lease ran out before it could be begun.' };
  return undefined;
};

/** Nothing was begun. Unless it is cancelled that counts as a doubt, which spends no attempt: whoever comes next looks first. */
const giveBack = (
  deps: JobDeps,
  due: DueJob,
  leaseId: string,
  { outcome, detail }: NotBegun,
  until: Until,
): Promise<Became> => {
  const startedAt = deps.clock.now();
  const report: Report = outcome === 'cancelled' ? { outcome, detail } : { outcome, detail, nextAttemptAt: startedAt };
  return tell(deps, due, { report, step: undefined, leaseId, startedAt, durationMs: 0 }, until);
};

const againAfterMs = 1_000;

type Timing = { readonly leaseId: string; readonly startedAt: number; readonly durationMs: number };

/** A log that does not answer is asked again while the lease lasts: an outcome that is known should not become unknown. */
const tell = async (
  { jobs, clock }: JobDeps,
  { jobId, context }: DueJob,
  { report, step, ...timing }: { readonly report: Report; readonly step: JobStep | undefined } & Timing,
  { lost, stop }: Until,
): Promise<Became> => {
  const command: JobCommand =
    report.outcome === 'cancelled'
      ? { type: 'ConfirmJobCancel', data: { ...timing, detail: report.detail } }
      : { type: 'ReportJob', data: { ...timing, outcome: report, ...(step && { step }) } };
  const envelope = systemEnvelope('runner', context, 'report', timing.leaseId);
  for (;;) {
    try {
      const sent = await jobs.send(jobId, command, envelope);
      return sent.ok && sent.state.status !== 'absent' ? sent.state.status : 'lease lost';
    } catch (error) {
      if (lost.rung() || stop.aborted) throw error;
      await clock.sleep(againAfterMs, AbortSignal.any([signalOf(lost), stop]));
    }
  }
};
