import { describe } from 'vitest';
import { startTestEventStore } from '../support/eventStore.ts';
import { eventLogContract } from './eventLog.contract.ts';

describe('The event log on the embedded event store', () => {
  eventLogContract(startTestEventStore);
});
