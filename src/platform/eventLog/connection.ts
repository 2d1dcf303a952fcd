import type { Duplex, Readable } from 'node:stream';
import { EventStoreDBClient } from '@eventstore/db-client';
import { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import type { CallOptions, Metadata } from '@grpc/grpc-js';

/**
 * What is used of the client below its commands: it owns connection strings, TLS, credentials, discovery of the leader
 * and reconnection. Its own append is not used: answers of all clients of a process share one table there, and a
 * stream that fails takes the pending appends of every other client with it.
 */
type Internals = {
  GRPCStreamCreator<S extends Readable | Duplex>(
    clientClass: typeof StreamsClient,
    name: string,
    create: (client: StreamsClient) => S,
  ): () => Promise<S>;
  callArguments(options: object, callOptions: CallOptions): [Metadata, CallOptions];
  dispose(): Promise<void>;
};

export type Connection = {
  /** Opens a call; when it fails because the server went away, the next call gets a new channel. */
  open<S extends Readable | Duplex>(
    name: string,
    create: (client: StreamsClient, metadata: Metadata, options: CallOptions) => S,
  ): Promise<S>;
  close(): Promise<void>;
};

const hasInternals = (client: object): client is Internals =>
  ['GRPCStreamCreator', 'callArguments', 'dispose'].every((name) => typeof Reflect.get(client, name) === 'function');

/** The client's own error quotes the connection string, and with it the password. */
const openClient = (connectionString: string): object => {
  try {
    return EventStoreDBClient.connectionString(connectionString);
  } catch {
    throw new Error(
      'The connection string of the event store cannot be read: esdb://[user:password@]host:port[?tls=false]',
    );
  }
};

/** Throws when the connection string is wrong. */
export const connect = (connectionString: string): Connection => {
  const client = openClient(connectionString);
  if (!hasInternals(client)) throw new Error('This version of @eventstore/db-client is not known');
  const endless = { deadline: Number.POSITIVE_INFINITY };
  return {
    open: (name, create) =>
      client.GRPCStreamCreator(StreamsClient, name, (grpc) => create(grpc, ...client.callArguments({}, endless)))(),
    close: () => client.dispose(),
  };
};
