import { type Connection, openConnection } from './httpClient.ts';
import { arrivals } from './random.ts';

/** The request of each number, counted from 0 over the life of the target. */
export type Target = { readonly port: number; readonly next: () => string | Uint8Array };

export type LoadResult = {
  readonly answered: number;
  /** Answers that were no 2xx, by status. */
  readonly refused: ReadonlyMap<number, number>;
  readonly seconds: number;
  /** Milliseconds; in an open loop counted from the moment at which the caller arrived, whoever kept him waiting. */
  readonly latencies: readonly number[];
};

const openAll = (port: number, count: number): Promise<Connection[]> =>
  Promise.all(Array.from({ length: count }, () => openConnection(port)));

const record = () => {
  const latencies: number[] = [];
  const refused = new Map<number, number>();
  return {
    answer: (status: number, startedAt: number): void => {
      if (status >= 200 && status < 300) latencies.push(performance.now() - startedAt);
      else refused.set(status, (refused.get(status) ?? 0) + 1);
    },
    result: (startedAt: number): LoadResult => {
      const seconds = (performance.now() - startedAt) / 1_000;
      return { answered: latencies.length, refused, seconds, latencies };
    },
  };
};

/** Ends after a time, or after a number of requests. */
export type Extent = { readonly seconds: number } | { readonly requests: number };

/** Each connection sends its next request when the last one is answered: the most that so many callers get. */
export const closedLoop = async (target: Target, connections: number, extent: Extent): Promise<LoadResult> => {
  const open = await openAll(target.port, connections);
  const { answer, result } = record();
  const startedAt = performance.now();
  const until = 'seconds' in extent ? startedAt + extent.seconds * 1_000 : Number.POSITIVE_INFINITY;
  let left = 'requests' in extent ? extent.requests : Number.POSITIVE_INFINITY;
  const work = async (connection: Connection): Promise<void> => {
    while (left > 0 && performance.now() < until) {
      left -= 1;
      const sentAt = performance.now();
      answer(await connection.exchange(target.next()), sentAt);
    }
  };
  await Promise.all(open.map(work));
  const finished = result(startedAt);
  for (const connection of open) connection.close();
  return finished;
};

/** A closed loop that nothing stops: refused or cut off, it goes on at once. `stop` answers what it was told, by status. */
export const flood = (target: Target, connections: number): { stop(): Promise<ReadonlyMap<number, number>> } => {
  const told = new Map<number, number>();
  let isOver = false;
  const work = async (): Promise<void> => {
    while (!isOver) {
      try {
        const connection = await openConnection(target.port);
        while (!isOver) {
          const status = await connection.exchange(target.next());
          told.set(status, (told.get(status) ?? 0) + 1);
        }
        connection.close();
      } catch {
        // Cut off: the next connection goes on.
        told.set(0, (told.get(0) ?? 0) + 1);
      }
    }
  };
  const working = Promise.all(Array.from({ length: connections }, work));
  return {
    stop: async () => {
      isOver = true;
      await working;
      return told;
    },
  };
};

export type OpenLoop = {
  readonly rate: number;
  readonly seconds: number;
  readonly seed: number;
  readonly connections?: number;
  /** Called with the moment of the schedule, before the target is asked for the request. */
  readonly onArrival?: (dueAt: number) => void;
};

/**
 * Calls `arrive` at the moments of a fixed schedule, however slow the answers are; the moment handed over is the one of
 * the schedule. Resolves when everything it started has ended.
 */
export const onSchedule = async (
  { rate, seconds, seed }: OpenLoop,
  arrive: (index: number, dueAt: number) => Promise<void>,
): Promise<number> => {
  const due = arrivals(rate, seconds, seed);
  const startedAt = performance.now() + 5;
  const pending: Promise<void>[] = [];
  for (let next = 0; next < due.length; ) {
    const now = performance.now() - startedAt;
    for (let at = due[next]; at !== undefined && at <= now; at = due[next]) {
      pending.push(arrive(next, startedAt + at));
      next += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  await Promise.all(pending);
  return startedAt;
};

/** Requests at a rate of their own: those that find every connection busy wait, and their waiting counts. */
export const openLoop = async (target: Target, options: OpenLoop): Promise<LoadResult> => {
  const free = await openAll(target.port, options.connections ?? 64);
  const all = [...free];
  const queue: ((connection: Connection) => void)[] = [];
  const { answer, result } = record();
  const take = (): Promise<Connection> => {
    const connection = free.pop();
    if (connection && !connection.isOpen()) return openConnection(target.port);
    return connection ? Promise.resolve(connection) : new Promise((resolve) => queue.push(resolve));
  };
  const giveBack = (connection: Connection): void => {
    const next = queue.shift();
    if (next) next(connection);
    else free.push(connection);
  };
  const startedAt = await onSchedule(options, async (_index, dueAt) => {
    options.onArrival?.(dueAt);
    const request = target.next();
    const connection = await take();
    answer(await connection.exchange(request), dueAt);
    giveBack(connection);
  });
  const finished = result(startedAt);
  for (const connection of [...all, ...free]) connection.close();
  return finished;
};
