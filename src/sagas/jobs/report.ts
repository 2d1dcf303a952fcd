import { type JobData, type JobReport, type LiveJob, toJobData } from '../../domain/job/index.ts';
import { clip } from '../../domain/kernel.ts';
import { maskSecrets, maskText } from '../../domain/masking.ts';
import { type Backoff, backoffMs } from '../deployment.ts';
import type { JobKind, JobOutcome } from './effect.ts';

export type Report = JobReport | { readonly outcome: 'cancelled'; readonly detail: string };

const defaultBackoff: Backoff = { firstMs: 1_000, ceilingMs: 300_000 };
/** A tenth more or less, so that what failed together does not come back together. */
const pauseMs = (attempt: number, backoff: NonNullable<JobKind['backoff']>, fraction: number): number => {
  if (!('delaysMs' in backoff)) return backoffMs(attempt, backoff, fraction);
  const delay = backoff.delaysMs[Math.min(attempt, backoff.delaysMs.length) - 1] ?? 0;
  return Math.round(delay * (0.9 + fraction / 5));
};

const maxTextLength = 2_000;
const maxResultCharacters = 16_384;

/** What goes into the log for people to read: short, and without what looks like a secret. */
export const plainText = (text: string, length = maxTextLength): string => clip(maskText(text), length);

export const plainResult = (result: JobData): JobData => {
  const characters = JSON.stringify(result).length;
  return characters > maxResultCharacters ? { leftOutCharacters: characters } : toJobData(maskSecrets(result));
};

/**
 * How an outcome goes into the log. A node that stops is no fault of the job: what it broke off spends no attempt, and
 * another node looks at it at once.
 */
export const reportOf = (
  outcome: JobOutcome,
  { failures, doubts }: Pick<LiveJob, 'failures' | 'doubts'>,
  { backoff = defaultBackoff }: Pick<JobKind, 'backoff'>,
  cancelRequested: boolean,
  { now, fraction, stopped }: { readonly now: number; readonly fraction: number; readonly stopped: boolean },
): Report => {
  const detail = plainText(outcome.detail);
  switch (outcome.outcome) {
    case 'done':
      return { outcome: 'done', detail, result: plainResult(outcome.result ?? {}) };
    case 'refused':
      return { outcome: 'refused', code: plainText(outcome.code, 64), detail };
    case 'retry': {
      if (stopped && !cancelRequested) return brokenOff(detail, now);
      const wait = Math.max(pauseMs(failures + 1, backoff, fraction), outcome.afterMs ?? 0);
      return { outcome: 'retry', detail, nextAttemptAt: now + wait };
    }
    case 'uncertain': {
      if (stopped) return brokenOff(detail, now);
      return { outcome: 'uncertain', detail, nextAttemptAt: now + pauseMs(doubts + 1, backoff, fraction) };
    }
    case 'cancelled':
      // Nobody asked: an effect that gives up by itself has refused.
      return cancelRequested ? { outcome: 'cancelled', detail } : { outcome: 'refused', code: 'given_up', detail };
  }
};

const brokenOff = (detail: string, now: number): Report => ({
  outcome: 'uncertain',
  detail: `The node stopped while it worked on this: ${detail}`,
  nextAttemptAt: now,
});
