import type { Job, JobCommand, LiveJob } from '../../domain/job/index.ts';
import type { Alarms } from '../alarms.ts';
import { systemEnvelope } from '../envelope.ts';
import { type Bell, createBell } from './bell.ts';
import type { DueJob, JobDeps } from './deps.ts';
import { plainText } from './report.ts';
import { createSteps, type Steps } from './steps.ts';

/** What goes on beside the work: the lease is renewed, a cancel is noticed, progress is written down. */
export type Attendance = {
  /** Rings when another runner holds the job, or when its own lease ran out before it could be renewed. */
  readonly lost: Bell;
  readonly cancel: Bell;
  /** Its own lease ended by this clock, whether or not anybody has looked since. */
  ranOut(): boolean;
  progress(percent: number, note: string): Promise<void>;
  readonly steps: Steps;
  end(): Promise<void>;
};

/** Between two looks at the log, and between two facts about progress. */
const lookMs = 1_000;
const maxNoteLength = 500;

export const createAttendance = (
  deps: JobDeps & { readonly alarms: Alarms },
  due: DueJob,
  leaseId: string,
  leased: LiveJob,
): Attendance => {
  const { jobs, clock, alarms, leaseMs } = deps;
  const lost = createBell();
  const cancel = createBell();
  let over = false;
  let commands = 0;
  let leasedUntil = leased.leasedUntil;
  let unwritten: { readonly percent: number; readonly note: string } | undefined;
  let writtenAt = Number.NEGATIVE_INFINITY;

  const ranOut = (): boolean => clock.now() >= leasedUntil;
  const notice = (state: Job): void => {
    const held = state.status === 'running' && state.leaseId === leaseId;
    if (!held) lost.ring();
    else if (state.cancelRequested) cancel.ring();
  };
  const sendSurely = async (command: JobCommand): Promise<string> => {
    commands += 1;
    const envelope = systemEnvelope('runner', due.context, command.type, leaseId, String(commands));
    const sent = await jobs.send(due.jobId, command, envelope);
    if (sent.ok) notice(sent.state);
    else if (sent.rejection.rejected === 'LeaseLost') lost.ring();
    return sent.ok ? '' : sent.rejection.reason;
  };
  /** What cannot be sent now is not worth stopping the work for: the lease decides. */
  const send = (command: JobCommand): Promise<boolean> =>
    sendSurely(command).then(
      (why) => why === '',
      () => false,
    );
  const renew = async (now: number): Promise<void> => {
    const until = now + leaseMs;
    const renewed = await send({ type: 'RenewJobLease', data: { leaseId, now, leasedUntil: until } });
    if (renewed) leasedUntil = until;
  };
  const write = async (): Promise<void> => {
    if (!unwritten || over) return;
    const data = { leaseId, ...unwritten };
    unwritten = undefined;
    writtenAt = clock.now();
    await send({ type: 'RecordJobProgress', data });
  };
  const look = async (): Promise<void> => {
    const now = clock.now();
    if (leasedUntil - now <= (leaseMs * 2) / 3) await renew(now);
    else {
      const loaded = await jobs.load(due.jobId).catch(() => undefined);
      if (loaded) notice(loaded.state);
    }
    if (ranOut()) lost.ring();
    await write();
  };
  let looking: Promise<void> | undefined;
  const lookSoon = (): (() => void) =>
    alarms.after(lookMs, () => {
      looking = look().then(() => {
        looking = undefined;
        if (!over && !lost.rung()) callOff = lookSoon();
      });
    });
  let callOff = lookSoon();

  const steps = createSteps({
    ...{ clock, known: leased.steps, inDoubt: leased.doubts > 0, isOver: () => over || lost.rung() },
    ranOut,
    record: (step) => sendSurely({ type: 'RecordJobStep', data: { leaseId, ...step } }),
  });

  notice(leased);
  return {
    lost,
    cancel,
    ranOut,
    steps,
    progress: async (percent, note) => {
      if (lost.rung()) return;
      unwritten = {
        percent: Math.round(Math.min(100, Math.max(0, percent || 0))),
        note: plainText(note, maxNoteLength),
      };
      if (clock.now() - writtenAt >= lookMs) await write();
    },
    end: async () => {
      over = true;
      callOff();
      await looking;
    },
  };
};
