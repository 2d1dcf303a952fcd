import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import type { EventLog, NewEvent, StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import { run } from '../../projections/engine/library.ts';
import { type LibrarySchema, loanLog } from '../../projections/engine/sample.ts';
import { testDatabases } from '../../support/database.ts';
import { startTestEventStore, type TestEventStore } from '../../support/eventStore.ts';
import { everyTransaction } from '../../support/everyTransaction.ts';
import { type LossyWire, startProxy } from './proxy.ts';

const MiB = 1024 * 1024;
const count = 160;
const size = MiB / 2;
/** What a batch may have, and what one event may be beyond it. */
const batchBytes = 8 * MiB + size;

const largeEvent = (): NewEvent => ({
  ...{ id: randomUUID(), type: 'BookRead', metadata: {} },
  data: { pages: 1, words: 'x'.repeat(size) },
});

describe('Large events', () => {
  let store: TestEventStore;
  let wire: LossyWire;
  let log: EventLog;
  const ids: string[] = [];
  beforeAll(async () => {
    store = await startTestEventStore();
    wire = await startProxy(Number(new URL(store.connectionString).port));
    log = await openEventLog({ connectionString: wire.connectionString });
    for (let index = 0; index < count; index += 1) {
      const event = largeEvent();
      ids.push(event.id);
      await store.log.append('book-b1', [event], 'any');
    }
  }, 60_000);
  afterAll(async () => {
    await log.close();
    await wire.close();
    await store.stop();
  });

  /** Resolves once nothing has come over the wire for a while, with all that has come. */
  const settled = async (): Promise<number> => {
    let [last, since] = [wire.received(), performance.now()];
    await expect
      .poll(
        () => {
          if (wire.received() !== last) [last, since] = [wire.received(), performance.now()];
          return performance.now() - since;
        },
        { timeout: 20_000 },
      )
      .toBeGreaterThan(500);
    return last;
  };

  const collected = async (batches: AsyncIterable<{ readonly events: readonly StoredEvent[] }>, enough: number) => {
    const seen: string[] = [];
    const sizes: number[] = [];
    for await (const { events } of batches) {
      sizes.push(events.length * size);
      seen.push(...events.map(({ id }) => id));
      if (sizes.length === 1) expect(await settled()).toBeLessThan(40 * MiB);
      if (seen.length >= enough) break;
    }
    return { seen, largest: Math.max(...sizes) };
  };

  test('come in small batches, and wait at the server while nobody takes them; none is lost or comes twice', async () => {
    const stop = new AbortController();
    for (const read of [
      () => log.subscribe({ maxBatch: 1_024, signal: stop.signal }),
      () => log.readAllBatches({ maxBatch: 2_000 }),
    ]) {
      wire.restore();
      const { seen, largest } = await collected(read(), count);
      expect(seen).toEqual(ids);
      expect(largest).toBeLessThan(batchBytes);
    }
    stop.abort();
  });

  test('are projected in small batches, few at a time in memory, each once', async () => {
    const [target] = await testDatabases();
    if (target === undefined) throw new Error('The embedded database is always there');
    const test = await target.create<LibrarySchema>();
    await createTables(test.database, [loanLog]);
    wire.restore();
    let open = (): void => {};
    const gate = new Promise<void>((resolve) => {
      open = resolve;
    });
    const database = everyTransaction(test.database, (transaction) => async (work) => {
      await gate;
      return transaction(work);
    });
    const batches: number[] = [];
    const { projector, stop } = run(log, database, {
      tables: [loanLog],
      onBatch: ({ events }) => batches.push(events * size),
    });
    expect(await settled()).toBeLessThan(40 * MiB);
    open();
    expect(await projector.waitFor(await log.head(), { timeoutMs: 60_000 })).toBe('reached');
    await stop();
    expect(Math.max(...batches)).toBeLessThan(batchBytes);
    const rows = await test.database.db.selectFrom('loan_log').select('event_id').orderBy('seq').execute();
    expect(rows.map((row) => row.event_id)).toEqual(ids);
    await test.drop();
  });

  test('that many share are handed on in small batches as well', async () => {
    const stop = new AbortController();
    const after = await log.head();
    const batches = log.subscribe({ after, maxBatch: 1_024, signal: stop.signal })[Symbol.asyncIterator]();
    // Caught up, and from here on one of those who share.
    await batches.next();
    const next = batches.next();
    const later = Array.from({ length: 40 }, largeEvent);
    for (const event of later) await store.log.append('other-b1', [event], 'any');
    await settled();
    const seen: string[] = [];
    for (let { value } = await next; value !== undefined; { value } = await batches.next()) {
      expect(value.events.length * size).toBeLessThan(batchBytes);
      for (const { id } of value.events) seen.push(id);
      if (seen.length === later.length) break;
    }
    expect(seen).toEqual(later.map(({ id }) => id));
    stop.abort();
    await batches.return?.();
  });
});
