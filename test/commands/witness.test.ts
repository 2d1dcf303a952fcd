import { describe, expect, test } from 'vitest';
import type { Envelope } from '../../src/commands/envelope.ts';
import { createAggregate } from '../../src/commands/send.ts';
import { createWitness } from '../../src/commands/witness.ts';
import type { Decider, Message } from '../../src/domain/kernel.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

type Counted = Message<'Counted', { by: number }>;
const counter: Decider<Message<'Count', { by: number }>, Counted, number, never> = {
  category: 'counter',
  events: { Counted: true },
  initial: 0,
  evolve: (state, event) => state + event.data.by,
  decide: ({ data }) => [{ type: 'Counted', data }],
};
const envelope: Envelope = {
  ...{ commandId: 'c', commandDigest: 'd', actor: { kind: 'user', id: 'u' }, authMethod: 'session' },
  ...{ workspaceId: 'w', departmentId: '', requestId: 'r', correlationId: 'r', causationId: '' },
};

/** Lets everything happen that waits for nothing but its turn. */
const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 20; turn += 1) await Promise.resolve();
};

const createWorld = (categories = ['counter']) => {
  const memory = createMemoryLog();
  let now = 1_000_000;
  let reads = 0;
  const log: EventLog = {
    ...memory,
    readStream: (stream, options) => {
      reads += 1;
      return memory.readStream(stream, options);
    },
  };
  const witness = createWitness({ log, now: () => now, categories });
  const aggregate = createAggregate(counter, { log, now: () => now, witness });
  let ending = new AbortController();
  const follow = async (after = 0n): Promise<void> => {
    ending = new AbortController();
    const { signal } = ending;
    void (async () => {
      try {
        for await (const _ of witness.overhearing(log).subscribe({ after, signal })) if (signal.aborted) return;
      } catch {
        // The memory log was told to fail.
      }
    })();
    await settle();
  };
  return {
    ...{ memory, aggregate, follow },
    /** Somebody else writes. */
    count: async (id: string, by = 1): Promise<void> => {
      memory.add(`counter-${id}`, 'Counted', { by });
      await settle();
    },
    /** Time passes; whoever asks lets the witness look, and the look needs its turn. */
    pass: async (ms: number): Promise<void> => {
      now += ms;
      witness.vouchesUntil('counter-another', { span: 0, revision: 0 });
      await settle();
    },
    load: async (id: string): Promise<{ state: number; reads: number }> => {
      const before = reads;
      const { state } = await aggregate.load(id, { maxAgeMs: 500 });
      return { state, reads: reads - before };
    },
    stop: async (): Promise<void> => {
      ending.abort();
      await settle();
    },
  };
};

describe('A state that may be half a second old', () => {
  test('is not read again, however long it has been cached, while the followed log says that nothing is new in it', async () => {
    const world = createWorld();
    await world.count('a', 5);
    await world.follow();
    expect(await world.load('a')).toEqual({ state: 5, reads: 1 });
    for (let turn = 0; turn < 10; turn += 1) {
      await world.pass(450);
      expect(await world.load('a')).toEqual({ state: 5, reads: 0 });
    }
  });

  test('is read again as soon as somebody else wrote to it, and only then the others are not', async () => {
    const world = createWorld();
    await world.count('a', 5);
    await world.count('b', 7);
    await world.follow();
    await world.load('a');
    await world.load('b');
    await world.count('a', 1);
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 6, reads: 1 });
    expect(await world.load('b')).toEqual({ state: 7, reads: 0 });
  });

  test('is read when nobody follows the log', async () => {
    const world = createWorld();
    await world.count('a', 5);
    await world.load('a');
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 5, reads: 1 });
  });

  test('is read when the log has gone on without the follower', async () => {
    const world = createWorld();
    await world.count('a', 5);
    await world.follow();
    await world.load('a');
    await world.stop();
    await world.count('a', 1);
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 6, reads: 1 });
  });

  test('is read when facts passed between two subscriptions', async () => {
    const world = createWorld();
    await world.count('a', 5);
    await world.follow();
    await world.load('a');
    await world.stop();
    await world.count('a', 1);
    await world.follow(await world.memory.head());
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 6, reads: 1 });
  });

  test('is read when the subscription broke', async () => {
    const world = createWorld();
    await world.count('a', 5);
    await world.follow();
    await world.load('a');
    world.memory.fail();
    await settle();
    world.memory.recover();
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 5, reads: 1 });
  });

  test('is read when its kind of stream is not watched', async () => {
    const world = createWorld([]);
    await world.count('a', 5);
    await world.follow();
    await world.load('a');
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 5, reads: 1 });
  });

  test('that this process wrote itself is vouched for like one that it read', async () => {
    const world = createWorld();
    await world.follow();
    await world.aggregate.send('a', { type: 'Count', data: { by: 3 } }, envelope);
    await settle();
    await world.pass(600);
    await world.pass(1);
    expect(await world.load('a')).toEqual({ state: 3, reads: 0 });
  });
});

test('a load that is to see the log as it is now reads it, whoever vouches', async () => {
  const world = createWorld();
  await world.count('a', 5);
  await world.follow();
  await world.load('a');
  expect((await world.aggregate.load('a')).state).toBe(5);
  await world.count('a', 1);
  expect((await world.aggregate.load('a')).state).toBe(6);
});

test('a fact that comes in while a state is being read is not lost', async () => {
  const world = createWorld();
  await world.count('a', 5);
  await world.follow();
  const loading = world.load('a');
  world.memory.add('counter-a', 'Counted', { by: 1 });
  await loading;
  await settle();
  await world.pass(600);
  await world.pass(1);
  expect((await world.load('a')).state).toBe(6);
});
