// Who works at the same time. One process has one thread: what it has begun of one owner delays everybody else's next step,
// so that an owner who asks for much may have little under way while somebody else is there.

import { createUsage } from './usage.ts';

export type FairLimits = {
  /** Under way at once, over all owners. */
  readonly total: number;
  /** Of one owner while nobody else is there. Less than `total`, so that who comes next finds room. */
  readonly alone: number;
  /** Of one owner while others are there. */
  readonly shared: number;
  /** Of one owner that may wait for their turn. */
  readonly waiting: number;
  /** How long somebody counts as being there after the last request, in milliseconds. */
  readonly presenceMs: number;
  /** How long an owner who asks for more than others gives way to what they begin, in milliseconds. 0: not at all. */
  readonly yieldMs: number;
};

/** As many of this owner wait as may. */
export class QueueFull extends Error {
  override readonly name = 'QueueFull';
}

export type FairQueue = {
  /** Does the work when it is the owner's turn, first come first served among the owner's. Throws QueueFull. */
  run<Result>(owner: string, work: () => Promise<Result>): Promise<Result>;
  /** Would `run` throw? */
  isFull(owner: string): boolean;
  /** What is there now; all zeros when nobody is. */
  counts(): { readonly running: number; readonly waiting: number; readonly owners: number };
};

/** Less than this between two owners is no difference, in milliseconds of work of the last seconds. */
const slackMs = 100;

type Owner = { running: number; begunAt: number; readonly waiting: (() => void)[] };

export type FairQueuePorts = {
  readonly now: () => number;
  /** Calls back after so many milliseconds, or a little later. */
  readonly after: (ms: number, call: () => void) => void;
};

/** Owners that wait take turns. Of an owner of whom nothing is under way is kept how long he was worked for of late. */
export const createFairQueue = (limits: FairLimits, { now, after }: FairQueuePorts): FairQueue => {
  const owners = new Map<string, Owner>();
  /** Those who wait, the next in turn first. */
  const turns = new Set<string>();
  /** Those of whom something is under way: no more than `total`. */
  const active = new Map<string, Owner>();
  const presence = createPresence(limits.presenceMs, now);
  const usage = createUsage(now);
  let running = 0;
  let looksAgain = false;

  const isAlone = (key: string, own: number): boolean =>
    running === own && turns.size === (turns.has(key) ? 1 : 0) && presence.isAlone(key);

  const newOwner = (): Owner => ({ running: 0, begunAt: now(), waiting: [] });

  /** A clock that was set back counts as time that has passed: nobody waits for it. */
  const isRecent = (at: number): boolean => now() >= at && now() - at < limits.yieldMs;
  const presses = ({ waiting }: Owner): boolean => limits.yieldMs > 0 && waiting.length > limits.shared;
  /** Whose line is longer than his share does, unless the other was worked for twice as long; of equals who was for longer. */
  const asksForMore = (key: string, owner: Owner, otherKey: string, other: Owner): boolean => {
    const [own, theirs] = [usage.of(key), usage.of(otherKey)];
    if (presses(owner) === presses(other)) return own > theirs + slackMs;
    return presses(owner) && theirs <= 2 * own + slackMs;
  };
  /** Only to what began of late: what takes long waits for something else than this thread. */
  const yields = (key: string, owner: Owner): boolean => {
    if (!isRecent(owner.begunAt)) return false;
    for (const [otherKey, other] of active) {
      if (other !== owner && isRecent(other.begunAt) && asksForMore(key, owner, otherKey, other)) return true;
    }
    return false;
  };

  const mayStart = (key: string, owner: Owner): boolean => {
    if (running >= limits.total || owner.running >= limits.alone) return false;
    if (isAlone(key, owner.running)) return true;
    return owner.running < (presses(owner) ? 1 : limits.shared) && !yields(key, owner);
  };

  const start = (key: string, owner: Owner): void => {
    owner.running += 1;
    owner.begunAt = now();
    active.set(key, owner);
    running += 1;
  };

  /** Who gives way is looked at again when something ends, and in any case after a while. */
  const lookAgain = (): void => {
    if (looksAgain || turns.size === 0 || limits.yieldMs === 0) return;
    looksAgain = true;
    after(limits.yieldMs, () => {
      looksAgain = false;
      startNext();
    });
  };

  /** Room may be for several: an owner who is alone again has more of it than while others were there. */
  const startNext = (): void => {
    for (let began = true; began && running < limits.total; ) {
      began = false;
      for (const key of turns) {
        const owner = owners.get(key);
        if (!owner || !mayStart(key, owner)) continue;
        const begin = owner.waiting.shift();
        turns.delete(key);
        if (owner.waiting.length > 0) turns.add(key);
        start(key, owner);
        begin?.();
        began = true;
        break;
      }
    }
    lookAgain();
  };

  const forget = (key: string, owner: Owner): void => {
    if (owner.running === 0 && owner.waiting.length === 0) owners.delete(key);
  };

  const enter = (key: string, owner: Owner): Promise<void> | undefined => {
    presence.seen(key);
    if (owner.waiting.length === 0 && mayStart(key, owner)) {
      start(key, owner);
      return undefined;
    }
    if (owner.waiting.length >= limits.waiting) {
      forget(key, owner);
      throw new QueueFull('Too many requests of this owner wait.');
    }
    turns.add(key);
    lookAgain();
    return new Promise((resolve) => owner.waiting.push(resolve));
  };

  const leave = (key: string, owner: Owner, ms: number): void => {
    owner.running -= 1;
    running -= 1;
    if (owner.running === 0) active.delete(key);
    usage.add(key, ms);
    forget(key, owner);
    startNext();
  };

  return {
    run: async (key, work) => {
      const owner = owners.get(key) ?? newOwner();
      owners.set(key, owner);
      await enter(key, owner);
      const begunAt = now();
      try {
        return await work();
      } finally {
        leave(key, owner, now() - begunAt);
      }
    },
    isFull: (key) => {
      const owner = owners.get(key) ?? newOwner();
      return owner.waiting.length >= limits.waiting && !(owner.waiting.length === 0 && mayStart(key, owner));
    },
    counts: () => {
      let waiting = 0;
      for (const owner of owners.values()) waiting += owner.waiting.length;
      return { running, waiting, owners: owners.size };
    },
  };
};

/** Who was seen last, and who was before him: enough to tell whether anybody else was there of late. */
const createPresence = (forMs: number, now: () => number) => {
  let last = { key: '', at: Number.NEGATIVE_INFINITY };
  let before = last;
  return {
    seen: (key: string): void => {
      if (last.key !== key) before = last;
      last = { key, at: now() };
    },
    isAlone: (key: string): boolean => now() - (last.key === key ? before : last).at >= forMs,
  };
};
