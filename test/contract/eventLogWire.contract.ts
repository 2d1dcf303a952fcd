import { EventStoreDBClient } from '@eventstore/db-client';
import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { afterAll, beforeAll } from 'vitest';
import type { Server } from './eventLog.contract.ts';
import { rawClient } from './eventLogRaw.ts';
import { appendRules } from './eventLogWire.append.ts';
import { readRules } from './eventLogWire.read.ts';
import { streamRules } from './eventLogWire.streams.ts';
import { subscribeRules } from './eventLogWire.subscribe.ts';

/** What a server answers on the wire, case by case. The server may hold other events already. */
export const wireContract = (start: () => Promise<Server>): void => {
  let server: Server;
  let client: StreamsClient;
  let high: EventStoreDBClient;

  beforeAll(async () => {
    server = await start();
    client = rawClient(server.connectionString);
    high = EventStoreDBClient.connectionString(server.connectionString);
  });
  afterAll(async () => {
    client.close();
    await high.dispose();
    await server.stop();
  });

  appendRules(() => client);
  readRules(() => client);
  subscribeRules(() => client);
  streamRules(
    () => client,
    () => high,
  );
};
