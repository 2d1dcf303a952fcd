import type { EventLog, LogBatch, Position, StoredEvent } from '../platform/eventLog/port.ts';

/**
 * Vouches for cached states of streams that are asked for all the time and change seldom, such as tokens and departments.
 * Whoever has followed the whole log knows that nothing is new in them: one look at the end of the log then stands for a
 * read of every single stream. What it cannot vouch for is read, so a witness that is blind costs time and nothing else.
 */
export type Witness = {
  /** Changes whenever facts may have passed unseen: what was loaded in another span is not vouched for. */
  span(): number;
  /** The newest time up to which a state of this span and revision is known to be the newest; undefined for none. */
  vouchesUntil(stream: string, state: { readonly span: number; readonly revision: number }): number | undefined;
  /** The same log, whose subscriptions are overheard. They must be of the whole log. */
  overhearing(log: EventLog): EventLog;
};

/** Vouches for nothing. */
export const blindWitness: Witness = {
  span: () => 0,
  vouchesUntil: () => undefined,
  overhearing: (log) => log,
};

/** Streams that are remembered to have changed. More begin a new span. */
const maxStreams = 10_000;
/** A look at the end of the log this old is repeated as soon as somebody asks. */
const lookAgainMs = 200;

export const createWitness = (options: {
  readonly log: Pick<EventLog, 'head'>;
  readonly now: () => number;
  /** Of the streams that it can vouch for. */
  readonly categories: readonly string[];
}): Witness => {
  const { log, now } = options;
  const categories = new Set(options.categories);
  const newest = new Map<string, number>();
  let span = 1;
  /** Everything up to here, since the span began, was seen; undefined while nobody follows. */
  let seen: Position | undefined;
  /** Looks at the end of the log that are not yet reached, oldest first. */
  let awaited: { readonly end: Position; readonly at: number }[] = [];
  let lookedAt = Number.NEGATIVE_INFINITY;
  let until: number | undefined;

  const begin = (position: Position | undefined): void => {
    span += 1;
    seen = position;
    until = undefined;
    awaited = [];
    newest.clear();
  };
  const settle = (): void => {
    for (let first = awaited[0]; first && seen !== undefined && seen >= first.end; first = awaited[0]) {
      until = first.at;
      awaited.shift();
    }
  };
  const note = (events: readonly StoredEvent[]): void => {
    for (const { stream, revision } of events) {
      if (!isOf(categories, stream)) continue;
      if (newest.size >= maxStreams && !newest.has(stream)) begin(seen);
      newest.set(stream, Math.max(revision, newest.get(stream) ?? -1));
    }
  };
  const take = ({ events, position }: LogBatch, before: Position): void => {
    note(events);
    if (position > before) seen = position;
    settle();
  };
  /** In the background: whoever asks meanwhile is answered from the look before. */
  const look = (): void => {
    const at = now();
    if (seen === undefined || Math.abs(at - lookedAt) < lookAgainMs) return;
    lookedAt = at;
    const during = span;
    log.head().then(
      (end) => {
        if (span !== during) return;
        awaited.push({ end, at });
        settle();
      },
      () => undefined,
    );
  };

  async function* overhear(inner: EventLog, wanted: Parameters<EventLog['subscribe']>[0]) {
    const after = wanted.after ?? 0n;
    // Joins what was seen without a gap, or is the beginning of what can be vouched for.
    if (seen === undefined || after > seen) begin(after);
    let whole = false;
    try {
      for await (const batch of inner.subscribe(wanted)) {
        if (seen === undefined) begin(batch.position);
        else take(batch, seen);
        yield batch;
      }
      whole = true;
    } finally {
      // A log that was put back counts its positions anew.
      if (!whole) begin(undefined);
    }
  }

  return {
    span: () => span,
    vouchesUntil: (stream, state) => {
      if (!isOf(categories, stream)) return undefined;
      look();
      return state.span === span && (newest.get(stream) ?? -1) <= state.revision ? until : undefined;
    },
    overhearing: (inner) => ({ ...inner, subscribe: (wanted) => overhear(inner, wanted) }),
  };
};

const isOf = (categories: ReadonlySet<string>, stream: string): boolean =>
  categories.has(stream.slice(0, Math.max(0, stream.indexOf('-'))));
