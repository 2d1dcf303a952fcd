import { type Refused, refuse } from './answer.ts';
import type { Behaviour } from './options.ts';

export type Spent = { readonly headers: Readonly<Record<string, string>>; readonly refused: Refused | undefined };

export type RateLimiter = { spend(user: string): Spent };

type Window = { startedAt: number; used: number; blockedUntil: number };

/** A window per user; who exceeds it is blocked for the length of one more. */
export const createRateLimiter = (behaviour: Behaviour, now: () => number): RateLimiter => {
  const windows = new Map<string, Window>();

  const windowOf = (user: string): Window => {
    const { windowMs } = behaviour.rateLimit;
    const existing = windows.get(user);
    const over = existing === undefined || now() >= Math.max(existing.startedAt + windowMs, existing.blockedUntil);
    const window = over ? { startedAt: now(), used: 0, blockedUntil: 0 } : existing;
    windows.set(user, window);
    return window;
  };

  return {
    spend: (user) => {
      const { requests, windowMs } = behaviour.rateLimit;
      const window = windowOf(user);
      window.used += 1;
      if (window.used > requests && window.blockedUntil === 0) window.blockedUntil = now() + windowMs;
      const blocked = window.blockedUntil > now();
      const seconds = Math.ceil((Math.max(window.startedAt + windowMs, window.blockedUntil) - now()) / 1000);
      const headers = {
        ratelimit: `"default";r=${Math.max(0, requests - window.used)};t=${seconds}`,
        'ratelimit-policy': `"default";q=${requests};w=${Math.ceil(windowMs / 1000)}`,
        ...(blocked ? { 'retry-after': String(seconds) } : {}),
      };
      return { headers, refused: blocked ? refuse(971) : undefined };
    },
  };
};
