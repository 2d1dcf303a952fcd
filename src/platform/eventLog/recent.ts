import { type Bound, fitting } from './bound.ts';
import type { LogBatch, Position, StoredEvent } from './port.ts';

/** The newest part of the log, as a subscription delivers it, for those who read it at their own pace. */
export type Recent = {
  add(batch: LogBatch): void;
  /** What came after a position, as far as it fits; undefined when some of that is no longer here. */
  after(position: Position, most: Bound): LogBatch | undefined;
};

/** So many events at least stay, and fewer than twice as many: unless they are larger than `keep.bytes` together. */
export const createRecent = (start: Position, keep: Bound): Recent => {
  let events: StoredEvent[] = [];
  let bytes = 0;
  /** All events after this position are here. */
  let begin = start;
  let end = start;
  let caughtUp = false;

  const forgetOldest = (): void => {
    let from = events.length;
    bytes = 0;
    for (; from > 0 && events.length - from < keep.events; from -= 1) {
      const event = events[from - 1];
      const more = event === undefined ? 0 : keep.bytesOf(event);
      // Half of what may be, so that not every large one moves them all.
      if (bytes + more > keep.bytes / 2) break;
      bytes += more;
    }
    begin = events[from - 1]?.position ?? begin;
    events = events.slice(from);
  };

  return {
    add: (batch) => {
      events.push(...batch.events);
      for (const event of batch.events) bytes += keep.bytesOf(event);
      if (batch.position > end) end = batch.position;
      caughtUp = batch.caughtUp;
      if (events.length >= 2 * keep.events || bytes > keep.bytes) forgetOldest();
    },
    after: (position, most) => {
      if (position < begin) return undefined;
      const from = firstAfter(events, position);
      const taken = fitting(events.slice(from, from + most.events), most);
      const isDry = from + taken.length >= events.length;
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
