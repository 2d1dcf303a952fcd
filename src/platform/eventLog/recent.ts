import type { LogBatch, Position, StoredEvent } from './port.ts';

/** The newest part of the log, as a subscription delivers it, for those who read it at their own pace. */
export type Recent = {
  add(batch: LogBatch): void;
  /** What came after a position, `maxBatch` events at most; undefined when some of that is no longer here. */
  after(position: Position, maxBatch: number): LogBatch | undefined;
};

/** Of the events, `keep` at least stay, and fewer than twice as many. */
export const createRecent = (start: Position, keep: number): Recent => {
  let events: StoredEvent[] = [];
  /** All events after this position are here. */
  let begin = start;
  let end = start;
  let caughtUp = false;

  return {
    add: (batch) => {
      events.push(...batch.events);
      if (batch.position > end) end = batch.position;
      caughtUp = batch.caughtUp;
      if (events.length < 2 * keep) return;
      const gone = events.length - keep;
      begin = events[gone - 1]?.position ?? begin;
      events = events.slice(gone);
    },
    after: (position, maxBatch) => {
      if (position < begin) return undefined;
      const from = firstAfter(events, position);
      const taken = events.slice(from, from + maxBatch);
      const isDry = from + maxBatch >= events.length;
      const next = isDry ? end : taken.at(-1)?.position;
      // Whoever has read alone may be a moment ahead.
      const reached = next !== undefined && next > position ? next : position;
      return { events: taken, position: reached, caughtUp: isDry && caughtUp };
    },
  };
};

const firstAfter = (events: readonly StoredEvent[], position: Position): number => {
  let [low, high] = [0, events.length];
  while (low < high) {
    const middle = (low + high) >>> 1;
    const event = events[middle];
    if (event !== undefined && event.position <= position) low = middle + 1;
    else high = middle;
  }
  return low;
};
