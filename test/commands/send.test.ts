import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createAggregate } from '../../src/commands/send.ts';
import type { Decider, Message } from '../../src/domain/kernel.ts';
import { reject } from '../../src/domain/kernel.ts';
import { startTestEventStore, type TestEventStore } from '../support/eventStore.ts';

type Counted = Message<'Counted', { by: number }>;
type Count = Message<'Count', { by: number; upTo: number }>;
const counter: Decider<Count, Counted, number, 'TooMuch'> = {
  category: 'testCounter',
  events: { Counted: true },
  initial: 0,
  evolve: (state, event) => state + event.data.by,
  decide: ({ data }, state) => {
    if (data.by === 0) return [];
    return state + data.by > data.upTo ? reject('TooMuch', 'Too much.') : [{ type: 'Counted', data: { by: data.by } }];
  },
};

const count = (by: number, upTo = 1_000_000): Count => ({ type: 'Count', data: { by, upTo } });

let serial = 0;
const fresh = () => `${process.pid}x${++serial}`;
const envelope = (changes: Partial<Envelope> = {}): Envelope => ({
  ...{ commandId: fresh(), commandDigest: 'd', actor: { kind: 'user', id: 'u1' }, authMethod: 'session' },
  ...{ workspaceId: 'w1', departmentId: '', requestId: 'r1', correlationId: 'c1', causationId: '' },
  ...changes,
});

let store: TestEventStore;
const open = () => createAggregate(counter, { log: store.log, now: () => Date.now() });
const storedIn = async (id: string) => {
  const events = [];
  for await (const event of store.log.readStream(`testCounter-${id}`)) events.push(event);
  return events;
};

beforeAll(async () => {
  store = await startTestEventStore();
});
afterAll(() => store.stop());

describe('Sending a command', () => {
  test('appends what was decided, with the envelope as metadata, and answers where it is', async () => {
    const id = fresh();
    const sent = await open().send(id, count(2), envelope());
    expect(sent).toMatchObject({ ok: true, state: 2, revision: 0, replayed: false });
    const [event] = await storedIn(id);
    expect(event).toMatchObject({ type: 'Counted', data: { by: 2 } });
    expect(event?.metadata).toMatchObject({
      ...{ $correlationId: 'c1', actor: { kind: 'user', id: 'u1' }, authMethod: 'session', workspaceId: 'w1' },
      ...{ requestId: 'r1', commandDigest: 'd' },
    });
    expect(sent.ok && sent.position).toBe(event?.position);
  });

  test('a rejection appends nothing', async () => {
    const id = fresh();
    expect(await open().send(id, count(2, 1), envelope())).toMatchObject({
      ok: false,
      rejection: { rejected: 'TooMuch' },
    });
    expect(await storedIn(id)).toEqual([]);
  });

  test('the same command again gives the same answer and appends nothing, also from another process', async () => {
    const id = fresh();
    const key = envelope();
    const [here, elsewhere] = [open(), open()];
    const first = await here.send(id, count(3), key);
    await here.send(id, count(4), envelope());
    for (const aggregate of [here, elsewhere]) {
      const again = await aggregate.send(id, count(3), key);
      expect(again).toMatchObject({ ok: true, replayed: true, events: [{ type: 'Counted', data: { by: 3 } }] });
      expect(again.ok && first.ok && again.position === first.position).toBe(true);
    }
    expect(await storedIn(id)).toHaveLength(2);
  });

  test('the same key with another command is refused', async () => {
    const id = fresh();
    const aggregate = open();
    const key = envelope();
    await aggregate.send(id, count(3), key);
    expect(await aggregate.send(id, count(5), { ...key, commandDigest: 'other' })).toMatchObject({
      rejection: { rejected: 'IdempotencyKeyReused', field: 'Idempotency-Key' },
    });
  });

  test('a revision that the caller did not see is refused, and the current one is named', async () => {
    const id = fresh();
    const aggregate = open();
    await aggregate.send(id, count(1), envelope());
    await aggregate.send(id, count(1), envelope());
    expect(await aggregate.send(id, count(1), envelope({ expectedRevision: 0 }))).toMatchObject({
      rejection: { rejected: 'RevisionMismatch', details: { expected: 0, actual: 1 } },
    });
    expect(await aggregate.send(id, count(1), envelope({ expectedRevision: 1 }))).toMatchObject({ ok: true });
  });

  test('a dry run answers with the facts that would be and appends nothing', async () => {
    const id = fresh();
    const sent = await open().send(id, count(7), envelope({ dryRun: true }));
    expect(sent).toMatchObject({ ok: true, events: [{ type: 'Counted' }], state: 7, revision: -1 });
    expect(await storedIn(id)).toEqual([]);
  });
});

