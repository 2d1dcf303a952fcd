import type { EventLog, StoredEvent } from '../../platform/eventLog/port.ts';

const refuse = (): never => {
  throw new Error('Nothing is written to the past.');
};

/** The log as it was at a position, for readers of single streams. Nothing can be written to it. */
export const logUpTo = (log: EventLog, position: bigint): EventLog => ({
  readStream: (stream, options) => streamUpTo(log, position, stream, options),
  readAll: refuse,
  readAllBatches: refuse,
  subscribe: refuse,
  append: refuse,
  keepNewest: refuse,
  head: async () => position,
  end: async () => position,
  close: async () => {},
});

async function* streamUpTo(
  log: EventLog,
  position: bigint,
  stream: string,
  { limit = Number.POSITIVE_INFINITY, ...options }: Parameters<EventLog['readStream']>[1] = {},
): AsyncGenerator<StoredEvent> {
  const backwards = options.direction === 'backwards';
  let left = limit;
  // Backwards, what came later is stepped over, so that the limit is not the log's to count.
  for await (const event of log.readStream(
    stream,
    backwards || limit === Number.POSITIVE_INFINITY ? options : { ...options, limit },
  )) {
    if (left === 0) return;
    if (event.position > position) {
      if (!backwards) return;
      continue;
    }
    left -= 1;
    yield event;
  }
}

const readers = 8;

/** The events of some streams up to a position, in log order. All are in memory at once: the caller sees to their number. */
export const readStreamsUpTo = async (
  log: Pick<EventLog, 'readStream'>,
  pages: AsyncIterable<readonly string[]>,
  position: bigint,
  signal: AbortSignal,
): Promise<{ readonly streams: number; readonly events: readonly StoredEvent[] }> => {
  const events: StoredEvent[] = [];
  const seen = new Set<string>();
  const waiting = distinct(pages, seen);
  const read = async (): Promise<void> => {
    for await (const stream of waiting) {
      signal.throwIfAborted();
      for await (const event of log.readStream(stream)) {
        if (event.position > position) break;
        events.push(event);
      }
    }
  };
  await Promise.all(Array.from({ length: readers }, read));
  events.sort((left, right) => (left.position < right.position ? -1 : left.position > right.position ? 1 : 0));
  return { streams: seen.size, events };
};

async function* distinct(pages: AsyncIterable<readonly string[]>, seen: Set<string>): AsyncGenerator<string> {
  for await (const page of pages) {
    for (const name of page) {
      if (seen.has(name)) continue;
      seen.add(name);
      yield name;
    }
  }
}

/** Events that are in memory, as the loader of read tables reads a log. */
export const logOf = (events: readonly StoredEvent[]): Pick<EventLog, 'readAllBatches'> => ({
  readAllBatches: async function* ({ maxBatch = 500 } = {}) {
    for (let start = 0; start < events.length; start += maxBatch) {
      const batch = events.slice(start, start + maxBatch);
      const caughtUp = start + maxBatch >= events.length;
      yield { events: batch, position: batch.at(-1)?.position ?? 0n, caughtUp };
    }
  },
});
