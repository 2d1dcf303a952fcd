import type { Readable } from 'node:stream';
import { type Bound, fitting } from './bound.ts';
import type { ReadMessage } from './decode.ts';
import type { LogBatch, Position, StoredEvent } from './port.ts';

/** A call under way: an object stream of ReadMessage. */
export type MessageCall = Readable & { cancel(): void };

export type InboxOptions = {
  readonly after: Position;
  /** Of a batch; twice as much may wait. */
  readonly most: Bound;
  /** A subscription says when it has caught up; a read ends. */
  readonly follows: boolean;
  /** Asked when a reader that had to be held back seems to be at the end again. */
  readonly isAtEnd: (position: Position) => Promise<boolean>;
};

/** While catching up a batch may wait this long to fill; more is on its way then. */
const FILL_MS = 10;

/**
 * Turns the messages of a call into batches. Events that arrive while the consumer works become one batch; when too
 * many or too large ones wait the call is paused, so a slow consumer slows the server down instead of filling memory.
 * Throws what the call failed with, after everything that arrived before was delivered.
 */
export async function* batchesOf(call: MessageCall, options: InboxOptions): AsyncGenerator<LogBatch, void> {
  const { most, follows, isAtEnd } = options;
  let waiting: StoredEvent[] = [];
  let waitingBytes = 0;
  let received = options.after;
  let delivered = options.after;
  let caughtUp = false;
  let announced = false;
  let heldBack = false;
  let end: { readonly error?: Error } | undefined;
  let wake: (() => void) | undefined;
  let scheduled = false;

  const holds = (batches: number): boolean =>
    waiting.length >= batches * most.events || waitingBytes >= batches * most.bytes;
  const isReady = (): boolean => {
    if (end !== undefined || holds(1)) return true;
    return caughtUp && (waiting.length > 0 || received > delivered || !announced);
  };
  // One check per turn of the event loop: everything that arrives in a turn goes into the same batch.
  const changed = (): void => {
    if (scheduled || wake === undefined) return;
    scheduled = true;
    setImmediate(() => {
      scheduled = false;
      if (isReady()) wake?.();
    });
  };
  const wait = async (): Promise<void> => {
    if (isReady()) return;
    let timer: NodeJS.Timeout | undefined;
    await new Promise<void>((resolve) => {
      wake = resolve;
      if (!caughtUp) timer = setInterval(() => waiting.length > 0 && resolve(), FILL_MS);
      changed();
    });
    clearInterval(timer);
    wake = undefined;
  };

  const take = (): readonly StoredEvent[] => {
    const events = fitting(waiting, most, waitingBytes);
    waiting = waiting.slice(events.length);
    if (waitingBytes > 0) for (const event of events) waitingBytes -= most.bytesOf(event);
    return events;
  };

  call.on('data', (message: ReadMessage) => {
    if (message.kind === 'event') {
      const position = BigInt(message.position);
      if (position <= received) return;
      received = position;
      if (message.event !== undefined) {
        waiting.push(message.event);
        waitingBytes += most.bytesOf(message.event);
      }
      if (holds(2)) {
        heldBack = true;
        call.pause();
      }
    } else if (message.kind === 'checkpoint') {
      const position = BigInt(message.position);
      if (position > received) received = position;
    } else if (message.kind === 'caughtUp') {
      caughtUp = true;
      announced = false;
      heldBack = false;
    } else return;
    changed();
  });
  call.on('end', () => {
    end ??= {};
    changed();
  });
  call.on('error', (error) => {
    end = { error };
    changed();
  });

  try {
    for (;;) {
      await wait();
      const events = take();
      if (call.isPaused() && !holds(1)) call.resume();
      const isDry = waiting.length === 0;
      delivered = isDry ? received : (events.at(-1)?.position ?? delivered);
      const isEnd = isDry && end !== undefined;
      if (isEnd && (follows || end?.error !== undefined)) {
        if (events.length > 0) yield { events, position: delivered, caughtUp: false };
        throw end?.error ?? new Error('The server ended the subscription');
      }
      if (isDry && caughtUp && heldBack && (await isAtEnd(delivered))) heldBack = false;
      const atEnd = isDry && waiting.length === 0 && (follows ? caughtUp && !heldBack : isEnd);
      if (atEnd) announced = true;
      yield { events, position: delivered, caughtUp: atEnd };
      if (isEnd) return;
    }
  } finally {
    call.removeAllListeners('data');
    call.cancel();
    // What arrived and nobody wants must flow off: a stream that is never read to its end keeps its client from closing.
    call.resume();
  }
}
