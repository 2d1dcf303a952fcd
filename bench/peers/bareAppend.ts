import { ANY, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import express from 'express';

/** An express route that does nothing but append one event through the plain client. Arguments: connection string. */
const [connectionString = '', metadata = '{}'] = process.argv.slice(2);
const client = EventStoreDBClient.connectionString(connectionString);
const template: Readonly<Record<string, unknown>> = JSON.parse(metadata);

const app = express();
app.post('/workers/:id/:verb', async (request, response) => {
  const { id, verb } = request.params;
  const type = verb === 'pause' ? 'EdgeWorkerPaused' : 'EdgeWorkerResumed';
  const event = jsonEvent({ type, data: {}, metadata: { ...template, requestId: request.get('x-request-id') } });
  const { position } = await client.appendToStream(`edgeWorker-${id}`, event, { expectedRevision: ANY });
  response.json({ id, position: String(position?.commit) });
});
const server = app.listen(0, '127.0.0.1', () => {
  const address = server.address();
  console.log(JSON.stringify({ port: typeof address === 'object' ? address?.port : 0 }));
});
