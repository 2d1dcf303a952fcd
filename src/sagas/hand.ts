import type { Clock } from '../platform/clock/port.ts';
import { createAlarms } from './alarms.ts';

/** What a piece of work is done with: there are few, so that few things happen outside at once. */
export type Hand = {
  /** Resolves once it may be used; false when that was not soon, or when all are called back: then leave the work. */
  take(): Promise<boolean>;
  /** Nothing more is done outside. What is still to be told needs no hand. */
  free(): void;
};

/** For whoever has one anyway. */
export const inHand: Hand = { take: async () => true, free: () => undefined };

export type HandsOptions = {
  readonly clock: Clock;
  readonly concurrency: number;
  readonly atMost: Readonly<Record<string, number>>;
  /** Operations that take their hand once they have a lease. All others have it from the beginning. */
  readonly leasesAhead: ReadonlySet<string>;
};

export type Hands = {
  /** Undefined when nothing more of this operation may begin now. `freed` is called once, when the hand is free again. */
  begin(operation: string, freed: () => void): Hand | undefined;
  /** Some hand is idle, whatever it is for. */
  areFree(): boolean;
  /** Whoever still waits for a hand gets none, nor does who comes later. */
  callBack(): void;
};

/** Of what was done within this time, as much again may be leased ahead: about as much as is over by the time it is leased. */
const recentMs = 50;
/** Never more than so many times the hands of an operation. */
const mostAhead = 4;
/** A lease that waits longer for a hand is given back: others may have one. */
const patienceMs = 1_000;

type Waiter = { readonly operation: string; readonly settle: (taken: boolean) => void };

/**
 * Hands of a runner. Quick work would spend most of its time on waiting for the log: so, where work of an operation is
 * over soon, the next is leased before a hand is free. Work that takes long is never leased ahead.
 */
export const createHands = ({ clock, concurrency, atMost, leasesAhead }: HandsOptions): Hands => {
  const counts = new Map<string, { begun: number; held: number; freedAt: number[] }>();
  const waiters = new Set<Waiter>();
  const alarms = createAlarms(clock);
  let held = 0;
  let calledBack = false;

  const of = (operation: string) => {
    const known = counts.get(operation) ?? { begun: 0, held: 0, freedAt: [] };
    counts.set(operation, known);
    return known;
  };
  const mostOf = (operation: string): number => Math.min(concurrency, atMost[operation] ?? concurrency);
  const isFree = (operation: string): boolean => held < concurrency && of(operation).held < mostOf(operation);
  const aheadOf = (operation: string): number => {
    if (!leasesAhead.has(operation)) return 0;
    const { freedAt } = of(operation);
    const since = clock.now() - recentMs;
    while ((freedAt[0] ?? since) < since) freedAt.shift();
    return Math.min(freedAt.length, mostAhead * mostOf(operation));
  };
  const hold = (operation: string): void => {
    held += 1;
    of(operation).held += 1;
  };
  const serve = (): void => {
    for (const waiter of waiters) {
      if (!isFree(waiter.operation)) continue;
      hold(waiter.operation);
      waiter.settle(true);
    }
  };
  const wait = (operation: string): Promise<boolean> => {
    return new Promise((resolve) => {
      const waiter: Waiter = {
        operation,
        settle: (taken) => {
          waiters.delete(waiter);
          callOff();
          resolve(taken);
        },
      };
      const callOff = alarms.after(patienceMs, () => waiter.settle(false));
      waiters.add(waiter);
    });
  };

  return {
    begin: (operation, freed) => {
      const mine = of(operation);
      const ahead = aheadOf(operation);
      if (ahead === 0 && !isFree(operation)) return undefined;
      if (mine.begun >= mostOf(operation) + ahead) return undefined;
      mine.begun += 1;
      let state: 'waiting' | 'held' | 'freed' = 'waiting';
      if (!leasesAhead.has(operation)) {
        hold(operation);
        state = 'held';
      }
      return {
        take: async () => {
          if (state !== 'waiting') return state === 'held';
          if (calledBack) return false;
          if (isFree(operation)) hold(operation);
          else if (!(await wait(operation))) return false;
          state = 'held';
          return true;
        },
        free: () => {
          if (state === 'freed') return;
          mine.begun -= 1;
          if (state === 'held') {
            held -= 1;
            mine.held -= 1;
            mine.freedAt.push(clock.now());
          }
          state = 'freed';
          serve();
          freed();
        },
      };
    },
    areFree: () => held < concurrency,
    callBack: () => {
      calledBack = true;
      for (const waiter of waiters) waiter.settle(false);
    },
  };
};
