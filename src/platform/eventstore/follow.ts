import { INT64_MAX } from './protobuf.ts';
import { isWanted, PAGE_EVENTS, render, streamPage, viewStream } from './reader.ts';
import type { ReadRequest } from './readRequest.ts';
import type { StoredRecord } from './record.ts';
import { streamDeleted } from './rpcErrors.ts';
import { caughtUp, checkpoint, confirmation, type ReadContext, type Sink } from './sink.ts';
import type { Entry } from './store.ts';

type FollowStream = Extract<ReadRequest, { kind: 'followStream' }>;
type FollowAll = Extract<ReadRequest, { kind: 'followAll' }>;

/** A live reader with more than this waiting has fallen behind: it catches up from the disk and is told when it has. */
const LIVE_BUFFER = 32;
const LONGEST_WINDOW = 2_048;

/** Wakes one waiter at every commit and when the reader goes. */
const commitSignal = ({ onCommit }: ReadContext, sink: Sink) => {
  let dirty = false;
  let wake = (): void => {};
  const signal = (): void => {
    dirty = true;
    wake();
  };
  const stop = onCommit(signal);
  sink.onClose(() => {
    stop();
    signal();
  });
  return {
    stop,
    next: (): Promise<void> =>
      new Promise((resolve) => {
        wake = resolve;
        if (dirty || sink.isClosed()) resolve();
        dirty = false;
      }),
  };
};

type Signal = ReturnType<typeof commitSignal>;

const send = async (context: ReadContext, sink: Sink, request: ReadRequest, stored: StoredRecord): Promise<void> => {
  if (!sink.send(render(context.store, stored, request, context.now))) await sink.ready();
};

/** Live: everything that was written, whatever the metadata hides by now; a tombstone is delivered and ends it. */
const sendLive = async (context: ReadContext, sink: Sink, request: FollowStream, from: number): Promise<number> => {
  const { store } = context;
  const number = store.streamNumber(request.stream);
  if (number === undefined) return from;
  const positions = store.streamPositions(number, from, false, PAGE_EVENTS);
  const isTombstoned = positions.length < PAGE_EVENTS && store.lastRevision(number) === INT64_MAX;
  for (const position of positions) {
    const stored = store.record(position);
    if (sink.isClosed()) return from;
    if (stored !== undefined) await send(context, sink, request, stored);
  }
  if (isTombstoned) throw streamDeleted(request.stream);
  return from + positions.length;
};

const lastRevision = ({ store }: ReadContext, stream: string): number => {
  const number = store.streamNumber(stream);
  return number === undefined ? -1 : store.lastRevision(number);
};

const sendCatchUp = async (context: ReadContext, sink: Sink, request: FollowStream, from: number): Promise<number> => {
  const view = viewStream(context.store, request.stream, context.now());
  if (view.kind === 'deleted') throw streamDeleted(request.stream);
  // What a soft delete removed is not delivered later, when the stream is written to again.
  if (view.kind === 'missing') return Math.max(from, lastRevision(context, request.stream) + 1);
  const page = streamPage(context.store, view, from, false, PAGE_EVENTS);
  for (const stored of page.events) {
    if (sink.isClosed()) return from;
    await send(context, sink, request, stored);
  }
  return page.next ?? Math.max(from, view.last + 1);
};

const followStream = async (context: ReadContext, sink: Sink, request: FollowStream, signal: Signal): Promise<void> => {
  const { stream, from } = request;
  const view = viewStream(context.store, stream, context.now());
  if (view.kind === 'deleted') throw streamDeleted(stream);
  sink.send(confirmation());
  let next = from === 'start' ? 0 : from === 'end' ? lastRevision(context, stream) + 1 : from + 1;
  let live = from === 'end';
  if (live) sink.send(caughtUp());
  while (!sink.isClosed()) {
    const before = next;
    next = await (live ? sendLive : sendCatchUp)(context, sink, request, next);
    if (live && next > before && lastRevision(context, stream) - next >= LIVE_BUFFER) live = false;
    if (next > before) continue;
    if (live) await signal.next();
    else {
      sink.send(caughtUp());
      live = true;
    }
  }
};

/** Counts events and says when a filtered reader is due a checkpoint. Repeated and older ones are dropped. */
const checkpoints = (sink: Sink, request: FollowAll, start: number) => {
  const { filter } = request;
  let counter = 0;
  let last = start;
  const tell = (position: number): void => {
    if (filter === undefined || position <= last) return;
    last = position;
    sink.send(checkpoint(position));
  };
  return {
    /** After a page of catch-up. */
    page: (considered: number, position: number, isLastPage: boolean): void => {
      if (filter === undefined) return;
      counter += considered;
      if (counter < filter.checkpointEvery || isLastPage) return;
      counter %= filter.checkpointEvery;
      tell(position);
    },
    caughtUp: (position: number): void => {
      counter = 0;
      tell(position);
    },
    live: (position: number): void => {
      if (filter === undefined) return;
      counter += 1;
      if (counter < filter.checkpointEvery) return;
      counter = 0;
      tell(position);
    },
  };
};

const followAll = async (context: ReadContext, sink: Sink, request: FollowAll, signal: Signal): Promise<void> => {
  const { store } = context;
  const { filter, from } = request;
  sink.send(confirmation());
  const start = from === 'start' ? 0 : from === 'end' ? store.head() : from;
  const due = checkpoints(sink, request, start);
  const pageSize = Math.min(filter?.window ?? PAGE_EVENTS, LONGEST_WINDOW);
  let seen = start;
  let live = from === 'end';
  if (live) sink.send(caughtUp());

  const sendPage = async (page: readonly Entry[]): Promise<void> => {
    let matched = seen;
    for (const { position, stored } of page) {
      if (sink.isClosed()) return;
      if (isWanted(stored, filter)) {
        matched = position;
        await send(context, sink, request, stored);
      }
      if (live) due.live(position);
      seen = position;
    }
    if (!live) due.page(page.length, matched, seen >= store.head());
  };

  while (!sink.isClosed()) {
    const page = store.page(seen + 1, false, pageSize);
    await sendPage(page);
    if (live && page.length > 0 && store.head() - seen > LIVE_BUFFER) live = false;
    if (page.length > 0) continue;
    if (live) await signal.next();
    else {
      due.caughtUp(seen);
      sink.send(caughtUp());
      live = true;
    }
  }
};

/** Serves a catch-up subscription until its reader goes. */
export const follow = async (context: ReadContext, sink: Sink, request: FollowStream | FollowAll): Promise<void> => {
  const signal = commitSignal(context, sink);
  try {
    if (request.kind === 'followStream') await followStream(context, sink, request, signal);
    else await followAll(context, sink, request, signal);
  } finally {
    signal.stop();
  }
};
