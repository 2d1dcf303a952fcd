/** The event log did not answer for as long as the caller was willing to wait. A later try may succeed. */
export class EventLogUnavailable extends Error {
  override readonly name = 'EventLogUnavailable';
}

/** The log ends before the position to go on from: it is not the log that the position was taken from. */
export class LogRewound extends Error {
  override readonly name = 'LogRewound';
}

/** The server will never take this append, however often it is sent: too large, no permission, malformed. */
export class AppendRefused extends Error {
  override readonly name = 'AppendRefused';
}

export const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
