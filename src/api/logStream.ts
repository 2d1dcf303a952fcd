import type { ServerResponse } from 'node:http';
import type { LogBatch, ReadLine } from '../platform/workerLogs/port.ts';
import { formatEvent, streamTiming, writeTo } from './eventStream.ts';
import { isoTime } from './models.ts';

export type StreamOptions = {
  /** Aborts when the client is gone, and when the program ends. */
  readonly signal: AbortSignal;
  readonly clock: { now(): number };
  /** Asked now and then: may the caller still read this? */
  readonly allowed: () => Promise<boolean>;
  /** Lines may be gone before the first one, and nobody knows how many. */
  readonly gap: boolean;
};

/** How old an answer about the caller's rights may be when lines are handed out. */
const rightsAgeMs = 1_000;

type Ended = 'closing' | 'forbidden' | 'provider';

const dataOf = ({ at, revision, origin, level, message }: ReadLine) => ({
  ...{ at: isoTime(at), revision: revision === 0 ? null : revision, origin, level, message },
});

/** The id stays what it was until the line itself is written: whoever is cut off in between is told again. */
const eventsOf = (line: ReadLine): string =>
  (line.droppedBefore === 0 ? '' : formatEvent({ event: 'dropped', data: { lines: line.droppedBefore } })) +
  formatEvent({ id: line.cursor, data: dataOf(line) });

/** Writes batch after batch, asking for the next one only when the client has taken the last. */
export const streamLines = async (
  response: ServerResponse,
  batches: AsyncIterable<LogBatch>,
  options: StreamOptions,
): Promise<void> => {
  const ended = await pump(response, batches, options);
  if (response.destroyed) return;
  response.end(formatEvent({ event: 'end', data: { reason: ended } }));
};

const pump = async (
  response: ServerResponse,
  batches: AsyncIterable<LogBatch>,
  { signal, clock, allowed, gap }: StreamOptions,
): Promise<Ended> => {
  let isOpen = false;
  let wroteAt = clock.now();
  let checkedAt = clock.now();
  if (!(await writeTo(response, `retry: ${streamTiming.retryMs}\n\n`, signal))) return 'closing';
  for await (const { lines, cursor } of batches) {
    if (signal.aborted || response.destroyed) return 'closing';
    const now = clock.now();
    if (now - checkedAt >= (lines.length > 0 ? rightsAgeMs : streamTiming.heartbeatMs)) {
      checkedAt = now;
      if (!(await allowed())) return 'forbidden';
    }
    let text = '';
    if (!isOpen) {
      // With lines to come at once the client's own place stays until it has them.
      text += formatEvent({ ...(lines.length === 0 && { id: cursor }), event: 'open', data: {} });
      if (gap) text += formatEvent({ event: 'dropped', data: { lines: null } });
      isOpen = true;
    }
    for (const line of lines) text += eventsOf(line);
    if (text === '' && now - wroteAt >= streamTiming.heartbeatMs) text = ':\n\n';
    if (text === '') continue;
    wroteAt = now;
    if (!(await writeTo(response, text, signal))) return 'closing';
  }
  return signal.aborted ? 'closing' : 'provider';
};
