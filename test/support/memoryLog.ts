import { randomUUID } from 'node:crypto';
import type {
  AppendOutcome,
  EventLog,
  ExpectedRevision,
  LogBatch,
  NewEvent,
  Position,
  StoredEvent,
} from '../../src/platform/eventLog/port.ts';

/** The port in memory: for tests that need many logs, or control over what a subscription sees and when. */
export type MemoryLog = EventLog & {
  readonly events: readonly StoredEvent[];
  /** Appends one event without asking for the revision; answers its position. */
  add(stream: string, type: string, data: object, metadata?: object): Position;
  /** Makes the next reads and running subscriptions fail, as a lost connection does, until `recover`. */
  fail(): void;
  recover(): void;
};

const matches = (expected: ExpectedRevision, actual: number): boolean =>
  expected === 'any' ||
  (expected === 'noStream' && actual === -1) ||
  (expected === 'streamExists' && actual >= 0) ||
  expected === actual;

/** `recordedAt` of the events; counts up by one millisecond each when not given. */
export const createMemoryLog = (clock?: () => number): MemoryLog => {
  const events: StoredEvent[] = [];
  const streams = new Map<string, StoredEvent[]>();
  let failing = false;
  let wake: (() => void)[] = [];
  const ring = (): void => {
    const waiting = wake;
    wake = [];
    for (const each of waiting) each();
  };
  const check = (): void => {
    if (failing) throw new Error('the memory log is failing');
  };

  const store = (stream: string, fresh: readonly NewEvent[]): StoredEvent | undefined => {
    const known = streams.get(stream) ?? [];
    streams.set(stream, known);
    for (const event of fresh) {
      const stored: StoredEvent = {
        ...event,
        stream,
        revision: known.length,
        position: BigInt(events.length + 1) * 10n,
        recordedAt: clock?.() ?? 1_700_000_000_000 + events.length,
      };
      known.push(stored);
      events.push(stored);
    }
    ring();
    return known.at(-1);
  };

  const indexAfter = (after: Position): number => {
    let low = 0;
    let high = events.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((events[middle]?.position ?? 0n) <= after) low = middle + 1;
      else high = middle;
    }
    return low;
  };

  const batchFrom = (index: number, maxBatch: number, position: Position): LogBatch => {
    const taken = events.slice(index, index + maxBatch);
    return {
      events: taken,
      position: taken.at(-1)?.position ?? position,
      caughtUp: index + taken.length >= events.length,
    };
  };

  async function* readStream(
    stream: string,
    options: Parameters<EventLog['readStream']>[1] = {},
  ): AsyncGenerator<StoredEvent> {
    check();
    const all = [...(streams.get(stream) ?? [])];
    const backwards = options.direction === 'backwards';
    const from = options.from ?? (backwards ? 'end' : 'start');
    const chosen = all.filter(({ revision }) => {
      if (typeof from !== 'number') return true;
      return backwards ? revision <= from : revision >= from;
    });
    if (backwards) chosen.reverse();
    yield* chosen.slice(0, options.limit ?? chosen.length);
  }

  async function* readAll(options: Parameters<EventLog['readAll']>[0] = {}): AsyncGenerator<StoredEvent> {
    check();
    const start = indexAfter(options.after ?? 0n);
    yield* events.slice(start, start + (options.limit ?? events.length));
  }

  async function* readAllBatches(options: Parameters<EventLog['readAllBatches']>[0] = {}): AsyncGenerator<LogBatch> {
    const end = events.length;
    for (let index = indexAfter(options.after ?? 0n); index < end; ) {
      check();
      const batch = batchFrom(index, options.maxBatch ?? 1000, 0n);
      index += batch.events.length;
      yield batch;
    }
  }

  async function* subscribe(options: Parameters<EventLog['subscribe']>[0]): AsyncGenerator<LogBatch> {
    let position = options.after ?? 0n;
    let index = indexAfter(position);
    for (let first = true; !options.signal.aborted; first = false) {
      check();
      if (index < events.length || first) {
        const batch = batchFrom(index, options.maxBatch ?? 1000, position);
        index += batch.events.length;
        position = batch.position;
        yield batch;
        continue;
      }
      await new Promise<void>((resolve) => {
        const proceed = (): void => {
          options.signal.removeEventListener('abort', proceed);
          resolve();
        };
        wake.push(proceed);
        options.signal.addEventListener('abort', proceed);
      });
    }
  }

  return {
    events,
    add: (stream, type, data, metadata = {}) =>
      store(stream, [{ id: randomUUID(), type, data: { ...data }, metadata: { ...metadata } }])?.position ?? 0n,
    fail: () => {
      failing = true;
      ring();
    },
    recover: () => {
      failing = false;
    },
    append: async (stream, fresh, expected): Promise<AppendOutcome> => {
      check();
      const actual = (streams.get(stream)?.length ?? 0) - 1;
      if (!matches(expected, actual)) return { ok: false, conflict: 'revision', actual };
      const last = store(stream, fresh);
      return { ok: true, revision: last?.revision ?? -1, position: last?.position ?? 0n };
    },
    readStream,
    readAll,
    readAllBatches,
    subscribe,
    head: async () => {
      check();
      return events.at(-1)?.position ?? 0n;
    },
    end: async () => {
      check();
      return events.at(-1)?.position ?? 0n;
    },
    keepNewest: async (stream, count) => {
      const known = streams.get(stream);
      known?.splice(0, Math.max(0, known.length - count));
    },
    close: async () => {},
  };
};
