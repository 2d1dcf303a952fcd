import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createMetrics, type Metrics } from '../../src/compose/metrics.ts';
import { createReadiness } from '../../src/compose/readiness.ts';
import { type ReadTablesPart, startReadTables } from '../../src/compose/readTables.ts';
import { remoteHealth } from '../../src/compose/readTablesHealth.ts';
import { type Role, readConfig } from '../../src/config.ts';
import { openParts, type Parts } from '../../src/parts.ts';
import { LogRewound } from '../../src/platform/eventLog/errors.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createCheckpointStore } from '../../src/projections/checkpointStore.ts';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';

const workspace = (id: string) => ({ name: id, slug: id });

const append = async ({ log }: TestEventStore, stream: string, data: Record<string, unknown>): Promise<bigint> => {
  const event = { id: crypto.randomUUID(), type: 'WorkspaceCreated', data, metadata: { workspaceId: 'w' } };
  const outcome = await log.append(stream, [event], 'any');
  return outcome.ok ? outcome.position : 0n;
};

describe('the read tables of a process without the projector role', () => {
  let store: TestEventStore;
  let folder: string;
  let parts: Parts;
  let metrics: Metrics;
  const running: ReadTablesPart[] = [];

  const start = async (...roles: readonly Role[]): Promise<ReadTablesPart> => {
    const reads = await startReadTables({ ...parts, config: { ...parts.config, roles: new Set(roles) } }, metrics);
    running.push(reads);
    return reads;
  };
  const add = (stream: string, data: Record<string, unknown>): Promise<bigint> => append(store, stream, data);

  beforeEach(async () => {
    metrics = createMetrics();
    store = await startTestEventStore();
    folder = await mkdtemp(join(tmpdir(), 'opslog-compose-'));
    const read = readConfig({ OPSLOG_DATA_DIR: folder, EVENTSTORE_URL: store.connectionString });
    if (!read.ok) throw new Error(read.problems.join());
    parts = await openParts(read.config, { logger: silentLog });
  });
  afterEach(async () => {
    for (const reads of running.splice(0)) await reads.stop();
    await parts.close();
    await store.stop();
    await rm(folder, { recursive: true, force: true });
  });

  test('readiness names the table that stopped elsewhere and why, and the others go on', async () => {
    const [reads] = [await start('api'), await start('projector')];
    await add('workspace-bad', { name: 7 });
    const position = await add('workspace-good', workspace('good'));
    expect(await reads.waitFor(position, { timeoutMs: 5_000, tables: ['users'] })).toBe('reached');
    expect(await reads.waitFor(position, { timeoutMs: 5_000, tables: ['workspaces'] })).toBe('stopped');
    const { checks, ready } = await createReadiness(parts, reads).read();
    expect(ready).toBe(false);
    const check = checks.find(({ name }) => name === 'readTables');
    expect(check?.detail).toMatch(/workspaces is stopped \(.*WorkspaceCreated workspace-bad@0\)/);
    expect(check?.detail).not.toMatch(/users/);
  });

  test('the metrics count what a table refuses together and takes in halves', async () => {
    await add('workspace-good', workspace('good'));
    const position = await add('workspace-bad', { name: 7 });
    const reads = await start('projector');
    expect(await reads.waitFor(position, { timeoutMs: 5_000, tables: ['workspaces'] })).toBe('stopped');
    expect(await metrics.registry.metrics()).toContain('opslog_projection_batches_halved_total{table="workspaces"} 1');
  });

  test('tables that were made from a log which is now older are built again, and followers begin again', async () => {
    for (const id of ['a', 'b', 'c']) await add(`workspace-${id}`, workspace(id));
    const before = await start('projector');
    expect(await before.waitFor(await store.log.head(), { timeoutMs: 5_000 })).toBe('reached');
    await before.stop();
    const followers = createCheckpointStore(parts.database);
    await followers.load('publisher');
    await followers.save('publisher', await store.log.head());

    const older = await startTestEventStore();
    try {
      // As many events, so that only their ids tell the difference.
      for (const id of ['a', 'x', 'y']) await append(older, `workspace-${id}`, workspace(id));
      parts = { ...parts, log: older.log };
      const reads = await start('projector');
      expect(await reads.waitFor(await older.log.head(), { timeoutMs: 20_000 })).toBe('reached');
      await expect.poll(async () => (await reads.health()).halted).toEqual([]);
      const rows = await parts.database.db.selectFrom('workspaces').select('id').orderBy('id').execute();
      expect(rows.map(({ id }) => id)).toEqual(['a', 'x', 'y']);
      expect(await followers.load('publisher')).toBe(0n);
      await running.pop()?.stop();
    } finally {
      parts = { ...parts, log: store.log };
      await older.stop();
    }
  });

  test('a log put back while tables follow it is told by readiness, not followed silently', async () => {
    await add('workspace-a', workspace('a'));
    const [reads, remote] = [await start('projector'), await start('api')];
    expect(await reads.waitFor(await store.log.head(), { timeoutMs: 5_000 })).toBe('reached');
    const older = await startTestEventStore();
    const elsewhere = { ...parts, log: older.log };
    expect((await remoteHealth(elsewhere)).halted.join()).toMatch(/workspaces is ahead of the log/);
    const stop = new AbortController();
    const following = older.log
      .subscribe({ after: await store.log.head(), signal: stop.signal })
      [Symbol.asyncIterator]();
    await expect(following.next()).rejects.toThrow(LogRewound);
    await older.stop();
    expect((await remote.health()).halted).toEqual([]);
  });

  test('says how many events wait when nobody projects', async () => {
    const reads = await start('api');
    await add('workspace-a', workspace('a'));
    await add('workspace-b', workspace('b'));
    expect((await reads.health()).lag).toMatchObject({ events: 2 });
  });

  test('calls back as soon as a projector elsewhere has what is new', async () => {
    const [reads] = [await start('runner'), await start('projector')];
    let calls = 0;
    reads.onChange(() => {
      calls += 1;
    });
    await expect
      .poll(async () => {
        await add(`workspace-${crypto.randomUUID()}`, workspace(crypto.randomUUID()));
        return calls;
      })
      .toBeGreaterThan(0);
  });
});
