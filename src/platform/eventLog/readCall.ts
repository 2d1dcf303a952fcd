import { Empty, StreamIdentifier } from '@eventstore/db-client/generated/shared_pb.js';
import { StreamsService } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { ClientReadableStream } from '@grpc/grpc-js';
import type { Connection } from './connection.ts';
import { decodeRead, type ReadMessage } from './decode.ts';
import type { Position } from './port.ts';

export type ReadStreamRequest = {
  readonly stream: string;
  readonly from: number | 'start' | 'end';
  readonly backwards: boolean;
  readonly limit: number;
};

export type ReadAllRequest = {
  readonly from: Position | 'start' | 'end';
  readonly backwards: boolean;
  readonly limit: number;
};

const { Options } = ReadReq;

const options = (resolve: (options: ReadReq.Options) => void): ReadReq => {
  const asked = new Options();
  const ids = new Options.UUIDOption();
  ids.setString(new Empty());
  asked.setUuidOption(ids);
  asked.setNoFilter(new Empty());
  resolve(asked);
  const request = new ReadReq();
  request.setOptions(asked);
  return request;
};

const direction = (backwards: boolean): 0 | 1 =>
  backwards ? Options.ReadDirection.BACKWARDS : Options.ReadDirection.FORWARDS;

export const readStreamRequest = ({ stream, from, backwards, limit }: ReadStreamRequest): ReadReq =>
  options((asked) => {
    const identifier = new StreamIdentifier();
    identifier.setStreamName(Buffer.from(stream));
    const wanted = new Options.StreamOptions();
    wanted.setStreamIdentifier(identifier);
    if (from === 'start') wanted.setStart(new Empty());
    else if (from === 'end') wanted.setEnd(new Empty());
    else wanted.setRevision(String(from));
    asked.setStream(wanted);
    asked.setReadDirection(direction(backwards));
    asked.setCount(String(limit));
  });

const allOptions = (from: Position | 'start' | 'end'): ReadReq.Options.AllOptions => {
  const wanted = new Options.AllOptions();
  if (from === 'start') wanted.setStart(new Empty());
  else if (from === 'end') wanted.setEnd(new Empty());
  else {
    const position = new Options.Position();
    position.setCommitPosition(String(from));
    position.setPreparePosition(String(from));
    wanted.setPosition(position);
  }
  return wanted;
};

export const readAllRequest = ({ from, backwards, limit }: ReadAllRequest): ReadReq =>
  options((asked) => {
    asked.setAll(allOptions(from));
    asked.setReadDirection(direction(backwards));
    asked.setCount(String(limit));
  });

/** Without a filter every event arrives, system events too, so the position always moves. */
export const subscribeRequest = (after: Position): ReadReq =>
  options((asked) => {
    asked.setAll(allOptions(after > 0n ? after : 'start'));
    asked.setSubscription(new Options.SubscriptionOptions());
  });

export type ReadCall = ClientReadableStream<ReadMessage>;

export const openRead = (connection: Connection, request: ReadReq, keepSystem = false): Promise<ReadCall> => {
  const { path, requestSerialize } = StreamsService.read;
  return connection.open('read', (client, metadata, callOptions) =>
    client.makeServerStreamRequest(path, requestSerialize, decodeRead(keepSystem), request, metadata, callOptions),
  );
};
