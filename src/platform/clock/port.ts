/** Time as the program sees it, so that a simulation can own it. */
export type Clock = {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` (of 0: one turn of the event loop), or at once when the signal aborts; never rejects. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
};

export type Random = {
  uuid(): string;
  bytes(count: number): Uint8Array;
  /** At least 0, less than 1. */
  fraction(): number;
};
