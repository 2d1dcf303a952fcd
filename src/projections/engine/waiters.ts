/** `stopped`: a table that was asked for will not get there by itself. */
export type WaitOutcome = 'reached' | 'timedOut' | 'stopped';

export type WaitOptions = {
  readonly timeoutMs: number;
  /** Names; all tables when not given. */
  readonly tables?: readonly string[];
};

type Waiter = { readonly answer: () => WaitOutcome | undefined; readonly settle: (outcome: WaitOutcome) => void };

export type Waiters = {
  wait(answer: () => WaitOutcome | undefined, timeoutMs: number): Promise<WaitOutcome>;
  /** To be called whenever an answer may have changed. */
  check(): void;
};

export const createWaiters = (): Waiters => {
  const waiting = new Set<Waiter>();
  return {
    wait: (answer, timeoutMs) => {
      const already = answer();
      if (already !== undefined) return Promise.resolve(already);
      return new Promise((resolve) => {
        const settle = (outcome: WaitOutcome): void => {
          clearTimeout(timer);
          waiting.delete(waiter);
          resolve(outcome);
        };
        const waiter: Waiter = { answer, settle };
        const timer = setTimeout(() => settle('timedOut'), timeoutMs);
        waiting.add(waiter);
      });
    },
    check: () => {
      for (const waiter of waiting) {
        const outcome = waiter.answer();
        if (outcome !== undefined) waiter.settle(outcome);
      }
    },
  };
};
