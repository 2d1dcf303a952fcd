import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';

type FollowOptions = Pick<Parts, 'log' | 'logger' | 'witness'> & { readonly signal: AbortSignal };

const againAfterMs = 1_000;

/** Follows the log where nothing else does, so that requests need not read tokens, companies and departments again. Never throws. */
export const followForGuard = async ({ log, logger, witness, signal }: FollowOptions): Promise<void> => {
  const overheard = witness.overhearing(log);
  while (!signal.aborted) {
    try {
      for await (const _ of overheard.subscribe({ after: await log.head(), signal })) if (signal.aborted) return;
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'guard: the log cannot be followed now; requests read it instead');
      await systemClock.sleep(againAfterMs, signal);
    }
  }
};
