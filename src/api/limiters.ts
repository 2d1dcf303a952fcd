import { type AnswerBudget, createAnswerBudget } from './answerBudget.ts';
import { type BodyBudget, createBodyBudget } from './bodyBudget.ts';
import type { ApiLimits } from './deps.ts';
import { createHeldAnswers, type HeldAnswers } from './heldAnswers.ts';
import { createRateLimiter, type RateLimiter } from './rateLimit.ts';
import { createStreamSlots, type StreamSlots } from './streamSlots.ts';
import { createTurns, type Turns } from './turns.ts';

export type Limiters = {
  readonly perAddress: RateLimiter;
  readonly perToken: RateLimiter;
  readonly perWorkspace: RateLimiter;
  readonly signIn: RateLimiter;
  readonly signInPerEmail: RateLimiter;
  readonly passwordChange: RateLimiter;
  readonly bodies: BodyBudget;
  readonly answers: AnswerBudget;
  readonly turns: Turns;
  readonly heldAnswers: HeldAnswers;
  readonly streams: StreamSlots;
};

export const createLimiters = (limits: ApiLimits, now: () => number): Limiters => ({
  perAddress: createRateLimiter(limits.perAddress, now),
  perToken: createRateLimiter(limits.perToken, now),
  perWorkspace: createRateLimiter(limits.perWorkspace, now),
  signIn: createRateLimiter(limits.signIn, now),
  signInPerEmail: createRateLimiter(limits.signInPerEmail, now),
  passwordChange: createRateLimiter(limits.passwordChange, now),
  bodies: createBodyBudget(limits.bodies),
  answers: createAnswerBudget(limits.answers),
  turns: createTurns(limits.turns, now),
  heldAnswers: createHeldAnswers(limits.heldAnswers),
  streams: createStreamSlots(limits.streams),
});
