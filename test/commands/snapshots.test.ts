import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createAggregate } from '../../src/commands/send.ts';
import type { Decider, Message } from '../../src/domain/kernel.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';

type Added = Message<'Added', { by: number }>;
type Sum = { readonly total: number; readonly folded: number };

/** `folded` counts what `evolve` saw since the state was made: a snapshot resets it, so it tells what was read. */
const sum = (version: number): Decider<Message<'Add', { by: number }>, Added, Sum, never> => ({
  category: 'testSum',
  events: { Added: true },
  initial: { total: 0, folded: 0 },
  evolve: (state, event) => ({ total: state.total + event.data.by, folded: state.folded + 1 }),
  decide: ({ data }) => [{ type: 'Added', data }],
  snapshot: {
    version,
    every: 10,
    isState: (value): value is Sum => typeof value === 'object' && value !== null && 'total' in value,
  },
});

let store: TestEventStore;
beforeAll(async () => {
  store = await startTestEventStore();
});
afterAll(() => store.stop());

const countingReads = (log: EventLog): { log: EventLog; read: () => number } => {
  let events = 0;
  return {
    read: () => events,
    log: {
      ...log,
      readStream: (stream, options) =>
        (async function* () {
          for await (const event of log.readStream(stream, options)) {
            if (!stream.startsWith('snapshot-')) events += 1;
            yield event;
          }
        })(),
    },
  };
};

let serial = 0;
const envelope = (commandId = `s${process.pid}x${++serial}`): Envelope => ({
  ...{ commandId, commandDigest: 'd', actor: { kind: 'user', id: 'u1' }, authMethod: 'session' },
  ...{ workspaceId: 'w1', departmentId: '', requestId: '', correlationId: '', causationId: '' },
});
const add = { type: 'Add', data: { by: 1 } } as const;

const until = async (holds: () => Promise<boolean>): Promise<void> => {
  while (!(await holds())) await new Promise((resolve) => setTimeout(resolve, 5));
};
const snapshotsOf = async (id: string) => {
  const taken = [];
  for await (const event of store.log.readStream(`snapshot-testSum-${id}`)) taken.push(event);
  return taken;
};

const filled = async (count: number): Promise<string> => {
  const id = `long${++serial}`;
  const aggregate = createAggregate(sum(1), { log: store.log, now: Date.now });
  for (let index = 0; index < count; index += 1) await aggregate.send(id, add, envelope(`${id}#${index}`));
  await until(async () => (await snapshotsOf(id)).at(-1)?.data['revision'] === Math.floor(count / 10) * 10 - 1);
  return id;
};

test('a long stream is loaded from its newest snapshot and what came after it', async () => {
  const id = await filled(25);
  const { log, read } = countingReads(store.log);
  const loaded = await createAggregate(sum(1), { log, now: Date.now }).load(id);
  expect(loaded).toMatchObject({ state: { total: 25 }, revision: 24 });
  expect(read()).toBe(6); // the event the snapshot covers, to compare its id, and five newer ones
});

test('only the newest snapshot is kept', async () => {
  const id = await filled(35);
  await until(async () => (await snapshotsOf(id)).length === 1);
});

test('a snapshot of another version is thrown away', async () => {
  const id = await filled(12);
  const { log, read } = countingReads(store.log);
  const loaded = await createAggregate(sum(2), { log, now: Date.now }).load(id);
  expect(loaded.state.total).toBe(12);
  expect(read()).toBe(12);
});

test('a snapshot that the log does not bear out is never trusted', async () => {
  const id = `forged${++serial}`;
  const aggregate = createAggregate(sum(1), { log: store.log, now: Date.now });
  for (let index = 0; index < 3; index += 1) await aggregate.send(id, add, envelope());
  const data = { version: 1, revision: 1, position: '1', eventId: 'of another log', state: { total: 99, folded: 0 } };
  const snapshot = { id: '00000000-0000-4000-8000-000000000001', type: 'SnapshotTaken', metadata: {} };
  await store.log.append(`snapshot-testSum-${id}`, [{ ...snapshot, data: { ...data, commands: [] } }], 'any');
  expect((await createAggregate(sum(1), { log: store.log, now: Date.now }).load(id)).state.total).toBe(3);
});

test('a retry is recognised across a snapshot', async () => {
  const id = await filled(20);
  const again = createAggregate(sum(1), { log: store.log, now: Date.now });
  expect(await again.send(id, add, envelope(`${id}#3`))).toMatchObject({ ok: true, replayed: true, revision: 19 });
});

test('the platform may send as many commands as it likes: the keys of callers are remembered all the same', async () => {
  const id = `busy${++serial}`;
  const aggregate = createAggregate(sum(1), { log: store.log, now: Date.now });
  await aggregate.send(id, add, envelope(`${id}#caller`));
  for (let index = 0; index < 1_050; index += 1) await aggregate.send(id, add, { ...envelope(), commandDigest: '' });
  await until(async () => (await snapshotsOf(id)).at(-1)?.data['revision'] === 1_049);
  const again = createAggregate(sum(1), { log: store.log, now: Date.now });
  expect(await again.send(id, add, envelope(`${id}#caller`))).toMatchObject({ ok: true, replayed: true });
});
