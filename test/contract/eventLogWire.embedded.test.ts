import type { StreamsClient } from '@eventstore/db-client/generated/streams_grpc_pb.js';
import { afterAll, beforeAll, describe } from 'vitest';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';
import { rawClient } from './eventLogRaw.ts';
import { wireContract } from './eventLogWire.contract.ts';
import { omissions } from './eventLogWire.streams.ts';

describe('The embedded event store on the wire', () => {
  wireContract(startTestEventStore);

  describe('What is left out', () => {
    let server: TestEventStore;
    let client: StreamsClient;
    beforeAll(async () => {
      server = await startTestEventStore();
      client = rawClient(server.connectionString);
    });
    afterAll(async () => {
      client.close();
      await server.stop();
    });
    omissions(() => client);
  });
});
