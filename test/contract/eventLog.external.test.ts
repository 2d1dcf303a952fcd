import { describe, test } from 'vitest';
import { eventLogContract } from './eventLog.contract.ts';
import { wireContract } from './eventLogWire.contract.ts';

const connectionString = process.env['OPSLOG_TEST_EVENTSTORE_URL'];

if (connectionString === undefined) {
  test.skip('The event log on an EventStoreDB: OPSLOG_TEST_EVENTSTORE_URL is not set', () => {});
} else {
  const server = async () => ({ connectionString, stop: async () => {} });
  describe('The event log on an EventStoreDB', () => eventLogContract(server));
  describe('An EventStoreDB on the wire', () => wireContract(server));
}
