import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { follow } from './follow.ts';
import { isWanted, PAGE_EVENTS, render, streamPage, viewStream } from './reader.ts';
import { parseReadRequest, type ReadRequest } from './readRequest.ts';
import type { StoredRecord } from './record.ts';
import { isRpcError, streamDeleted, unavailable } from './rpcErrors.ts';
import {
  firstStreamPosition,
  lastStreamPosition,
  type ReadContext,
  type Sink,
  sinkOf,
  streamNotFound,
} from './sink.ts';

const sendAll = async (
  { store, now }: ReadContext,
  sink: Sink,
  request: ReadRequest,
  events: readonly StoredRecord[],
): Promise<void> => {
  for (const stored of events) {
    if (sink.isClosed()) return;
    if (!sink.send(render(store, stored, request, now))) await sink.ready();
  }
};

const readStream = async (
  context: ReadContext,
  sink: Sink,
  request: Extract<ReadRequest, { kind: 'readStream' }>,
): Promise<void> => {
  const view = viewStream(context.store, request.stream, context.now());
  if (view.kind === 'deleted') throw streamDeleted(request.stream);
  if (view.kind === 'missing') {
    sink.send(streamNotFound(request.stream));
    return;
  }
  const end = request.backwards ? view.last : view.last + 1;
  let left = request.limit;
  let next: number | undefined = request.from === 'start' ? 0 : request.from === 'end' ? end : request.from;
  if (request.tellBounds) sink.send(firstStreamPosition(view.firstVisible));
  while (next !== undefined && left > 0 && !sink.isClosed()) {
    const page = streamPage(context.store, view, next, request.backwards, left);
    await sendAll(context, sink, request, page.events);
    left -= page.events.length;
    next = page.next;
  }
  if (request.tellBounds) sink.send(lastStreamPosition(view.last));
};

/** Up to what was the end of the log when the read began. Backwards, the given position itself is not read. */
const readAll = async (
  context: ReadContext,
  sink: Sink,
  request: Extract<ReadRequest, { kind: 'readAll' }>,
): Promise<void> => {
  const { store } = context;
  const head = store.head();
  const { from, backwards } = request;
  let left = request.limit;
  let next = from === 'start' ? 0 : from === 'end' ? head + 1 : from;
  if (backwards) next -= 1;
  while (left > 0 && !sink.isClosed()) {
    const size = request.filter === undefined ? Math.min(left, PAGE_EVENTS) : PAGE_EVENTS;
    const page = store.page(next, backwards, size).filter((entry) => entry.position <= head);
    if (page.length === 0) return;
    const wanted = page.filter(({ stored }) => isWanted(stored, request.filter)).slice(0, left);
    await sendAll(
      context,
      sink,
      request,
      wanted.map(({ stored }) => stored),
    );
    left -= wanted.length;
    next = (page.at(-1)?.position ?? next) + (backwards ? -1 : 1);
  }
};

const serve = (context: ReadContext, sink: Sink, request: ReadRequest): Promise<void> => {
  switch (request.kind) {
    case 'readStream':
      return readStream(context, sink, request);
    case 'readAll':
      return readAll(context, sink, request);
    case 'followStream':
    case 'followAll':
      return follow(context, sink, request);
  }
};

export const handleRead =
  (context: ReadContext) =>
  async (call: ServerWritableStream<ReadReq, Buffer>): Promise<void> => {
    const sink = sinkOf(call);
    try {
      await serve(context, sink, parseReadRequest(call.request));
      if (!sink.isClosed()) call.end();
    } catch (error) {
      if (sink.isClosed()) return;
      call.emit('error', isRpcError(error) ? error : unavailable('Server Is Not Ready'));
    }
  };
