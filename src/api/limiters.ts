import { type BodyBudget, createBodyBudget } from './bodyBudget.ts';
import type { ApiLimits } from './deps.ts';
import { createRateLimiter, type RateLimiter } from './rateLimit.ts';
import { createStreamSlots, type StreamSlots } from './streamSlots.ts';

export type Limiters = {
  readonly perAddress: RateLimiter;
  readonly perToken: RateLimiter;
  readonly signIn: RateLimiter;
  readonly signInPerEmail: RateLimiter;
  readonly passwordChange: RateLimiter;
  readonly bodies: BodyBudget;
  readonly builds: Slots;
  readonly streams: StreamSlots;
};

/** Admission of work that must not pile up. */
export type Slots = {
  readonly isFull: () => boolean;
  readonly occupied: <Result>(work: () => Promise<Result>) => Promise<Result>;
};

export const createLimiters = (limits: ApiLimits, now: () => number): Limiters => ({
  perAddress: createRateLimiter(limits.perAddress, now),
  perToken: createRateLimiter(limits.perToken, now),
  signIn: createRateLimiter(limits.signIn, now),
  signInPerEmail: createRateLimiter(limits.signInPerEmail, now),
  passwordChange: createRateLimiter(limits.passwordChange, now),
  bodies: createBodyBudget(limits.bodies),
  builds: createSlots(limits.builds),
  streams: createStreamSlots(limits.streams),
});

const createSlots = (size: number): Slots => {
  let taken = 0;
  return {
    isFull: () => taken >= size,
    occupied: async (work) => {
      taken += 1;
      try {
        return await work();
      } finally {
        taken -= 1;
      }
    },
  };
};
