import type { Clock } from '../../../../src/platform/clock/port.ts';

export type TestClock = Clock & {
  advance(ms: number): void;
  /** Ends, a moment later, every long sleep of at most so many milliseconds; time moves on by as much. */
  pass(ms: number): void;
};

/** Pauses between looks are shorter, the times of requests, steps and leases longer. */
const longSleepMs = 5_000;

/** Short sleeps are over at once, and time has moved on; long ones end when the test says so. */
export const createTestClock = (start = Date.parse('2026-06-01T00:00:00Z')): TestClock => {
  let now = start;
  const sleepers = new Map<() => void, number>();
  return {
    now: () => now,
    sleep: (ms, signal) => {
      if (signal?.aborted) return Promise.resolve();
      if (ms < longSleepMs) {
        now += ms;
        return new Promise((resolve) => setImmediate(resolve));
      }
      return new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake);
          resolve();
        };
        sleepers.set(wake, ms);
        signal?.addEventListener('abort', wake, { once: true });
      });
    },
    advance: (ms) => {
      now += ms;
    },
    pass: (ms) => {
      now += ms;
      for (const [wake, length] of sleepers) if (length <= ms) wake();
    },
  };
};
