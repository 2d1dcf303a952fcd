import { PastBusy } from './errors.ts';
import { mayMakeRoom, type Place, toLeave } from './places.ts';

// A few things that are dear to make and to keep: made once, shared, and closed when nobody has asked for them for a while.

export type PoolLimits = {
  /** Kept at once, over all owners. */
  readonly open: number;
  /** Who may wait for one to be made or to become free; of one owner, and of all. */
  readonly waitingPerOwner: number;
  readonly waiting: number;
  readonly waitMs: number;
  /** How long one is kept that nobody uses. */
  readonly idleMs: number;
  /** How long one is kept from owners who wait and have none. */
  readonly turnMs: number;
};

export type Closable = {
  close(): Promise<void>;
  /** Resolves when it is there no more without having been closed. */
  readonly gone?: Promise<void>;
};
export type Held<Thing> = { readonly thing: Thing; release(): void };

export type Pool<Thing> = {
  /** Throws PastBusy, and what `make` throws. */
  take(owner: string, key: string, make: () => Promise<Thing>): Promise<Held<Thing>>;
  close(): Promise<void>;
};

type Entry<Thing> = Place & { readonly thing: Promise<Thing>; timer: NodeJS.Timeout | undefined };
type Waiting = { readonly owner: string; wake: () => void };

export const createPool = <Thing extends Closable>(
  limits: PoolLimits,
  now: () => number = () => performance.now(),
): Pool<Thing> => {
  /** Those that were used last are last. */
  const entries = new Map<string, Entry<Thing>>();
  const waiting = new Set<Waiting>();

  const changed = (): void => {
    for (const { wake } of waiting) wake();
  };

  const forget = (key: string, entry: Entry<Thing>): void => {
    clearTimeout(entry.timer);
    if (entries.get(key) === entry) entries.delete(key);
    changed();
  };

  const drop = async (key: string, entry: Entry<Thing>): Promise<void> => {
    forget(key, entry);
    await entry.thing.then((thing) => thing.close());
  };

  /** Is there room for one more of this owner? An idle one makes room; those in use are asked to leave when it is time. */
  const hasRoom = (owner: string): boolean => {
    const places = [...entries.values()];
    if (places.some((each) => each.owner === owner && !each.isMade)) return false;
    const others = [...waiting].map((each) => each.owner).filter((each) => each !== owner);
    if (!mayMakeRoom(owner, places, others)) return false;
    if (places.length < limits.open) return true;
    const leaving = toLeave(owner, places, now() - limits.turnMs);
    if (!leaving) return false;
    leaving.isLeaving = true;
    if (leaving.users > 0) return false;
    for (const [key, entry] of entries) if (entry === leaving) void drop(key, entry).catch(() => undefined);
    return true;
  };

  const begin = (owner: string, key: string, make: () => Promise<Thing>): Entry<Thing> => {
    const thing = make();
    const entry: Entry<Thing> = {
      ...{ owner, thing, isMade: false, isLeaving: false, madeAt: 0, users: 0, timer: undefined },
    };
    entries.set(key, entry);
    thing.then(
      ({ gone }) => {
        entry.isMade = true;
        entry.madeAt = now();
        void gone?.then(() => forget(key, entry));
        changed();
      },
      () => forget(key, entry),
    );
    return entry;
  };

  /** Stands in the queue from now on, so that nobody who comes later and has more is served before. */
  const stand = (owner: string): Waiting => {
    const own = [...waiting].filter((each) => each.owner === owner).length;
    if (own >= limits.waitingPerOwner || waiting.size >= limits.waiting) throw new PastBusy();
    const each: Waiting = { owner, wake: () => {} };
    waiting.add(each);
    return each;
  };

  /** Also resolves when somebody's turn may be over without anything having happened. */
  const change = (each: Waiting, deadline: number): Promise<void> =>
    new Promise((resolve) => {
      const timer = setTimeout(resolve, Math.max(1, Math.min(deadline - now(), limits.turnMs)));
      each.wake = () => {
        clearTimeout(timer);
        resolve();
      };
    });

  /** From here on nobody closes it. */
  const use = (key: string, entry: Entry<Thing>): Entry<Thing> => {
    clearTimeout(entry.timer);
    entry.users += 1;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  };

  const find = async (owner: string, key: string, make: () => Promise<Thing>): Promise<Entry<Thing>> => {
    const deadline = now() + limits.waitMs;
    let standing: Waiting | undefined;
    try {
      for (;;) {
        const entry = entries.get(key) ?? (hasRoom(owner) ? begin(owner, key, make) : undefined);
        if (entry && !entry.isLeaving) return use(key, entry);
        if (now() >= deadline) throw new PastBusy();
        standing ??= stand(owner);
        await change(standing, deadline);
      }
    } finally {
      if (standing) waiting.delete(standing);
      if (standing) changed();
    }
  };

  const release = (key: string, entry: Entry<Thing>): void => {
    entry.users -= 1;
    if (entry.users > 0 || entries.get(key) !== entry) return;
    const end = (): void => void drop(key, entry).catch(() => undefined);
    if (entry.isLeaving) end();
    else {
      entry.timer = setTimeout(end, limits.idleMs);
      entry.timer.unref();
      changed();
    }
  };

  return {
    take: async (owner, key, make) => {
      const entry = await find(owner, key, make);
      try {
        const thing = await entry.thing;
        let isHeld = true;
        return {
          thing,
          release: () => {
            if (isHeld) release(key, entry);
            isHeld = false;
          },
        };
      } catch (error) {
        entry.users -= 1;
        throw error;
      }
    },
    close: async () => {
      await Promise.allSettled([...entries].map(([key, entry]) => drop(key, entry)));
    },
  };
};
