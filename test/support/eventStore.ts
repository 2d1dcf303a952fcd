import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { openEventLog } from '../../src/platform/eventLog/open.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { startEventStore } from '../../src/platform/eventstore/server.ts';

export type TestEventStore = { readonly connectionString: string; readonly log: EventLog; stop(): Promise<void> };

/** A fresh event store in this thread, in a folder of its own that `stop` removes. */
export const startTestEventStore = async (): Promise<TestEventStore> => {
  const dataDir = await mkdtemp(join(tmpdir(), 'opslog-eventstore-'));
  const server = await startEventStore({ dataDir, syncToDisk: false });
  const log = await openEventLog({ connectionString: server.connectionString });
  return {
    connectionString: server.connectionString,
    log,
    stop: async () => {
      await log.close();
      await server.close();
      await rm(dataDir, { recursive: true, force: true });
    },
  };
};
