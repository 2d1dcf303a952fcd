import type { Clock, Random } from '../../src/platform/clock/port.ts';
import { createDraws, portOf } from './random.ts';
import type { Rank, Scheduler } from './scheduler.ts';

/**
 * One run of a program on a machine. Whatever it waits for reaches it through `after`: a dead process never hears of
 * anything again, which is all that a kill is, and one that stands still hears of it later.
 */
export type Process = {
  /** `<node>/<incarnation>` */
  readonly name: string;
  readonly node: string;
  readonly clock: Clock;
  readonly random: Random;
  isAlive(): boolean;
  kill(): void;
  /** Stands still until this time, as under a long garbage collection or on a suspended machine. */
  freeze(until: number): void;
  /** Ever stood still, or cut off from the log: no longer to be expected to keep its leases. */
  readonly troubled: { since: number };
  /** Aborts when the process dies: for whatever outside follows it, never for the process itself. */
  readonly dead: AbortSignal;
  after(ms: number, what: () => void, rank?: Rank): () => void;
  /** Resolves after `ms`, if the process lives to see it. */
  pause(ms: number): Promise<void>;
};

export const createProcess = (
  scheduler: Scheduler,
  { name, skewMs, seed }: { readonly name: string; readonly skewMs: number; readonly seed: number },
): Process => {
  const dead = new AbortController();
  let frozenUntil = 0;
  const draws = createDraws(seed);
  const after: Process['after'] = (ms, what, rank = 'answer') => {
    let callOff = (): void => {};
    const arrive = (): void => {
      if (dead.signal.aborted) return;
      if (frozenUntil > scheduler.now()) callOff = scheduler.at(frozenUntil, arrive, rank);
      else what();
    };
    callOff = scheduler.at(scheduler.now() + ms, arrive, rank);
    return () => callOff();
  };
  const sleep: Clock['sleep'] = (ms, signal) =>
    new Promise((resolve) => {
      if (signal?.aborted) return resolve();
      const wake = (): void => {
        callOff();
        signal?.removeEventListener('abort', wake);
        resolve();
      };
      const callOff = after(Math.max(0, ms), wake, 'timer');
      signal?.addEventListener('abort', wake, { once: true });
    });
  const troubled = { since: Number.NEGATIVE_INFINITY };
  return {
    name,
    node: name.split('/', 1).join(''),
    clock: { now: () => scheduler.now() + skewMs, sleep },
    random: portOf(draws),
    isAlive: () => !dead.signal.aborted,
    kill: () => dead.abort(),
    freeze: (until) => {
      frozenUntil = Math.max(frozenUntil, until);
      troubled.since = Math.max(troubled.since, until);
    },
    troubled,
    dead: dead.signal,
    after,
    pause: (ms) => new Promise((resolve) => void after(ms, resolve)),
  };
};
