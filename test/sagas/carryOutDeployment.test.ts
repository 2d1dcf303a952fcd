import { beforeEach, describe, expect, test } from 'vitest';
import { createAggregate } from '../../src/commands/send.ts';
import type { EdgeWorkerCommand } from '../../src/domain/edgeWorker/index.ts';
import { edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import type { Clock } from '../../src/platform/clock/port.ts';
import { carryOutDeployment, type DeploymentDeps } from '../../src/sagas/carryOutDeployment.ts';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import * as a from '../support/edgeWorkerFacts.ts';
import { createMemoryLog } from '../support/memoryLog.ts';
import { createScriptedProvider, type ScriptedProvider } from '../support/scriptedProvider.ts';

const workerId = 'worker-1';
const context = {
  workspaceId: a.companyId,
  departmentId: a.departmentId,
  requestId: 'r1',
  correlationId: 'c1',
  causationId: 'e1',
};
const never = new AbortController().signal;

/** Time that moves only when the test says so; `pass` also ends the sleeps of exactly that length. */
const createClock = () => {
  let now = 1_000;
  const sleepers = new Map<() => void, number>();
  const clock: Clock = {
    now: () => now,
    sleep: (ms, signal) =>
      new Promise((resolve) => {
        const wake = (): void => {
          sleepers.delete(wake);
          resolve();
        };
        sleepers.set(wake, ms);
        if (signal?.aborted) wake();
        else signal?.addEventListener('abort', wake, { once: true });
      }),
  };
  const advance = (ms: number): void => {
    now += ms;
  };
  const pass = (ms: number): void => {
    advance(ms);
    for (const [wake, length] of sleepers) if (length === ms) wake();
  };
  return { clock, advance, pass, sleeping: () => [...sleepers.values()] };
};

const start = (node = 'node/1') => {
  const log = createMemoryLog();
  const workers = createAggregate(edgeWorker, { log, now: () => 0 });
  const provider = createScriptedProvider(a.steps);
  const { clock, ...time } = createClock();
  let ids = 0;
  const random = { uuid: () => `lease-${node}-${++ids}`, bytes: () => new Uint8Array(), fraction: () => 1 };
  const depsOf = (holder: string): DeploymentDeps => ({
    providerOf: () => provider,
    ...{ workers, clock, random, holder, leaseMs: 10_000, stepTimeoutMs: 5_000 },
  });
  const tell = async (key: string, command: EdgeWorkerCommand) => {
    const sent = await workers.send(workerId, command, systemEnvelope('test', context, key));
    if (!sent.ok) throw new Error(sent.rejection.rejected);
  };
  const run = (holder = node, takeover = false, signal = never) =>
    carryOutDeployment(depsOf(holder), { ticketId: 't1', workerId, context, takeover }, signal);
  const facts = async () => {
    const types: string[] = [];
    for await (const event of log.readStream(`edgeWorker-${workerId}`)) types.push(event.type);
    return types;
  };
  return { provider, workers, ...time, tell, run, facts, state: async () => (await workers.load(workerId)).state };
};

let world: ReturnType<typeof start>;
beforeEach(async () => {
  world = start();
  await world.tell('submit', a.submit(1));
  await world.tell('admit', a.admit('t1', 1));
});
const provider = (): ScriptedProvider => world.provider;

describe('Carrying out a deployment', () => {
  test('walks the steps in order under one lease and completes', async () => {
    expect(await world.run()).toBe('completed');
    expect(provider().asked).toEqual(['fetch#1', 'start#1', 'switch#1']);
    expect(await world.state()).toMatchObject({ status: 'active', history: [1], ticket: { status: 'completed' } });
    expect((await world.facts()).at(-1)).toBe('DeploymentCompleted');
  });

  test('what nothing came of is tried again when it is due, under a higher attempt, from the first step', async () => {
    provider().answer('start', { outcome: 'retry', detail: 'no room' });
    expect(await world.run()).toBe('pending');
    expect(await world.run()).toBe('not leased');
    world.advance(60_000);
    expect(await world.run()).toBe('completed');
    expect(provider().asked).toEqual(['fetch#1', 'start#1', 'fetch#2', 'start#2', 'switch#2']);
  });

  test('a refused step ends the deployment with its code', async () => {
    provider().answer('start', { outcome: 'refused', code: 'startup_failed', detail: 'it throws' });
    expect(await world.run()).toBe('failed');
    expect(await world.facts()).toContain('DeploymentFailed');
    expect(provider().asked).toEqual(['fetch#1', 'start#1']);
  });

  test('the retry budget ends visibly', async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      provider().answer('fetch', { outcome: 'retry', detail: 'the store is away' });
      expect(await world.run()).toBe(attempt < 3 ? 'pending' : 'failed');
      world.advance(120_000);
    }
  });
});

