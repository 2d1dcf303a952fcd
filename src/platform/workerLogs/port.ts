/** One line that a worker wrote, or that the runtime or the platform wrote about it. Redacted before it is kept. */
export type LogLine = {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** 0 where that is not known. */
  readonly revision: number;
  readonly origin: 'console' | 'runtime' | 'platform';
  /** Of the console's method, as the runtime names it. */
  readonly level: string;
  readonly message: string;
};

/** A line as it is read: `cursor` is the place right after it; `droppedBefore` lines between it and the one before are gone. */
export type ReadLine = LogLine & { readonly cursor: string; readonly droppedBefore: number };

/** Oldest first. `cursor` is the place right after them, also when there are none. */
export type LogBatch = { readonly lines: readonly ReadLine[]; readonly cursor: string };

export type LogStart =
  | { readonly from: 'newest' }
  | { readonly from: 'cursor'; readonly cursor: string }
  | { readonly from: 'time'; readonly at: number };

/** What is kept of workers' lines, for any process that sees the folder. */
export type WorkerLogReader = {
  /** Is this a cursor as it was given out? */
  isCursor(text: string): boolean;
  /** At most `limit` lines; 'newest' answers the last ones. */
  page(scriptName: string, start: LogStart, limit: number): Promise<LogBatch>;
  /**
   * Every line after the start, for as long as the caller asks on. The first batch comes at once, an empty one whenever
   * nothing was written for a moment. Reads only when asked for the next batch, so that a slow reader costs no memory.
   */
  follow(scriptName: string, start: LogStart, signal: AbortSignal): AsyncIterable<LogBatch>;
};

/** Where lines are written. Never throws and never blocks. */
export type WorkerLogWriter = {
  write(scriptName: string, line: LogLine): void;
  /** Forgets everything of the script, on every node. */
  remove(scriptName: string): Promise<void>;
  /** Everything written so far is in its file afterwards. */
  flush(): Promise<void>;
};

/** The place of every line that nobody keeps: whoever comes back with it has missed what was written meanwhile. */
export const liveCursor = 'live';

/** Lines as they happen, from a provider that keeps none of them. */
export type LiveTail =
  | { readonly ok: true; readonly batches: AsyncIterable<LogBatch> }
  | { readonly ok: false; readonly detail: string };
export type OpenTail = (workerId: string, signal: AbortSignal) => Promise<LiveTail>;
