import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { createTables } from '../../../src/projections/engine/createTables.ts';
import { rebuild } from '../../../src/projections/engine/rebuild.ts';
import { onEveryDatabase, type TestDatabase } from '../../support/database.ts';
import { startTestEventStore, type TestEventStore } from '../../support/eventStore.ts';
import { decode, run } from './library.ts';
import { foldModel, tableContents } from './model.ts';
import { type LibrarySchema, libraryTables } from './sample.ts';
import { storyArbitrary, writeStory } from './story.ts';

await onEveryDatabase('the projector on a real event store', (target) => {
  let test: TestDatabase<LibrarySchema>;
  let store: TestEventStore;
  beforeAll(async () => {
    [test, store] = await Promise.all([target.create<LibrarySchema>(), startTestEventStore()]);
  });
  afterAll(() => Promise.all([test.drop(), store.stop()]));

  it('follows what is appended, and a rebuild comes to the same', async () => {
    await createTables(test.database, libraryTables);
    const abort = new AbortController();
    const { projector, stop } = run(store.log, test.database);
    const story = writeStory(fc.sample(storyArbitrary(), { numRuns: 6, seed: 3 }).flat());
    for (const { id, stream, type, data, metadata } of story.events) {
      await store.log.append(stream, [{ id, type, data, metadata }], 'any');
    }
    expect(await projector.waitFor(await store.log.head(), { timeoutMs: 20_000 })).toBe('reached');
    const events: StoredEvent[] = [];
    for await (const event of store.log.readAll()) events.push(event);
    const expected = foldModel(libraryTables, events);
    expect(events).toHaveLength(story.events.length);
    expect(await tableContents(test.database, libraryTables)).toEqual(expected);
    await rebuild({ log: store.log, database: test.database, tables: libraryTables, decode, signal: abort.signal });
    expect(await tableContents(test.database, libraryTables)).toEqual(expected);
    await stop();
  });
});
