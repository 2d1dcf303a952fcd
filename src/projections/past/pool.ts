import { PastBusy } from './errors.ts';

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
};

export type Closable = { close(): Promise<void> };
export type Held<Thing> = { readonly thing: Thing; release(): void };

export type Pool<Thing> = {
  /** Throws PastBusy, and what `make` throws. */
  take(owner: string, key: string, make: () => Promise<Thing>): Promise<Held<Thing>>;
  close(): Promise<void>;
};

type Entry<Thing> = {
  readonly owner: string;
  readonly thing: Promise<Thing>;
  isMade: boolean;
  users: number;
  timer: NodeJS.Timeout | undefined;
};

export const createPool = <Thing extends Closable>(limits: PoolLimits): Pool<Thing> => {
  /** Those that were used last are last. */
  const entries = new Map<string, Entry<Thing>>();
  const waiting = new Map<() => void, string>();

  const changed = (): void => {
    for (const wake of waiting.keys()) wake();
  };

  const drop = async (key: string, entry: Entry<Thing>): Promise<void> => {
    clearTimeout(entry.timer);
    if (entries.get(key) === entry) entries.delete(key);
    changed();
    await entry.thing.then((thing) => thing.close());
  };

  /** Is there room for one more of this owner? An idle one makes room. */
  const hasRoom = (owner: string): boolean => {
    for (const entry of entries.values()) if (entry.owner === owner && !entry.isMade) return false;
    if (entries.size < limits.open) return true;
    const idle = [...entries].find(([, entry]) => entry.users === 0 && entry.isMade);
    if (idle === undefined) return false;
    void drop(...idle).catch(() => undefined);
    return true;
  };

  const begin = (owner: string, key: string, make: () => Promise<Thing>): Entry<Thing> => {
    const entry: Entry<Thing> = { owner, thing: make(), isMade: false, users: 0, timer: undefined };
    entries.set(key, entry);
    entry.thing.then(
      () => {
        entry.isMade = true;
        changed();
      },
      () => {
        if (entries.get(key) === entry) entries.delete(key);
        changed();
      },
    );
    return entry;
  };

  const waitForChange = (owner: string, deadline: number): Promise<void> => {
    const own = [...waiting.values()].filter((each) => each === owner).length;
    if (own >= limits.waitingPerOwner || waiting.size >= limits.waiting) throw new PastBusy();
    return new Promise((resolve, reject) => {
      const wake = (): void => {
        clearTimeout(timer);
        waiting.delete(wake);
        resolve();
      };
      const timer = setTimeout(
        () => {
          waiting.delete(wake);
          reject(new PastBusy());
        },
        Math.max(0, deadline - performance.now()),
      );
      waiting.set(wake, owner);
    });
  };

  /** From here on nobody closes it. */
  const use = (key: string, entry: Entry<Thing>): Entry<Thing> => {
    clearTimeout(entry.timer);
    entry.users += 1;
    entries.delete(key);
    entries.set(key, entry);
    return entry;
  };

  const find = async (owner: string, key: string, make: () => Promise<Thing>): Promise<Entry<Thing>> => {
    const deadline = performance.now() + limits.waitMs;
    for (;;) {
      const entry = entries.get(key) ?? (hasRoom(owner) ? begin(owner, key, make) : undefined);
      if (entry) return use(key, entry);
      await waitForChange(owner, deadline);
    }
  };

  const release = (key: string, entry: Entry<Thing>): void => {
    entry.users -= 1;
    if (entry.users > 0 || entries.get(key) !== entry) return;
    entry.timer = setTimeout(() => void drop(key, entry).catch(() => undefined), limits.idleMs);
    entry.timer.unref();
    changed();
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
