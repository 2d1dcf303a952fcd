import { batchBound } from './bound.ts';
import type { Connection } from './connection.ts';
import { EventLogUnavailable, LogRewound } from './errors.ts';
import { isPassing, isStreamDeleted } from './failures.ts';
import { batchesOf } from './inbox.ts';
import { type Ports, patience } from './patience.ts';
import type { EventLog, LogBatch, Position, StoredEvent } from './port.ts';
import { openRead, readAllRequest, readStreamRequest, subscribeRequest } from './readCall.ts';

export type ReadParts = {
  readonly connection: Connection;
  readonly ports: Ports;
  readonly giveUpAfterMs: number;
  readonly closed: AbortSignal;
};

const EVERYTHING = Number.MAX_SAFE_INTEGER;
const DEFAULT_BATCH = 512;
const HEAD_PAGE = 32;

const failIfClosed = (closed: AbortSignal): void => {
  if (closed.aborted) throw new EventLogUnavailable('The event log is closed');
};

const isFinal = (error: unknown): boolean =>
  error instanceof EventLogUnavailable || error instanceof LogRewound || !isPassing(error);

/** Tries a read again where it broke off, until it works or nothing has worked for too long. */
async function* resuming<T>(
  parts: ReadParts,
  doing: string,
  giveUpAfterMs: number,
  read: () => AsyncGenerator<T>,
): AsyncGenerator<T, void> {
  const waiting = patience(parts.ports, giveUpAfterMs, parts.closed);
  for (;;) {
    failIfClosed(parts.closed);
    try {
      for await (const item of read()) {
        waiting.progress();
        yield item;
      }
      return;
    } catch (error) {
      if (parts.closed.aborted || isFinal(error)) throw error;
      await waiting.failed(error, doing);
    }
  }
}

export const readStream = (parts: ReadParts): EventLog['readStream'] =>
  async function* (stream, { from = 'start', direction = 'forwards', limit = EVERYTHING } = {}) {
    const backwards = direction === 'backwards';
    let next = from;
    let left = limit;
    if (left <= 0) return;
    const read = async function* (): AsyncGenerator<StoredEvent> {
      if (left <= 0) return;
      const call = await openRead(
        parts.connection,
        readStreamRequest({ stream, from: next, backwards, limit: left }),
        true,
      );
      try {
        for await (const message of call) {
          if (message.kind !== 'event' || message.event === undefined) continue;
          left -= 1;
          const following = message.event.revision + (backwards ? -1 : 1);
          next = following;
          yield message.event;
          if (following < 0) return;
        }
      } finally {
        call.cancel();
      }
    };
    try {
      yield* resuming(parts, `Read of ${stream}`, parts.giveUpAfterMs, read);
    } catch (error) {
      if (!isStreamDeleted(error)) throw error;
    }
  };

/** Positions of the newest events, newest first. */
async function* newestFirst(parts: ReadParts): AsyncGenerator<{ position: Position; isSystem: boolean }> {
  let from: Position | 'end' = 'end';
  for (;;) {
    const start: Position | 'end' = from;
    let seen = 0;
    const request = readAllRequest({ from: start, backwards: true, limit: HEAD_PAGE });
    const call = await openRead(parts.connection, request);
    try {
      for await (const message of call) {
        if (message.kind !== 'event') continue;
        seen += 1;
        from = BigInt(message.position);
        yield { position: from, isSystem: message.event === undefined };
      }
    } finally {
      call.cancel();
    }
    if (seen === 0) return;
  }
}

const newest = async (parts: ReadParts, withSystem: boolean): Promise<Position> => {
  const read = async function* (): AsyncGenerator<Position> {
    for await (const { position, isSystem } of newestFirst(parts)) {
      if (isSystem && !withSystem) continue;
      yield position;
      return;
    }
  };
  for await (const position of resuming(parts, 'Read of the head', parts.giveUpAfterMs, read)) return position;
  return 0n;
};

export const head = (parts: ReadParts): Promise<Position> => newest(parts, false);
export const end = (parts: ReadParts): Promise<Position> => newest(parts, true);

/** True when nothing lies behind the position. */
const isAtEnd =
  (parts: ReadParts) =>
  async (position: Position): Promise<boolean> => {
    for await (const last of newestFirst(parts)) return last.position <= position;
    return true;
  };

export const readAllBatches = (parts: ReadParts): EventLog['readAllBatches'] =>
  async function* ({ after = 0n, maxBatch = DEFAULT_BATCH } = {}) {
    let position = after;
    const read = async function* (): AsyncGenerator<LogBatch> {
      const from = position > 0n ? position : 'start';
      const request = readAllRequest({ from, backwards: false, limit: EVERYTHING });
      const call = await openRead(parts.connection, request);
      const options = { after: position, most: batchBound(maxBatch), follows: false, isAtEnd: isAtEnd(parts) };
      for await (const batch of batchesOf(call, options)) {
        position = batch.position;
        yield batch;
      }
    };
    yield* resuming(parts, 'Read of the log', parts.giveUpAfterMs, read);
  };

export const readAll = (parts: ReadParts): EventLog['readAll'] =>
  async function* ({ after = 0n, limit = EVERYTHING } = {}) {
    let left = limit;
    if (left <= 0) return;
    for await (const { events } of readAllBatches(parts)({ after, maxBatch: Math.min(left, DEFAULT_BATCH) })) {
      for (const event of events) {
        yield event;
        left -= 1;
        if (left <= 0) return;
      }
    }
  };

/** A server that was put back to an older state would deliver its new events under positions that were seen before. */
const failIfRewound = async (parts: ReadParts, position: Position): Promise<void> => {
  if (position === 0n) return;
  for await (const last of newestFirst(parts)) {
    if (last.position >= position) return;
    throw new LogRewound(`The log ends at ${last.position}, before ${position}`);
  }
  throw new LogRewound(`The log is empty, and ${position} was to be followed`);
};

export const subscribe = (parts: ReadParts): EventLog['subscribe'] =>
  async function* ({ after = 0n, maxBatch = DEFAULT_BATCH, signal }) {
    let position = after;
    const read = async function* (): AsyncGenerator<LogBatch> {
      await failIfRewound(parts, position);
      const call = await openRead(parts.connection, subscribeRequest(position));
      const cancel = (): void => call.cancel();
      signal.addEventListener('abort', cancel);
      const options = { after: position, most: batchBound(maxBatch), follows: true, isAtEnd: isAtEnd(parts) };
      try {
        if (signal.aborted) return cancel();
        for await (const batch of batchesOf(call, options)) {
          if (signal.aborted) return;
          position = batch.position;
          yield batch;
        }
      } finally {
        signal.removeEventListener('abort', cancel);
      }
    };
    const stop = AbortSignal.any([signal, parts.closed]);
    try {
      yield* resuming({ ...parts, closed: stop }, 'Subscription', Number.POSITIVE_INFINITY, read);
    } catch (error) {
      if (!stop.aborted) throw error;
    }
  };
