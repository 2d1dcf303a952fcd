import { bytesOf } from './decode.ts';
import type { StoredEvent } from './port.ts';

/** How much may be held at once: so many events, and so many bytes of large ones. */
export type Bound = {
  readonly events: number;
  readonly bytes: number;
  readonly bytesOf: (event: StoredEvent) => number;
};

const BATCH_BYTES = 8 * 1024 * 1024;

export const batchBound = (events: number): Bound => ({ events, bytes: BATCH_BYTES, bytesOf });

/**
 * The first of these events as far as they fit, but one at least: an event may be larger than the bound. Events that are known
 * to be small enough together are not asked for their sizes.
 */
export const fitting = (
  events: readonly StoredEvent[],
  most: Bound,
  together = Number.POSITIVE_INFINITY,
): readonly StoredEvent[] => {
  let count = Math.min(events.length, most.events);
  if (together > most.bytes) {
    let bytes = 0;
    const over = events.findIndex((event) => {
      bytes += most.bytesOf(event);
      return bytes > most.bytes;
    });
    if (over !== -1) count = Math.min(count, Math.max(1, over));
  }
  return count === events.length ? events : events.slice(0, count);
};
