import { EventLogUnavailable, messageOf } from './errors.ts';

/** Where waiting, time and chance come from, so that a simulation can own them. */
export type Ports = {
  /** Milliseconds on a clock that never goes back. */
  readonly now: () => number;
  /** 0 up to, not including, 1. */
  readonly random: () => number;
  /** Resolves after that many milliseconds, or at once when the signal aborts. */
  readonly sleep: (ms: number, signal: AbortSignal) => Promise<void>;
  readonly log?: { warn(details: object, message: string): void } | undefined;
};

const FIRST_DELAY_MS = 20;
const LONGEST_DELAY_MS = 2_000;

export const systemSleep = (ms: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, ms);
    signal.addEventListener('abort', done);
  });

export type Patience = {
  /** Something worked: the next failure is a first one. */
  progress(): void;
  /** Waits before another try. Throws EventLogUnavailable when there was no progress for too long, or it was closed. */
  failed(error: unknown, doing: string): Promise<void>;
};

/** Exponential back-off with jitter and an end. `giveUpAfterMs` may be Infinity. */
export const patience = (ports: Ports, giveUpAfterMs: number, signal: AbortSignal): Patience => {
  let attempts = 0;
  let since = ports.now();
  return {
    progress: () => {
      attempts = 0;
      since = ports.now();
    },
    failed: async (error, doing) => {
      const waited = ports.now() - since;
      if (waited >= giveUpAfterMs) {
        throw new EventLogUnavailable(`${doing}: no answer for ${Math.round(waited)} ms: ${messageOf(error)}`, {
          cause: error,
        });
      }
      const ceiling = Math.min(LONGEST_DELAY_MS, FIRST_DELAY_MS * 2 ** attempts);
      attempts += 1;
      ports.log?.warn({ attempts, reason: messageOf(error) }, `${doing} failed, trying again`);
      await ports.sleep(ceiling * (0.5 + ports.random() / 2), signal);
    },
  };
};
