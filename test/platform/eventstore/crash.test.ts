import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openEventLog } from '../../../src/platform/eventLog/open.ts';
import type { EventLog, NewEvent, StoredEvent } from '../../../src/platform/eventLog/port.ts';
import { startEventStore } from '../../../src/platform/eventstore/server.ts';
import { startChildServer } from './childServer.ts';

/** `OPSLOG_CRASH_ROUNDS` makes it longer. */
const ROUNDS = Number(process.env['OPSLOG_CRASH_ROUNDS'] ?? 6);
const WRITERS = 12;

let folder: string;

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-crash-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const batchOf = (key: string): NewEvent[] =>
  [0, 1, 2].map((part) => ({
    id: randomUUID(),
    type: 'Part',
    data: { key, part, pad: 'x'.repeat(300) },
    metadata: {},
  }));

/** Appends batches of three until the log goes away. */
const writeUntilGone = async (log: EventLog, stream: string, acknowledged: (key: string) => void): Promise<void> => {
  for (;;) {
    const key = randomUUID();
    const outcome = await log.append(stream, batchOf(key), 'any').catch(() => undefined);
    if (outcome?.ok !== true) return;
    acknowledged(key);
  }
};

/** Writes from all sides and kills the server in the midst of it, once so many appends were acknowledged. */
const writeAndKill = async (round: number, killAfter: number, acknowledged: Set<string>): Promise<void> => {
  const server = await startChildServer(folder);
  const log = await openEventLog({ connectionString: server.connectionString, giveUpAfterMs: 1 });
  let left = killAfter;
  let killed: Promise<void> | undefined;
  const onAcknowledged = (key: string): void => {
    acknowledged.add(key);
    left -= 1;
    if (left <= 0) killed ??= server.kill();
  };
  const streams = Array.from({ length: WRITERS }, (_, n) => (n % 2 === 0 ? `shared-${n}` : `round-${round}-${n}`));
  await Promise.all(streams.map((stream) => writeUntilGone(log, stream, onAcknowledged)));
  await killed;
  await log.close();
};

const byStream = (events: readonly StoredEvent[]): Map<string, StoredEvent[]> => {
  const streams = new Map<string, StoredEvent[]>();
  for (const event of events) streams.set(event.stream, [...(streams.get(event.stream) ?? []), event]);
  return streams;
};

/** The whole log, after checking that every stream says the same. */
const readEverything = async (): Promise<StoredEvent[]> => {
  const server = await startEventStore({ dataDir: folder });
  const log = await openEventLog({ connectionString: server.connectionString });
  const events: StoredEvent[] = [];
  for await (const batch of log.readAllBatches()) events.push(...batch.events);
  for (const [stream, expected] of byStream(events)) {
    const read: StoredEvent[] = [];
    for await (const event of log.readStream(stream)) read.push(event);
    expect(read).toEqual(expected);
    expect(read.map(({ revision }) => revision)).toEqual(read.map((_, index) => index));
  }
  await log.close();
  await server.close();
  return events;
};

test('a server killed at any moment has every acknowledged append, none by half and none twice', async () => {
  const acknowledged = new Set<string>();
  for (let round = 0; round < ROUNDS; round++) {
    const killAfter = 1 + Math.floor(Math.random() * 120);
    await writeAndKill(round, killAfter, acknowledged);
    const events = await readEverything();
    const positions = events.map(({ position }) => position);
    expect(positions.every((position, index) => index === 0 || position > (positions[index - 1] ?? 0n))).toBe(true);
    const keys = events.map(({ data }) => `${data['key']}`);
    const parts = events.map(({ data }) => data['part']);
    expect(parts).toEqual(parts.map((_, index) => index % 3));
    const whole = keys.filter((_, index) => index % 3 === 0);
    expect(keys).toEqual(whole.flatMap((key) => [key, key, key]));
    expect(new Set(whole).size).toBe(whole.length);
    const lost = [...acknowledged].filter((key) => !whole.includes(key));
    expect(lost).toEqual([]);
  }
  expect(acknowledged.size).toBeGreaterThan(ROUNDS);
}, 120_000);