describe('Uncertain outcomes', () => {
  const lost = { outcome: 'uncertain', detail: 'the answer was lost' } as const;

  test('are settled by looking: what has happened is not done again', async () => {
    provider().answer('switch', lost);
    provider().find('switch', { outcome: 'done', detail: 'it is there' });
    expect(await world.run()).toBe('uncertain');
    world.advance(60_000);
    expect(await world.run()).toBe('completed');
    expect(provider().asked.filter((each) => each.includes('switch'))).toEqual(['switch#1', 'look at switch']);
  });

  test('are settled by looking: what has not happened is done', async () => {
    provider().answer('switch', lost);
    expect(await world.run()).toBe('uncertain');
    world.advance(60_000);
    expect(await world.run()).toBe('completed');
    expect(provider().asked.filter((each) => each.includes('switch'))).toEqual([
      'switch#1',
      'look at switch',
      'switch#2',
    ]);
  });

  test('stay uncertain while nobody can look, and are never given up', async () => {
    provider().answer('switch', lost);
    provider().find('switch', lost, lost, lost, lost, lost);
    for (let attempt = 1; attempt <= 6; attempt += 1) {
      expect(await world.run()).toBe('uncertain');
      world.advance(120_000);
    }
  });

  test('a step that never answers ends as uncertain when its time is over, and does not hold the ticket for ever', async () => {
    provider().answer('start', () => new Promise(() => {}));
    const running = world.run();
    await expect.poll(() => provider().asked).toContain('start#1');
    world.pass(5_000);
    await expect.poll(() => world.sleeping()).toContain(2_000);
    world.pass(2_000);
    expect(await running).toBe('uncertain');
  });

  test('a provider that throws leaves an uncertain step, not a lost one', async () => {
    provider().answer('start', () => Promise.reject(new Error('socket hang up')));
    expect(await world.run()).toBe('uncertain');
  });
});

describe('Leases', () => {
  test('of two runners one carries it out', async () => {
    const became = await Promise.all([world.run('node-1/1'), world.run('node-2/1')]);
    expect(became.toSorted()).toEqual(['completed', 'not leased']);
    expect(provider().asked).toHaveLength(3);
  });

  test('a late runner stops at its next report, and its report changes nothing', async () => {
    let release = () => {};
    const stuck = new Promise<void>((resolve) => {
      release = resolve;
    });
    provider().answer('start', async () => {
      await stuck;
      return { outcome: 'done', detail: 'late' };
    });
    const late = world.run('node-1/1');
    await expect.poll(() => provider().asked).toContain('start#1');
    world.advance(20_000);
    expect(await world.run('node-2/1')).toBe('completed');
    release();
    expect(await late).toBe('lease lost');
    expect((await world.facts()).filter((type) => type === 'DeploymentCompleted')).toHaveLength(1);
  });

  test('begins no step once its lease has run out by the clock, whether or not a timer has said so', async () => {
    provider().answer('start', async () => {
      world.advance(20_000);
      return { outcome: 'done', detail: 'the process stood still' };
    });
    expect(await world.run()).toBe('lease lost');
    expect(provider().asked.at(-1)).toBe('start#1');
  });

  test('a node takes back at once what its dead incarnation held', async () => {
    const dying = new AbortController();
    provider().answer('start', async () => {
      dying.abort();
      return { outcome: 'done', detail: 'never reported' };
    });
    expect(await world.run('node/1', false, dying.signal)).toBe('lease lost');
    expect(await world.run('node/2', false)).toBe('not leased');
    expect(await world.run('node/2', true)).toBe('completed');
  });
});

describe('Cancelling', () => {
  test('before the world can see it: what was prepared is dropped and the ticket is cancelled', async () => {
    provider().answer('fetch', async () => {
      await world.tell('cancel', { type: 'RequestDeploymentCancel', data: { ticketId: 't1', giveUp: false } });
      return { outcome: 'done', detail: 'fetched' };
    });
    expect(await world.run()).toBe('cancelled');
    expect(provider().asked).toEqual(['fetch#1', 'abandon']);
  });

  test('after that it comes too late, and the deployment says so by completing', async () => {
    provider().answer('start', async () => {
      return { outcome: 'done', detail: 'started' };
    });
    provider().answer('switch', async () => {
      await world.tell('cancel', { type: 'RequestDeploymentCancel', data: { ticketId: 't1', giveUp: false } });
      return { outcome: 'done', detail: 'switched' };
    });
    expect(await world.run()).toBe('completed');
    expect(provider().asked).not.toContain('abandon');
  });
});
