// Who works at the same time. One process has one thread: what it has begun of one owner delays everybody else's next step,
// so that an owner who asks for much may have little under way while somebody else is there.

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

type Owner = { running: number; readonly waiting: (() => void)[] };

/** Owners that wait take turns. Nothing is kept of an owner of whom nothing is under way. */
export const createFairQueue = (limits: FairLimits, now: () => number): FairQueue => {
  const owners = new Map<string, Owner>();
  /** Those who wait, the next in turn first. */
  const turns = new Set<string>();
  const presence = createPresence(limits.presenceMs, now);
  let running = 0;

  const isAlone = (key: string, own: number): boolean =>
    running === own && turns.size === (turns.has(key) ? 1 : 0) && presence.isAlone(key);

  const mayStart = (key: string, { running: own }: Owner): boolean =>
    running < limits.total && own < limits.alone && (own < limits.shared || isAlone(key, own));

  const start = (owner: Owner): void => {
    owner.running += 1;
    running += 1;
  };

  /** Room may be for several: an owner who is alone again has more of it than while others were there. */
  const startNext = (): void => {
    for (let began = true; began; ) {
      began = false;
      for (const key of turns) {
        const owner = owners.get(key);
        if (!owner || !mayStart(key, owner)) continue;
        const begin = owner.waiting.shift();
        turns.delete(key);
        if (owner.waiting.length > 0) turns.add(key);
        start(owner);
        begin?.();
        began = true;
        break;
      }
    }
  };

  const forget = (key: string, owner: Owner): void => {
    if (owner.running === 0 && owner.waiting.length === 0) owners.delete(key);
  };

  const enter = (key: string, owner: Owner): Promise<void> | undefined => {
    presence.seen(key);
    if (owner.waiting.length === 0 && mayStart(key, owner)) {
      start(owner);
      return undefined;
    }
    if (owner.waiting.length >= limits.waiting) {
      forget(key, owner);
      throw new QueueFull('Too many requests of this owner wait.');
    }
    turns.add(key);
    return new Promise((resolve) => owner.waiting.push(resolve));
  };

  const leave = (key: string, owner: Owner): void => {
    owner.running -= 1;
    running -= 1;
    forget(key, owner);
    startNext();
  };

  return {
    run: async (key, work) => {
      const owner = owners.get(key) ?? { running: 0, waiting: [] };
      owners.set(key, owner);
      await enter(key, owner);
      try {
        return await work();
      } finally {
        leave(key, owner);
      }
    },
    isFull: (key) => {
      const owner = owners.get(key) ?? { running: 0, waiting: [] };
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
