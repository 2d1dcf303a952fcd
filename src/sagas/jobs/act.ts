import type { LiveJob } from '../../domain/job/index.ts';
import type { Clock } from '../../platform/clock/port.ts';
import type { Attendance } from './attendance.ts';
import type { DueJob } from './deps.ts';
import type { JobInHand, JobKind, JobOutcome } from './effect.ts';

/** How long an effect that was told to stop may take to say what it had done by then. */
const graceMs = 2_000;

type Acting = {
  readonly clock: Clock;
  readonly due: DueJob;
  readonly kind: JobKind;
  readonly job: LiveJob;
  readonly attendance: Attendance;
  readonly stop: AbortSignal;
};

/** One attempt: the effect's answer, or `uncertain` when it throws or is silent for too long. Never throws. */
export const act = async ({ clock, due, kind, job, attendance, stop }: Acting): Promise<JobOutcome> => {
  const over = new AbortController();
  const late = new AbortController();
  const told = AbortSignal.any([attendance.lost, stop]);
  const silence = async (): Promise<JobOutcome> => {
    await clock.sleep(kind.timeoutMs, AbortSignal.any([over.signal, told]));
    const reason = told.aborted ? 'when it was told to stop' : `within ${kind.timeoutMs} ms`;
    // After an answer nobody is to be told; an abort makes an error with its stack, which takes long.
    if (!over.signal.aborted) late.abort();
    await clock.sleep(graceMs, over.signal);
    return { outcome: 'uncertain', detail: `No answer ${reason}.` };
  };
  try {
    const signal = AbortSignal.any([told, late.signal]);
    return await Promise.race([ask(kind, inHandOf(due, job, attendance), attendance.ranOut, signal), silence()]);
  } catch (error) {
    return { outcome: 'uncertain', detail: error instanceof Error ? error.message : String(error) };
  } finally {
    over.abort('over');
  }
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
  cancelRequested: () => attendance.cancel.aborted,
  cancelSignal: attendance.cancel,
});
