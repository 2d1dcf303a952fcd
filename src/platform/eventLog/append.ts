import type { AppendPipe } from './appendPipe.ts';
import { type Attempt, type EncodedAppend, encodeAppend } from './appendWire.ts';
import { AppendRefused } from './errors.ts';
import { type Ports, patience } from './patience.ts';
import type { AppendOutcome, EventLog, ExpectedRevision, NewEvent, StoredEvent } from './port.ts';
import type { Slots } from './slots.ts';

export type AppendParts = {
  readonly pipe: AppendPipe;
  readonly slots: Slots;
  readonly ports: Ports;
  readonly readStream: EventLog['readStream'];
  readonly giveUpAfterMs: number;
  readonly closed: AbortSignal;
};

/** How far back the end of a stream is searched for an event whose revision is not known. */
const SEARCH_EVENTS = 4_096;

const endsWith = (found: readonly StoredEvent[], events: readonly NewEvent[]): StoredEvent | undefined =>
  found.length === events.length && events.every(({ id }, index) => found[index]?.id === id.toLowerCase())
    ? found.at(-1)
    : undefined;

const readAfter = async (
  { readStream }: AppendParts,
  stream: string,
  revision: number,
  count: number,
): Promise<StoredEvent[]> => {
  const found: StoredEvent[] = [];
  for await (const event of readStream(stream, { from: revision + 1, limit: count })) found.push(event);
  return found;
};

/** Searches backwards for the last of the events. All or none were written, so it stands for all. */
const searchEnd = async (
  { readStream }: AppendParts,
  stream: string,
  events: readonly NewEvent[],
): Promise<StoredEvent | undefined> => {
  const last = events.at(-1)?.id.toLowerCase();
  const options = { from: 'end', direction: 'backwards', limit: SEARCH_EVENTS } as const;
  for await (const event of readStream(stream, options)) if (event.id === last) return event;
  return undefined;
};

/** The last event of an append that may have happened, when it did. */
const findWritten = async (
  parts: AppendParts,
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): Promise<StoredEvent | undefined> => {
  if (typeof expected === 'number') {
    return endsWith(await readAfter(parts, stream, expected, events.length), events);
  }
  return searchEnd(parts, stream, events);
};

/** Nothing to write: only the expectation is checked. */
const appendNothing = async (
  { readStream }: AppendParts,
  stream: string,
  expected: ExpectedRevision,
): Promise<AppendOutcome> => {
  let last: StoredEvent | undefined;
  for await (const event of readStream(stream, { from: 'end', direction: 'backwards', limit: 1 })) last = event;
  const actual = last?.revision ?? -1;
  const isExpected =
    expected === 'any' ||
    (expected === 'streamExists' ? actual >= 0 : actual === (expected === 'noStream' ? -1 : expected));
  return isExpected
    ? { ok: true, revision: actual, position: last?.position ?? 0n }
    : { ok: false, conflict: 'revision', actual };
};

const outcomeOf = (attempt: Exclude<Attempt, { kind: 'unknown' }>, stream: string): AppendOutcome => {
  switch (attempt.kind) {
    case 'appended':
      return { ok: true, revision: attempt.revision, position: attempt.position };
    case 'conflict':
      return { ok: false, conflict: 'revision', actual: attempt.actual };
    case 'deleted':
      return { ok: false, conflict: 'deleted' };
    case 'refused':
      throw new AppendRefused(`The event log refuses to append to ${stream}: ${attempt.reason}`);
  }
};

const appendSurely = async (
  parts: AppendParts,
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
  encoded: EncodedAppend,
): Promise<AppendOutcome> => {
  const doing = `Append to ${stream}`;
  const waiting = patience(parts.ports, parts.giveUpAfterMs, parts.closed);
  for (;;) {
    const attempt = await parts.pipe.attempt(encoded);
    if (attempt.kind !== 'unknown') return outcomeOf(attempt, stream);
    await waiting.failed(attempt.error, doing);
    // readStream tries again by itself and throws EventLogUnavailable in the end.
    const written = await findWritten(parts, stream, events, expected);
    if (written !== undefined) return { ok: true, revision: written.revision, position: written.position };
  }
};

/**
 * Sends until the outcome is known. Before anything is sent again the stream is read for the ids of the events, so a
 * lost answer never doubles them; what is written only after that look, the server recognises by the same ids.
 */
export const append = async (
  parts: AppendParts,
  stream: string,
  events: readonly NewEvent[],
  expected: ExpectedRevision,
): Promise<AppendOutcome> => {
  if (events.length === 0) return appendNothing(parts, stream, expected);
  const encoded = encodeAppend(stream, events, expected);
  const release = await parts.slots.take(encoded.bytes);
  try {
    return await appendSurely(parts, stream, events, expected, encoded);
  } finally {
    release();
  }
};
