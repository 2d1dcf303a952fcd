import { describe, test } from 'vitest';
import { eventLogContract } from './eventLog.contract.ts';

const connectionString = process.env['OPSLOG_TEST_EVENTSTORE_URL'];

if (connectionString === undefined) {
  test.skip('The event log on an EventStoreDB: OPSLOG_TEST_EVENTSTORE_URL is not set', () => {});
} else {
  describe('The event log on an EventStoreDB', () => {
    eventLogContract(async () => ({ connectionString, stop: async () => {} }));
  });
}
