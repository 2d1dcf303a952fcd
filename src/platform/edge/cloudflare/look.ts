import type { CloudflareContext } from './context.ts';
import type { Failure } from './verdict.ts';

/** What a look saw; a failure is no look. */
export type Looked<Value> = { readonly seen: 'yes'; readonly value: Value } | { readonly seen: 'no' } | Failure;

const firstPauseMs = 500;
const longestPauseMs = 4_000;

/**
 * Looks until it is there. That it is not is answered only by a look made after the read-lag window, which begins now;
 * when the time of the step ends before, nobody can tell.
 */
export const lookFor = async <Value>(
  { clock, readLagMs }: Pick<CloudflareContext, 'clock' | 'readLagMs'>,
  signal: AbortSignal,
  look: () => Promise<Looked<Value>>,
): Promise<Looked<Value>> => {
  const end = clock.now() + readLagMs;
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(longestPauseMs, pauseMs * 2)) {
    const askedAt = clock.now();
    const looked = await look();
    const goesOn = 'seen' in looked ? looked.seen === 'no' : looked.verdict === 'retry';
    if (!goesOn || askedAt >= end) return looked;
    if (signal.aborted) return { verdict: 'retry', apiCode: 0, detail: 'There was no time left to look again.' };
    await clock.sleep(Math.min(pauseMs, end - askedAt), signal);
  }
};
