import { copyFile, mkdir, mkdtemp, rm, stat, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import type { StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { type RunningEventStore, startEventStore } from '../../../src/platform/eventstore/server.ts';
import { truncateStore } from '../../../src/platform/eventstore/truncate.ts';

let home: string;
beforeEach(async () => {
  home = await mkdtemp(join(tmpdir(), 'opslog-copy-'));
});
afterEach(() => rm(home, { recursive: true, force: true }));

const start = (name: string): Promise<RunningEventStore> =>
  startEventStore({ dataDir: join(home, name), syncToDisk: false });

const everything = async (server: RunningEventStore): Promise<readonly StoredEvent[]> => {
  const log = await openEventLog({ connectionString: server.connectionString });
  const events: StoredEvent[] = [];
  for await (const event of log.readAll()) events.push(event);
  await log.close();
  return events;
};

const newEvent = (n: number) => ({
  id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
  type: 'Happened',
  data: { n },
  metadata: {},
});

describe('A copy of the store', () => {
  test('made while events are written is a whole log up to some moment, with nothing acknowledged before it missing', async () => {
    const server = await start('live');
    const log = await openEventLog({ connectionString: server.connectionString });
    let written = 0;
    const write = async (): Promise<void> => {
      written += 1;
      await log.append(`stream-${written % 7}`, [newEvent(written)], 'any');
    };
    for (let n = 0; n < 200; n += 1) await write();
    const acknowledged = await log.head();
    const writing = (async () => {
      for (let n = 0; n < 300; n += 1) await write();
    })();
    const copy = join(home, 'copy');
    await mkdir(copy);
    await server.copyTo(copy);
    await writing;
    const original = await everything(server);
    await log.close();
    await server.close();
    const copied = await start('copy');
    const events = await everything(copied);
    await copied.close();
    expect(events.at(-1)?.position).toBeGreaterThanOrEqual(acknowledged);
    expect(events).toEqual(original.slice(0, events.length));
  });

  test('cut at any position is the log as it was then, streams and all, and takes new events from there', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.nat(3), { minLength: 1, maxLength: 12 }),
        fc.nat(11),
        fc.uuid(),
        async (streams, cut, id) => {
          const server = await start(id);
          const log = await openEventLog({ connectionString: server.connectionString });
          const positions: bigint[] = [];
          for (const [n, stream] of streams.entries()) {
            const outcome = await log.append(`s-${stream}`, [newEvent(n + 1)], 'any');
            if (outcome.ok) positions.push(outcome.position);
          }
          const original = await everything(server);
          await log.close();
          await server.close();
          const kept = Math.min(cut, streams.length - 1) + 1;
          const truncated = await truncateStore(join(home, id), Number(positions[kept - 1]));
          expect(truncated).toEqual({ events: kept, removed: streams.length - kept });
          const again = await start(id);
          expect(await everything(again)).toEqual(original.slice(0, kept));
          const more = await openEventLog({ connectionString: again.connectionString });
          // A new stream first: it must not be given the number of one that was cut away.
          expect(await more.append('s-new', [newEvent(99)], 'noStream')).toMatchObject({ ok: true, revision: 0 });
          for (const stream of new Set(streams)) {
            const length = streams.slice(0, kept).filter((each) => each === stream).length;
            const appended = await more.append(
              `s-${stream}`,
              [newEvent(100 + stream)],
              length === 0 ? 'noStream' : length - 1,
            );
            expect(appended).toMatchObject({ ok: true, revision: length });
          }
          await more.close();
          await again.close();
        },
      ),
      { numRuns: 12 },
    );
  });
});

describe('A damaged store is refused by name at the start, with what to do', () => {
  const file = () => join(home, 'live', 'data.mdb');
  beforeEach(async () => {
    const server = await start('live');
    const log = await openEventLog({ connectionString: server.connectionString });
    for (let n = 1; n <= 300; n += 1)
      await log.append('s', [{ ...newEvent(n), data: { big: 'x'.repeat(5_000) } }], 'any');
    await log.close();
    await server.close();
  });
  const damages: readonly (readonly [name: string, damage: () => Promise<void>])[] = [
    ['emptied', () => truncate(file(), 0)],
    ['cut in half', async () => truncate(file(), Math.floor((await stat(file())).size / 2))],
    ['cut to its header', () => truncate(file(), 8_192)],
    ['another kind of file', () => writeFile(file(), Buffer.alloc(65_536, 'no log '))],
    ['all zeros', () => writeFile(file(), Buffer.alloc(65_536))],
  ];
  test.each(damages)('%s', async (_, damage) => {
    await copyFile(file(), join(home, 'kept'));
    await damage();
    await expect(start('live')).rejects.toMatchObject({
      name: 'EventStoreCorrupt',
      message: expect.stringMatching(/data\.mdb is damaged.*opslog restore/),
    });
    // The folder is free again: put back, it opens.
    await copyFile(join(home, 'kept'), file());
    const server = await start('live');
    expect(await everything(server)).toHaveLength(300);
    await server.close();
  });
});
