import type { Clock } from '../../clock/port.ts';

/** A step of a ticket goes before a survey, which can wait. */
export type Urgency = 'step' | 'survey';

export type Admission = { readonly ok: true } | { readonly ok: false; readonly afterMs: number };

/** What this process may ask of an account: Cloudflare counts its people's clicks and its programs' requests together. */
export type Budget = {
  admit(urgency: Urgency): Admission;
  /** Takes in the `Ratelimit` header of an answer: `"default";r=<left>;t=<seconds until more>`. */
  note(header: string): void;
  /** After a 429 nothing is asked until its time is over. */
  block(ms: number): void;
};

export type BudgetOptions = {
  readonly clock: Pick<Clock, 'now'>;
  /** Requests in any five minutes. Cloudflare allows 1,200 to a token and its owner; the rest is for people. */
  readonly requests?: number;
};

const windowMs = 300_000;
/** Surveys leave this part of what is there to the steps. */
const surveyShare = 0.4;
/** At so few left, by Cloudflare's own count, surveys wait. */
const scarce = 120;

/** Half of the requests at once, the other half spread over the window, so that no window sees more than all of them. */
export const createBudget = ({ clock, requests = 900 }: BudgetOptions): Budget => {
  const most = requests / 2;
  const perMs = most / windowMs;
  let left = most;
  let countedAt = clock.now();
  let closedUntil = 0;
  let surveysUntil = 0;

  const refill = (now: number): void => {
    left = Math.min(most, left + Math.max(0, now - countedAt) * perMs);
    countedAt = now;
  };

  return {
    admit: (urgency) => {
      const now = clock.now();
      refill(now);
      const until = urgency === 'survey' ? Math.max(closedUntil, surveysUntil) : closedUntil;
      if (now < until) return { ok: false, afterMs: until - now };
      const needed = urgency === 'survey' ? most * surveyShare + 1 : 1;
      if (left < needed) return { ok: false, afterMs: Math.ceil((needed - left) / perMs) };
      left -= 1;
      return { ok: true };
    },
    note: (header) => {
      const policies = [...header.matchAll(/;\s*r=(\d+)\s*;\s*t=(\d+)/g)];
      for (const [, remaining, seconds] of policies) {
        const until = clock.now() + Number(seconds) * 1000;
        if (Number(remaining) <= scarce) surveysUntil = Math.max(surveysUntil, until);
        if (Number(remaining) === 0) closedUntil = Math.max(closedUntil, until);
      }
    },
    block: (ms) => {
      closedUntil = Math.max(closedUntil, clock.now() + ms);
    },
  };
};
