import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import { startEventStore } from '../../../src/platform/eventstore/server.ts';

const key = 'a'.repeat(64);
let folder: string;
let server: Awaited<ReturnType<typeof startEventStore>>;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-key-'));
  server = await startEventStore({ dataDir: folder, accessKey: key, syncToDisk: false });
});
afterAll(async () => {
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

describe('An event store with an access key', () => {
  test('serves whoever connects by its own connection string', async () => {
    const log = await openEventLog({ connectionString: server.connectionString });
    const event = { id: crypto.randomUUID(), type: 'Noted', data: { by: 1 }, metadata: {} };
    expect(await log.append('known-1', [event], 'noStream')).toMatchObject({ ok: true });
    const read = [];
    for await (const each of log.readStream('known-1')) read.push(each.type);
    for await (const each of log.readAll()) read.push(each.type);
    expect(read).toEqual(['Noted', 'Noted']);
    await log.close();
  });

  test.each([
    ['no key', ''],
    ['another key', `&connectionName=${'b'.repeat(64)}`],
  ])('lets nobody with %s read, follow or write', async (_, name) => {
    const client = EventStoreDBClient.connectionString(`esdb://127.0.0.1:${server.port}?tls=false${name}`);
    const event = jsonEvent({ type: 'Forged', data: {} });
    await expect(client.appendToStream('session-forged', event)).rejects.toThrow(/nauthenticated|denied/i);
    const read = async (events: AsyncIterable<unknown>) => {
      for await (const each of events) return each;
      return undefined;
    };
    await expect(read(client.readStream('known-1'))).rejects.toThrow(/nauthenticated|denied/i);
    await expect(read(client.readAll())).rejects.toThrow(/nauthenticated|denied/i);
    await expect(read(client.subscribeToAll())).rejects.toThrow(/nauthenticated|denied/i);
    await expect(client.deleteStream('known-1')).rejects.toThrow(/nauthenticated|denied/i);
    await client.dispose();
  });
});
