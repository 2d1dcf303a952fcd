import { createHash } from 'node:crypto';
import { EventStoreDBClient } from '@eventstore/db-client';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import type { Context } from './context.ts';
import { foundWorkspace, writeHistory } from './history.ts';
import { startEventStore } from './opslog.ts';

export type LogFixture = {
  readonly log: EventLog;
  readonly events: number;
  /** Of an event, on average. */
  readonly dataBytes: number;
  readonly metadataBytes: number;
  /** Reads everything with the plain client; answers events per second. */
  readonly bareRead: () => Promise<{ readonly seconds: number; readonly rate: number }>;
};

export type FixtureName = 'short' | 'long';

/** Characters of free text where there is some, so that the data of an event has about 200 bytes, or 2 KB, on average. */
const textLength: Readonly<Record<FixtureName, number>> = { short: 60, long: 3_400 };

const made = new WeakMap<Context, Map<string, Promise<LogFixture>>>();

/** An event store of its own with a generated history; made once in a run. */
export const logFixture = (context: Context, name: FixtureName, events: number): Promise<LogFixture> => {
  const ofRun = made.get(context) ?? new Map<string, Promise<LogFixture>>();
  made.set(context, ofRun);
  const key = `${name}-${events}`;
  const fixture = ofRun.get(key) ?? make(context, name, events);
  ofRun.set(key, fixture);
  return fixture;
};

const make = async (context: Context, name: FixtureName, wanted: number): Promise<LogFixture> => {
  const { log, connectionString } = await startEventStore(context, `log-${name}-${wanted}`);
  const workspaceId = 'a3b1c2d4-0000-8000-8000-000000000001';
  await foundWorkspace(log, workspaceId);
  const workers = Math.max(50, Math.round(wanted / 150));
  const plan = { events: wanted, workers, textLength: textLength[name], deployed: true, seed: 3 };
  const written = await writeHistory(log, workspaceId, plan);
  const events = written.events + 2;
  const client = EventStoreDBClient.connectionString(connectionString);
  context.onEnd(() => client.dispose());
  const expected = await digestOf(client);
  return {
    log,
    events,
    dataBytes: written.dataBytes,
    metadataBytes: written.metadataBytes,
    bareRead: async () => {
      const startedAt = performance.now();
      let count = 0;
      let last = 0n;
      for await (const { event } of client.readAll()) {
        if (event === undefined || event.type.startsWith('$')) continue;
        count += 1;
        last = event.position.commit;
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      if (count !== expected.count || last !== expected.last) throw new Error('The plain client read something else.');
      if (count !== events) throw new Error(`The log has ${count} events instead of ${events}.`);
      return { seconds, rate: count / seconds };
    },
  };
};

const digestOf = async (client: EventStoreDBClient) => {
  const hash = createHash('sha256');
  let count = 0;
  let last = 0n;
  for await (const { event } of client.readAll()) {
    if (event === undefined || event.type.startsWith('$')) continue;
    hash.update(event.id);
    count += 1;
    last = event.position.commit;
  }
  return { count, last, ids: hash.digest('hex') };
};
