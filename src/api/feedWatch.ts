import type { Queries } from '../projections/queries.ts';

/** Somebody who waits for events of one workspace. */
export type FeedSubscription = {
  /** Resolves when there may be new ones since it resolved the last time, when the time is over, or when aborted. */
  wait(timeoutMs: number, signal: AbortSignal): Promise<void>;
  close(): void;
};

export type FeedWatch = { subscribe(workspaceId: string): FeedSubscription };

type Waiting = { isDue: boolean; wake: () => void };

/** One look at the table for all readers after each change, and only readers of a workspace that has something wake up. */
export const createFeedWatch = (
  queries: Pick<Queries, 'feedChanges' | 'newestEvent'>,
): FeedWatch & { readonly changed: () => void } => {
  const readers = new Map<string, Set<Waiting>>();
  /** Undefined while nobody waits: then nothing is looked at. */
  let seen: number | undefined;
  let isLooking = false;
  let again = false;

  const wake = (waiting: Iterable<Waiting>): void => {
    for (const each of waiting) {
      each.isDue = true;
      each.wake();
    }
  };
  const wakeAll = (): void => {
    for (const waiting of readers.values()) wake(waiting);
  };

  const look = async (): Promise<void> => {
    if (seen === undefined) {
      seen = await queries.newestEvent();
      wakeAll();
      return;
    }
    const { workspaceIds, position } = await queries.feedChanges({ after: seen });
    seen = position;
    for (const id of workspaceIds) wake(readers.get(id) ?? []);
  };

  const changed = (): void => {
    again = true;
    if (isLooking || readers.size === 0) return;
    isLooking = true;
    void lookWhileChanged();
  };
  const lookWhileChanged = async (): Promise<void> => {
    while (again && readers.size > 0) {
      again = false;
      // Who cannot be told what changed looks for himself, and meets the same trouble there.
      await look().catch(() => {
        seen = undefined;
        wakeAll();
      });
    }
    if (readers.size === 0) seen = undefined;
    isLooking = false;
  };

  return {
    changed,
    subscribe: (workspaceId) => {
      const waiting: Waiting = { isDue: false, wake: () => {} };
      const others = readers.get(workspaceId) ?? new Set();
      readers.set(workspaceId, others.add(waiting));
      return {
        wait: (timeoutMs, signal) => waitFor(waiting, timeoutMs, signal),
        close: () => {
          others.delete(waiting);
          if (others.size === 0 && readers.get(workspaceId) === others) readers.delete(workspaceId);
          if (readers.size === 0 && !isLooking) seen = undefined;
        },
      };
    },
  };
};

const waitFor = async (waiting: Waiting, timeoutMs: number, signal: AbortSignal): Promise<void> => {
  if (!waiting.isDue && !signal.aborted) {
    await new Promise<void>((resolve) => {
      const done = (): void => {
        clearTimeout(timer);
        signal.removeEventListener('abort', done);
        waiting.wake = () => {};
        resolve();
      };
      const timer = setTimeout(done, timeoutMs);
      signal.addEventListener('abort', done, { once: true });
      waiting.wake = done;
    });
  }
  waiting.isDue = false;
};
