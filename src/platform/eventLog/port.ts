/** Commit position in the log. EventStoreDB gives commit == prepare for every event. */
export type Position = bigint;

/** `number` is the exact revision of the stream's last event. */
export type ExpectedRevision = number | 'noStream' | 'streamExists' | 'any';

export type JsonObject = { readonly [key: string]: unknown };

export type NewEvent = {
  readonly id: string;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
};

export type StoredEvent = {
  readonly id: string;
  readonly stream: string;
  readonly revision: number;
  readonly position: Position;
  readonly type: string;
  readonly data: JsonObject;
  readonly metadata: JsonObject;
  /** Milliseconds since the epoch, as the server stamped it. */
  readonly recordedAt: number;
};

export type AppendOutcome =
  | { readonly ok: true; readonly revision: number; readonly position: Position }
  /** `actual` is -1 when the stream has no events. */
  | { readonly ok: false; readonly conflict: 'revision'; readonly actual: number }
  | { readonly ok: false; readonly conflict: 'deleted' };

/** What a subscription saw since the last batch; `events` may be empty when only a checkpoint moved or it caught up. */
export type LogBatch = {
  readonly events: readonly StoredEvent[];
  /** Everything up to and including this position has been delivered. */
  readonly position: Position;
  /** True when nothing more was waiting in the log as this batch was formed. */
  readonly caughtUp: boolean;
};

export type EventLog = {
  /**
   * Appends all events or none, acknowledged once durable. A lost answer is resolved by reading back the event ids, so
   * the outcome is always known. Waits when too much is in flight. Throws EventLogUnavailable when the log stays away.
   */
  append(stream: string, events: readonly NewEvent[], expected: ExpectedRevision): Promise<AppendOutcome>;
  /** A missing stream yields nothing. `from` is inclusive. */
  readStream(
    stream: string,
    options?: {
      readonly from?: number | 'start' | 'end';
      readonly direction?: 'forwards' | 'backwards';
      readonly limit?: number;
    },
  ): AsyncIterable<StoredEvent>;
  /** Forwards over the whole log without system events, `after` exclusive. Ends at the end of the log. */
  readAll(options?: { readonly after?: Position; readonly limit?: number }): AsyncIterable<StoredEvent>;
  /** The same for a reader that wants batches: far cheaper than one promise per event. */
  readAllBatches(options?: { readonly after?: Position; readonly maxBatch?: number }): AsyncIterable<LogBatch>;
  /**
   * Follows the log for ever, in order, without gaps or repeats over reconnects, until the signal aborts (then it ends
   * normally). A batch ends when nothing more is waiting, at `maxBatch` events, or where it
   * would be too large in bytes; a slow consumer is given back-pressure.
   * Throws LogRewound when the log ends before `after`, or before what was delivered when the connection broke.
   */
  subscribe(options: {
    readonly after?: Position;
    readonly maxBatch?: number;
    readonly signal: AbortSignal;
  }): AsyncIterable<LogBatch>;
  /** Position of the newest non-system event, 0n for an empty log. */
  head(): Promise<Position>;
  /** Position of the newest event of any kind, 0n for an empty log: nothing that follows this log can be beyond it. */
  end(): Promise<Position>;
  /** Keeps only the newest `count` events of a stream readable ($maxCount): snapshots use it. */
  keepNewest(stream: string, count: number): Promise<void>;
  close(): Promise<void>;
};
