import type { ServerResponse } from 'node:http';
import type { FeedPage } from '../projections/event/feed.ts';
import { formatEvent, streamTiming, writeTo } from './eventStream.ts';
import type { FeedSubscription } from './feedWatch.ts';

export type FeedStreamOptions = {
  /** Aborts when the client is gone, and when the program ends. */
  readonly signal: AbortSignal;
  readonly clock: { now(): number };
  readonly subscription: FeedSubscription;
  readonly read: (after: number) => Promise<FeedPage>;
  /** Position; exclusive. */
  readonly after: number;
  /** May the caller still read this, just as when the stream was opened? */
  readonly allowed: () => Promise<boolean>;
};

type Ended = 'closing' | 'forbidden' | 'unavailable';

/** How old an answer about the caller's rights may be when events are handed out. */
const rightsAgeMs = 1_000;
/** A look without being woken, in case nobody wakes: another process may write the tables. */
const lookMs = 5_000;

/** Writes page after page, asking for the next one only when the client has taken the last. */
export const streamFeed = async (response: ServerResponse, options: FeedStreamOptions): Promise<void> => {
  const reason = await pump(response, options);
  if (!response.destroyed) response.end(formatEvent({ event: 'end', data: { reason } }));
};

const pump = async (response: ServerResponse, options: FeedStreamOptions): Promise<Ended> => {
  const { signal, clock, subscription, read, allowed } = options;
  const isOver = (): boolean => signal.aborted || response.destroyed;
  let { after } = options;
  let wroteAt = clock.now();
  let checkedAt = clock.now();
  const opening = `retry: ${streamTiming.retryMs}\n\n${formatEvent({ id: String(after), event: 'open', data: {} })}`;
  if (!(await writeTo(response, opening, signal))) return 'closing';
  while (!isOver()) {
    const page = await read(after).catch(() => undefined);
    // The client comes back, and is answered what the trouble is.
    if (page === undefined) return 'unavailable';
    const now = clock.now();
    if (now - checkedAt >= (page.events.length > 0 ? rightsAgeMs : streamTiming.heartbeatMs)) {
      if (!(await allowed())) return 'forbidden';
      checkedAt = now;
    }
    let text = '';
    for (const event of page.events) text += formatEvent({ id: event.position, data: event });
    if (text === '' && now - wroteAt >= streamTiming.heartbeatMs) text = ':\n\n';
    if (text !== '') {
      wroteAt = now;
      if (!(await writeTo(response, text, signal))) return 'closing';
    }
    after = page.next;
    if (!page.more) await subscription.wait(lookMs, signal);
  }
  return 'closing';
};
