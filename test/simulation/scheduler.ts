/** Time that moves only from one thing to happen to the next: no real timer, no waiting. */
export type Scheduler = {
  now(): number;
  /** Of things at the same time, timers come before answers, and then what was scheduled first. Answers how to call it off. */
  at(time: number, what: () => void, rank?: Rank): () => void;
  /** Lets things happen, one after the other, until `over`; false when nothing is left to happen. */
  run(over: () => boolean): Promise<boolean>;
};

/** As in an event loop: timers that are due fire before answers that have come meanwhile. */
export type Rank = 'timer' | 'answer';

type Entry = { readonly time: number; readonly order: number; what: (() => void) | undefined };

const before = (left: Entry, right: Entry): boolean =>
  left.time !== right.time ? left.time < right.time : left.order < right.order;

/** Everything that promises have to say after one thing happened is said before the next thing happens. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

export const createScheduler = (start: number): Scheduler => {
  const heap = createHeap();
  let now = start;
  let count = 0;
  return {
    now: () => now,
    at: (time, what, rank = 'timer') => {
      count += 1;
      const entry: Entry = { time: Math.max(now, time), order: count + (rank === 'answer' ? 2 ** 40 : 0), what };
      heap.push(entry);
      return () => {
        entry.what = undefined;
      };
    },
    run: async (over) => {
      while (!over()) {
        const next = heap.pop();
        if (next === undefined) return false;
        if (next.what === undefined) continue;
        now = next.time;
        next.what();
        await settle();
      }
      return true;
    },
  };
};

/** A binary heap, the earliest entry first. */
const createHeap = () => {
  const items: Entry[] = [];
  const swap = (one: number, other: number): void => {
    const [left, right] = [items[one], items[other]];
    if (left === undefined || right === undefined) return;
    items[one] = right;
    items[other] = left;
  };
  const isBefore = (one: number, other: number): boolean => {
    const [left, right] = [items[one], items[other]];
    return left !== undefined && right !== undefined && before(left, right);
  };
  const sink = (): void => {
    for (let place = 0; ; ) {
      const left = 2 * place + 1;
      const child = isBefore(left + 1, left) ? left + 1 : left;
      if (!isBefore(child, place)) return;
      swap(child, place);
      place = child;
    }
  };
  return {
    push: (entry: Entry): void => {
      items.push(entry);
      for (let place = items.length - 1; place > 0; ) {
        const parent = (place - 1) >> 1;
        if (!isBefore(place, parent)) return;
        swap(place, parent);
        place = parent;
      }
    },
    pop: (): Entry | undefined => {
      const first = items[0];
      const last = items.pop();
      if (first === undefined || last === undefined || items.length === 0) return first;
      items[0] = last;
      sink();
      return first;
    },
  };
};
