import type { LiveJob } from '../../domain/job/index.ts';
import { errorMessage } from '../../platform/log/port.ts';
import type { Alarms } from '../alarms.ts';
import type { Attendance } from './attendance.ts';
import { signalOf } from './bell.ts';
import type { DueJob } from './deps.ts';
import type { JobInHand, JobKind, JobOutcome } from './effect.ts';

/** How long an effect that was told to stop may take to say what it had done by then. */
const graceMs = 2_000;

type Acting = {
  readonly alarms: Alarms;
  readonly due: DueJob;
  readonly kind: JobKind;
  readonly job: LiveJob;
  readonly attendance: Attendance;
  readonly stop: AbortSignal;
};

/** One attempt: the effect's answer, or `uncertain` when it throws or is silent for too long. Never throws. */
export const act = async (acting: Acting): Promise<JobOutcome> => {
  const { due, kind, job, attendance } = acting;
  const toStop = new AbortController();
  const silence = watchForSilence(acting, toStop);
  try {
    const answer = ask(kind, inHandOf(due, job, attendance), attendance.ranOut, toStop.signal);
    return await Promise.race([answer, silence.outcome]);
  } catch (error) {
    return { outcome: 'uncertain', detail: errorMessage(error) };
  } finally {
    silence.end();
  }
};

type Silence = { readonly outcome: Promise<JobOutcome>; readonly end: () => void };

/** Tells the effect to stop when its time is over, its lease is lost or the node stops; soon after that its silence counts. */
const watchForSilence = ({ alarms, kind, attendance, stop }: Acting, toStop: AbortController): Silence => {
  let callOff = (): void => undefined;
  let fallSilent = (_: JobOutcome): void => undefined;
  let ended = false;
  const tell = (when: string): void => {
    if (toStop.signal.aborted) return;
    callOff();
    const silent: JobOutcome = { outcome: 'uncertain', detail: `No answer ${when}.` };
    if (!ended) callOff = alarms.after(graceMs, () => fallSilent(silent));
    toStop.abort();
  };
  const stopNow = (): void => tell('when it was told to stop');
  const outcome = new Promise<JobOutcome>((resolve) => {
    fallSilent = resolve;
  });
  callOff = alarms.after(kind.timeoutMs, () => tell(`within ${kind.timeoutMs} ms`));
  attendance.lost.onRing(stopNow);
  if (stop.aborted) stopNow();
  else stop.addEventListener('abort', stopNow, { once: true });
  return {
    outcome,
    end: () => {
      ended = true;
      callOff();
      stop.removeEventListener('abort', stopNow);
    },
  };
};

/** What a look did not find is done at once, unless that is no longer wanted, must wait, or the look outlasted the lease. */
const ask = async (
  { effect }: JobKind,
  job: JobInHand,
  ranOut: () => boolean,
  signal: AbortSignal,
): Promise<JobOutcome> => {
  const seen = await effect(job, signal);
  const performNow =
    job.mode === 'probe' && seen.outcome === 'retry' && (seen.afterMs ?? 0) === 0 && !job.cancelRequested();
  if (!performNow || signal.aborted) return seen;
  if (ranOut()) return { outcome: 'uncertain', detail: 'Its lease ran out while it was looked at.' };
  return effect({ ...job, mode: 'perform' }, signal);
};

const inHandOf = ({ jobId, context }: DueJob, job: LiveJob, attendance: Attendance): JobInHand => ({
  ...{ jobId, kind: job.kind, workspaceId: job.workspaceId, departmentId: job.departmentId },
  ...{ subjectId: job.subjectId, payload: job.payload, attempt: job.attempt, context },
  mode: job.doubts > 0 ? 'probe' : 'perform',
  step: attendance.steps.step,
  progress: attendance.progress,
  cancelRequested: attendance.cancel.rung,
  // Few ask for it, and each one costs.
  get cancelSignal() {
    return signalOf(attendance.cancel);
  },
});
