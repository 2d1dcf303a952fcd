import { randomUUID } from 'node:crypto';
import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { ServerWritableStream } from '@grpc/grpc-js';
import { lengthField, numberField, textField } from './protobuf.ts';
import type { Store } from './store.ts';

/** What every read needs of the server. */
export type ReadContext = {
  readonly store: Store;
  readonly now: () => number;
  /** Calls after every commit, until the answered function is called. */
  readonly onCommit: (action: () => void) => () => void;
};

/** A reader on the other side of the wire. */
export type Sink = {
  /** Answers true when the reader can take more at once. */
  send(response: Buffer): boolean;
  /** Resolves when the reader can take more, or is gone. */
  ready(): Promise<void>;
  isClosed(): boolean;
  /** Calls when the reader goes. */
  onClose(action: () => void): void;
};

export const sinkOf = (call: ServerWritableStream<ReadReq, Buffer>): Sink => {
  let closed = false;
  let wake = (): void => {};
  call.on('drain', () => wake());
  call.on('cancelled', () => {
    closed = true;
    wake();
  });
  return {
    send: (response) => call.write(response),
    ready: () =>
      new Promise((resolve) => {
        wake = resolve;
        if (closed || !call.writableNeedDrain) resolve();
      }),
    isClosed: () => closed,
    onClose: (action) => {
      call.on('cancelled', action);
    },
  };
};

const EMPTY = new Uint8Array(0);

/** The ReadResp messages that are no events. */
export const confirmation = (): Buffer => lengthField(2, textField(1, randomUUID()));
export const checkpoint = (position: number): Buffer =>
  lengthField(3, Buffer.concat([numberField(1, position), numberField(2, position)]));
export const streamNotFound = (stream: string): Buffer => lengthField(4, lengthField(1, textField(3, stream)));
export const firstStreamPosition = (revision: number): Buffer => numberField(5, revision);
export const lastStreamPosition = (revision: number): Buffer => numberField(6, revision);
export const caughtUp = (): Buffer => lengthField(8, EMPTY);
