import { randomUUID } from 'node:crypto';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { ClientDuplexStream } from '@grpc/grpc-js';
import { type AppendAnswer, type Attempt, decodeAnswer, type EncodedAppend } from './appendWire.ts';
import type { Connection } from './connection.ts';
import { messageOf } from './errors.ts';

export type AppendPipe = {
  /** What cannot be known is an outcome too. */
  attempt(append: EncodedAppend): Promise<Attempt>;
  close(): void;
};

type Pipe = ClientDuplexStream<Buffer, AppendAnswer>;
type Settle = (attempt: Attempt) => void;
type OpenPipe = { readonly call: Pipe; readonly pending: Map<string, Settle>; broken: Error | undefined };

const asIs = (message: Buffer): Buffer => message;

const openPipe = async (connection: Connection, broke: () => void): Promise<OpenPipe> => {
  const { path } = StreamsService.batchAppend;
  const call = await connection.open('batchAppend', (client, metadata, options) =>
    client.makeBidiStreamRequest(path, asIs, decodeAnswer, metadata, options),
  );
  const pending = new Map<string, Settle>();
  const pipe: OpenPipe = { call, pending, broken: undefined };
  const end = (error: Error): void => {
    pipe.broken ??= error;
    broke();
    for (const settle of pending.values()) settle({ kind: 'unknown', error });
  };
  call.on('data', ({ correlationId, attempt }) => pending.get(correlationId)?.(attempt));
  call.on('error', end);
  call.on('end', () => end(new Error('The server ended the append call')));
  return pipe;
};

/**
 * One long-lived BatchAppend call that all appends share, opened when it is first needed and again after it broke.
 * When it breaks, everything on it without an answer has an unknown outcome.
 */
export const appendPipe = (connection: Connection, answerWithinMs: number): AppendPipe => {
  let current: Promise<OpenPipe> | undefined;
  let closed = false;

  const pipe = (): Promise<OpenPipe> => {
    if (current !== undefined) return current;
    const forget = (): void => {
      if (current === opening) current = undefined;
    };
    const opening = openPipe(connection, forget);
    opening.catch(forget);
    current = opening;
    return opening;
  };

  const send = ({ call, pending, broken }: OpenPipe, id: string, messages: readonly Buffer[]): Promise<Attempt> =>
    new Promise((resolve) => {
      if (broken !== undefined) {
        resolve({ kind: 'unknown', error: broken });
        return;
      }
      const timer = setTimeout(() => {
        // A call that does not answer is not trusted with anything more.
        call.cancel();
        settle({ kind: 'unknown', error: new Error(`No answer within ${answerWithinMs} ms`) });
      }, answerWithinMs);
      const settle: Settle = (attempt) => {
        clearTimeout(timer);
        pending.delete(id);
        resolve(attempt);
      };
      pending.set(id, settle);
      for (const message of messages) call.write(message);
    });

  return {
    attempt: async (append) => {
      if (closed) return { kind: 'unknown', error: new Error('The event log is closed') };
      const id = randomUUID();
      try {
        return await send(await pipe(), id, append.messages(id));
      } catch (error) {
        return { kind: 'unknown', error: error instanceof Error ? error : new Error(messageOf(error)) };
      }
    },
    close: () => {
      closed = true;
      current?.then(
        ({ call }) => call.cancel(),
        () => {},
      );
    },
  };
};
