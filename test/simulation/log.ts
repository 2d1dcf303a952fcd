import { EventLogUnavailable } from '../../src/platform/eventLog/errors.ts';
import type { EventLog, StoredEvent } from '../../src/platform/eventLog/port.ts';
import { createMemoryLog, type MemoryLog } from '../support/memoryLog.ts';
import type { Faults } from './faults.ts';
import type { Process } from './process.ts';
import type { Draws } from './random.ts';
import type { Scheduler } from './scheduler.ts';

/** What was appended, by which process; before anybody is answered. */
export type Appended = (process: string, events: readonly StoredEvent[]) => void;

export type SimulatedLog = {
  readonly events: readonly StoredEvent[];
  /** The log as this process reaches it. */
  viewOf(process: Process): EventLog;
};

export const createSimulatedLog = (
  scheduler: Scheduler,
  draws: Draws,
  faults: Faults,
  appended: Appended,
  /** Called for a process that the log has failed. */
  failed: (process: Process) => void,
): SimulatedLog => {
  const store = createMemoryLog(scheduler.now);
  const append = withKnownIds(store, appended);
  const never = new Promise<never>(() => {});

  const viewOf = (process: Process): EventLog => {
    /** Every request takes its time; none is answered while the process is cut off. */
    const reach = async (): Promise<void> => {
      await process.pause(draws.between(1, 15));
      if (!faults.isCutOff(process.name, scheduler.now())) return;
      failed(process);
      await process.pause(500);
      throw new EventLogUnavailable(`${process.name} does not reach the log`);
    };
    const reachToRead = async (): Promise<void> => {
      await reach();
      if (!faults.readFails()) return;
      failed(process);
      throw new EventLogUnavailable('the answer of the log was lost');
    };
    return {
      append: async (stream, events, expected) => {
        const fault = faults.append();
        if (fault !== 'none') failed(process);
        if (fault === 'before' || faults.isCutOff(process.name, scheduler.now())) {
          failed(process);
          await process.pause(draws.between(100, 1_500));
          throw new EventLogUnavailable('the log does not answer');
        }
        // On its way it no longer needs the process that sent it.
        const way = fault === 'slow' ? draws.between(200, 9_000) : draws.between(1, 10);
        return new Promise((resolve, reject) => {
          scheduler.at(scheduler.now() + way, () => {
            append(process.name, stream, events, expected).then((outcome) => {
              const lost = fault === 'after' ? new EventLogUnavailable('the answer of the log was lost') : undefined;
              process.after(lost ? 800 : draws.between(1, 5), () => (lost ? reject(lost) : resolve(outcome)));
            }, reject);
          });
        });
      },
      readStream: async function* (stream, options) {
        await reachToRead();
        yield* store.readStream(stream, options);
      },
      readAll: async function* (options) {
        await reachToRead();
        yield* store.readAll(options);
      },
      readAllBatches: async function* (options) {
        await reachToRead();
        yield* store.readAllBatches(options);
      },
      subscribe: async function* (options) {
        const signal = AbortSignal.any([options.signal, process.dead]);
        for await (const batch of store.subscribe({ ...options, signal })) {
          await process.pause(draws.between(5, 250));
          while (faults.isCutOff(process.name, scheduler.now())) await process.pause(500);
          if (options.signal.aborted) return;
          yield batch;
        }
        if (!process.isAlive()) await never;
      },
      head: async () => {
        await reachToRead();
        return store.head();
      },
      end: async () => {
        await reachToRead();
        return store.end();
      },
      keepNewest: (stream, count) => store.keepNewest(stream, count),
      close: async () => {},
    };
  };
  return { events: store.events, viewOf };
};

/** The same events once more at the same place are the same append, answered as the first time. */
const withKnownIds =
  (store: MemoryLog, appended: Appended) =>
  async (
    process: string,
    stream: string,
    events: Parameters<EventLog['append']>[1],
    expected: Parameters<EventLog['append']>[2],
  ): ReturnType<EventLog['append']> => {
    const before = store.events.length;
    const appending = store.append(stream, events, expected);
    const fresh = store.events.slice(before);
    if (fresh.length > 0) appended(process, fresh);
    const outcome = await appending;
    if (outcome.ok) return outcome;
    const from = expected === 'noStream' ? 0 : typeof expected === 'number' ? expected + 1 : undefined;
    if (from === undefined) return outcome;
    const there: StoredEvent[] = [];
    for await (const event of store.readStream(stream, { from, limit: events.length })) there.push(event);
    const last = there.at(-1);
    const same = there.length === events.length && there.every(({ id }, place) => id === events[place]?.id);
    return same && last ? { ok: true, revision: last.revision, position: last.position } : outcome;
  };