describe('A command on a stream that is taken to be new', () => {
  test('is appended without a look, and recognised when the stream was there after all', async () => {
    const id = fresh();
    const key = envelope({ fresh: true });
    expect(await open().send(id, count(3), key)).toMatchObject({ ok: true, revision: 0, replayed: false });
    expect(await open().send(id, count(3), key)).toMatchObject({ ok: true, revision: 0, state: 3 });
    expect(await storedIn(id)).toHaveLength(1);
    expect(await open().send(id, count(3), envelope({ fresh: true }))).toMatchObject({
      ok: true,
      state: 6,
      revision: 1,
    });
  });
});

test('the same command from two processes that made other data of it is answered with what was recorded', async () => {
  const id = fresh();
  const key = envelope({ fresh: true });
  await open().send(id, count(3), key);
  const late = open();
  expect(await late.send(id, count(4), key)).toMatchObject({ events: [{ data: { by: 3 } }], replayed: true });
  expect((await late.load(id, { maxAgeMs: 60_000 })).state).toBe(3);
});

describe('Several writers of one stream', () => {
  test('64 at once in one process: every command is appended, none is lost', async () => {
    const id = fresh();
    const aggregate = open();
    const sent = await Promise.all(Array.from({ length: 64 }, () => aggregate.send(id, count(1), envelope())));
    expect(sent.every((each) => each.ok)).toBe(true);
    expect((await aggregate.load(id)).state).toBe(64);
  });

  test('in two processes: a conflict decides again on what the other wrote, so the limit holds', async () => {
    const id = fresh();
    const processes = [open(), open()];
    const all = await Promise.all(
      Array.from({ length: 20 }, (_, turn) => processes[turn % 2]?.send(id, count(1, 10), envelope())),
    );
    const accepted = all.filter((each) => each?.ok).length;
    expect(await storedIn(id)).toHaveLength(accepted);
    expect(accepted).toBeLessThanOrEqual(10);
    expect(accepted).toBeGreaterThan(0);
  });

  test('a "no" is never given from a stale cache', async () => {
    const id = fresh();
    const [here, elsewhere] = [open(), open()];
    await here.send(id, count(10, 10), envelope());
    expect(await here.send(id, count(1, 10), envelope())).toMatchObject({ ok: false });
    await elsewhere.send(id, count(-5), envelope());
    expect(await here.send(id, count(1, 10), envelope())).toMatchObject({ ok: true, state: 6 });
  });

  test('the same command sent twice at the same time from two processes is carried out once', async () => {
    const id = fresh();
    const key = envelope();
    const sent = await Promise.all([open().send(id, count(1), key), open().send(id, count(1), key)]);
    expect(sent.map((each) => each.ok)).toEqual([true, true]);
    expect(await storedIn(id)).toHaveLength(1);
  });
});

describe('Loading', () => {
  test('a state may be as old as the caller allows, and no older', async () => {
    const id = fresh();
    const [here, elsewhere] = [open(), open()];
    await here.send(id, count(1), envelope());
    await elsewhere.send(id, count(1), envelope());
    expect((await here.load(id, { maxAgeMs: 60_000 })).state).toBe(1);
    expect((await here.load(id)).state).toBe(2);
  });
});

test('what another process wrote is seen at once, whatever the clock does', async () => {
  const id = fresh();
  let time = 1_000;
  const here = createAggregate(counter, { log: store.log, now: () => time });
  const elsewhere = open();
  await here.send(id, count(1), envelope());
  await elsewhere.send(id, count(1), envelope());
  expect((await here.load(id)).state).toBe(2);
  await elsewhere.send(id, count(1), envelope());
  time -= 3_600_000;
  expect((await here.load(id, { maxAgeMs: 1_000 })).state).toBe(3);
});

describe('A state that is to hold everything up to a revision', () => {
  test('is answered from memory when it does, and read when it does not', async () => {
    const id = fresh();
    const [here, elsewhere] = [open(), open()];
    await here.send(id, count(1), envelope());
    await elsewhere.send(id, count(2), envelope());
    expect(await here.load(id, { atLeast: 0 })).toMatchObject({ state: 1, revision: 0 });
    expect(await here.load(id, { atLeast: 1 })).toMatchObject({ state: 3, revision: 1 });
    expect(await open().load(id, { atLeast: 0 })).toMatchObject({ state: 3, revision: 1 });
  });
});
