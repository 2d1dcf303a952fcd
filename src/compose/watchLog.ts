import type { Parts } from '../parts.ts';
import type { CheckpointWatch } from '../projections/engine/watch.ts';

type WatchOptions = Pick<Parts, 'log' | 'logger'> & CheckpointWatch & { readonly signal: AbortSignal };

const patienceMs = 5_000;

/**
 * Calls back after every new event, once a projector elsewhere has it in the tables or has had its time. Never throws: who
 * is called back looks at the tables from time to time anyway.
 */
export const watchLog = async ({ log, logger, waitFor, signal }: WatchOptions, listener: () => void): Promise<void> => {
  try {
    const after = await log.head();
    for await (const { events, position } of log.subscribe({ after, signal })) {
      if (events.length === 0) continue;
      await waitFor(position, { timeoutMs: patienceMs });
      listener();
    }
  } catch (error) {
    if (!signal.aborted) logger.warn({ err: error }, 'read tables: changes are no longer noticed at once');
  }
};
