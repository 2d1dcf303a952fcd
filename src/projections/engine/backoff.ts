/** Resolves after the time, or at once when the signal aborts. Never throws. */
export type Sleep = (ms: number, signal: AbortSignal) => Promise<void>;

export const sleep: Sleep = (ms, signal) =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    const finish = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', finish);
      resolve();
    };
    const timer = setTimeout(finish, ms);
    signal.addEventListener('abort', finish);
  });

/** 50 ms, doubling up to 5 s. */
export const backoffMs = (attempt: number): number => Math.min(5_000, 50 * 2 ** Math.min(attempt, 10));
