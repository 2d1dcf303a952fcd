import { type Bound, batchBound } from './bound.ts';
import { bytesOf } from './decode.ts';
import type { EventLog, LogBatch, Position } from './port.ts';
import { createRecent } from './recent.ts';

type Subscribe = EventLog['subscribe'];

/** So many events are kept for those who share a subscription; who is further behind has one of his own. */
const KEPT: Bound = { events: 512, bytes: 32 * 1024 * 1024, bytesOf };
const DEFAULT_BATCH = 512;

/**
 * All who follow the log to its end share one subscription: an event is sent and decoded once, however many want it. Who is
 * behind, at the start or because he is slow, follows by himself, with back-pressure, until he has caught up.
 */
export const sharing = (alone: Subscribe): Subscribe => {
  let current: Session | undefined;
  const join = (position: Position): Follower | undefined => {
    if (current === undefined || current.isOver()) current = createSession(alone, position);
    return current.join(position);
  };
  return async function* ({ after = 0n, maxBatch = DEFAULT_BATCH, signal }) {
    let position = after;
    while (!signal.aborted) {
      let follower: Follower | undefined;
      for await (const batch of alone({ after: position, maxBatch, signal })) {
        position = batch.position;
        yield batch;
        follower = batch.caughtUp && !signal.aborted ? join(position) : undefined;
        if (follower) break;
      }
      if (!follower) return;
      for await (const batch of follower.follow(position, maxBatch, signal)) {
        position = batch.position;
        yield batch;
      }
      if (!follower.fellBehind()) return;
    }
  };
};

type Follower = {
  /** Ends when aborted, when the session is over, or when it has gone on too far: then the rest is to be read alone. */
  follow(after: Position, maxBatch: number, signal: AbortSignal): AsyncGenerator<LogBatch, void>;
  fellBehind(): boolean;
};

type Session = {
  /** Undefined when it is too far ahead of this position. */
  join(position: Position): Follower | undefined;
  isOver(): boolean;
};

/** One subscription and all who take from it. Ends with the last of them, or for all of them with what it failed with. */
const createSession = (alone: Subscribe, start: Position): Session => {
  const stop = new AbortController();
  const recent = createRecent(start, KEPT);
  const waiting = new Set<() => void>();
  let followers = 0;
  let over: { readonly error?: unknown } | undefined;

  const wakeAll = (): void => {
    for (const wake of waiting) wake();
  };
  const pump = async (): Promise<void> => {
    for await (const batch of alone({ after: start, signal: stop.signal })) {
      recent.add(batch);
      wakeAll();
    }
  };
  const end = (how: { readonly error?: unknown }): void => {
    over ??= how;
    wakeAll();
  };
  pump().then(
    () => end({}),
    (error: unknown) => end({ error }),
  );

  const news = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve) => {
      const wake = (): void => {
        waiting.delete(wake);
        signal.removeEventListener('abort', wake);
        resolve();
      };
      waiting.add(wake);
      signal.addEventListener('abort', wake);
    });
  const leave = (): void => {
    followers -= 1;
    if (followers > 0) return;
    over ??= {};
    stop.abort();
  };
  const createFollower = (): Follower => {
    let isBehind = false;
    return {
      fellBehind: () => isBehind,
      follow: (after, maxBatch, signal) =>
        follow(after, maxBatch, signal, () => {
          isBehind = true;
        }),
    };
  };
  async function* follow(
    after: Position,
    maxBatch: number,
    signal: AbortSignal,
    onBehind: () => void,
  ): AsyncGenerator<LogBatch, void> {
    let position = after;
    const most = batchBound(maxBatch);
    let toldCaughtUp = true;
    try {
      while (!signal.aborted) {
        const batch = recent.after(position, most);
        if (batch === undefined) return onBehind();
        const isNews = batch.events.length > 0 || batch.position > position || (batch.caughtUp && !toldCaughtUp);
        if (isNews) {
          position = batch.position;
          toldCaughtUp = batch.caughtUp;
          yield batch;
        } else if (over) {
          if ('error' in over) throw over.error;
          return;
        } else await news(signal);
      }
    } finally {
      leave();
    }
  }

  return {
    isOver: () => over !== undefined,
    join: (position) => {
      if (recent.after(position, batchBound(1)) === undefined) return undefined;
      followers += 1;
      return createFollower();
    },
  };
};
