import { beforeEach, describe, expect, test } from 'vitest';
import type { JobOutcome } from '../../src/sagas/jobs/effect.ts';
import * as a from '../support/jobFacts.ts';
import { type JobWorld, jobId, leaseMs, startJobWorld, timeoutMs } from '../support/jobWorld.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

let world: JobWorld;
beforeEach(async () => {
  world = startJobWorld();
  await world.tell('enqueue', a.enqueue());
});

/** An answer that comes when the test says so. */
const held = () => {
  let release: (outcome: JobOutcome) => void = () => {};
  const promise = new Promise<JobOutcome>((resolve) => {
    release = resolve;
  });
  return { release, answer: () => promise };
};
const began = (count: number) => expect.poll(() => world.asked.length, soon).toBe(count);
/** Many short waits: look more often than is usual. */
const soon = { interval: 2 };
const requestCancel = { type: 'RequestJobCancel', data: {} } as const;
const count = async (type: string) => (await world.facts()).filter((each) => each === type).length;

describe('Carrying out a job', () => {
  test('does it once under a lease and records what came of it', async () => {
    world.answer({ outcome: 'done', detail: 'verified', result: { records: 2 } });
    expect(await world.run()).toBe('succeeded');
    expect(world.asked).toEqual(['perform#1']);
    expect(await world.facts()).toEqual(['JobEnqueued', 'JobLeased', 'JobSucceeded']);
    expect(world.observed).toMatchObject([{ kind: 'domain.verify', outcome: 'done' }]);
    expect(await world.run()).toBe('not leased');
  });

  test('gives the effect what it needs and nothing of another', async () => {
    world.answer(async (job) => {
      expect(job).toMatchObject({
        ...{ jobId, kind: 'domain.verify', workspaceId: 'company-1', departmentId: '', subjectId: 'domain-1' },
        ...{ payload: { zoneId: 'zone-1', records: 2 }, attempt: 1, mode: 'perform' },
        context: { correlationId: 'c1', requestId: 'r1' },
      });
      return { outcome: 'done', detail: 'fine' };
    });
    expect(await world.run()).toBe('succeeded');
  });

  test('what nothing came of is tried again later, less and less often, until it is dead', async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) world.answer({ outcome: 'retry', detail: 'no room' });
    expect(await world.run()).toBe('pending');
    expect(await world.run()).toBe('not leased');
    world.pass(1_000);
    expect(await world.run()).toBe('pending');
    world.pass(1_999);
    expect(await world.run()).toBe('not leased');
    world.pass(1);
    expect(await world.run()).toBe('dead');
    expect(world.asked).toEqual(['perform#1', 'perform#2', 'perform#3']);
  });

  test('a pause that the world outside asks for is kept', async () => {
    world.answer({ outcome: 'retry', detail: 'rate limited', afterMs: 50_000 });
    expect(await world.run()).toBe('pending');
    expect(await world.state()).toMatchObject({ nextAttemptAt: 51_000 });
  });

  test('a redriven job begins again under a higher attempt', async () => {
    for (let attempt = 1; attempt <= 3; attempt += 1) {
      world.answer({ outcome: 'retry', detail: 'no room' });
      await world.run();
      world.pass(60_000);
    }
    expect(await world.run()).toBe('not leased');
    await world.tell('redrive', { type: 'RedriveJob', data: { now: 0 } });
    expect(await world.run()).toBe('succeeded');
    expect(world.asked.at(-1)).toBe('perform#4');
  });

  test('what the world outside refuses fails with its code', async () => {
    world.answer({ outcome: 'refused', code: 'zone_missing', detail: 'no such zone' });
    expect(await world.run()).toBe('failed');
  });

  test('a kind that this process does not know is left alone', async () => {
    expect(await world.node('node-1/1', {})()).toBe('not leased');
    expect(await world.node('node-1/1', { constructor: world.kind })()).toBe('not leased');
    expect(await world.facts()).toEqual(['JobEnqueued']);
  });

  test('what an effect says reaches the log without what looks like a secret', async () => {
    world.answer({ outcome: 'done', detail: 'sent Bearer abcdefghijkl', result: { apiToken: 'abc', zone: 'z' } });
    await world.run();
    const texts: string[] = [];
    for await (const event of world.log.readStream(`job-${jobId}`)) texts.push(JSON.stringify(event.data));
    expect(texts.join('\n')).not.toMatch(/abcdefghijkl|"abc"/);
    expect(texts.join('\n')).toContain('"zone":"z"');
  });
});

describe('Uncertain outcomes of a job', () => {
  const lost = { outcome: 'uncertain', detail: 'the answer was lost' } as const;

  test('are settled by looking: what has happened is not done again', async () => {
    world.answer(lost, { outcome: 'done', detail: 'it is there' });
    expect(await world.run()).toBe('pending');
    world.pass(1_000);
    expect(await world.run()).toBe('succeeded');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
  });

  test('are settled by looking: what has not happened is done in the same attempt', async () => {
    world.answer(lost, { outcome: 'retry', detail: 'nothing there' });
    await world.run();
    world.pass(1_000);
    expect(await world.run()).toBe('succeeded');
    expect(world.asked).toEqual(['perform#1', 'probe#2', 'perform#2']);
  });

  test('a look that must wait is not followed by doing', async () => {
    world.answer(lost, { outcome: 'retry', detail: 'rate limited', afterMs: 5_000 });
    await world.run();
    world.pass(1_000);
    expect(await world.run()).toBe('pending');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
  });

  test('stay uncertain while nobody can look, are looked at less often, and never given up', async () => {
    world.answer(...Array.from({ length: 8 }, () => lost));
    const pauses: number[] = [];
    for (let attempt = 1; attempt <= 8; attempt += 1) {
      expect(await world.run()).toBe('pending');
      const state = await world.state();
      pauses.push(state.status === 'absent' ? 0 : state.nextAttemptAt - world.clock.now());
      world.pass(60_000);
    }
    expect(pauses).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
    expect(await world.run()).toBe('succeeded');
  });

  test('an effect that throws leaves an uncertain attempt, not a lost job', async () => {
    world.answer(() => Promise.reject(new Error('socket hang up')));
    expect(await world.run()).toBe('pending');
    expect(await world.state()).toMatchObject({ status: 'pending', doubts: 1 });
  });

  test('an effect that never answers is told to stop, and is looked at when it does not', async () => {
    let told = false;
    world.answer((_, signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return new Promise(() => {});
    });
    const running = world.run();
    await began(1);
    // The lease is kept while time passes, in steps that a renewal can follow.
    for (let passed = 0; passed < timeoutMs; passed += 1_000) {
      world.pass(1_000);
      await expect.poll(() => world.sleeping(), soon).toBe(2);
    }
    expect(told).toBe(true);
    world.pass(2_000);
    expect(await running).toBe('pending');
    world.pass(1_000);
    expect(await world.run()).toBe('succeeded');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
    expect(await count('JobLeaseRenewed')).toBeGreaterThan(3);
  });

  test('an effect that stops in time says what it had done', async () => {
    world.answer(
      (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ outcome: 'refused', code: 'too_slow', detail: 'stopped' })),
        ),
    );
    const running = world.run();
    await began(1);
    for (let passed = 0; passed < timeoutMs; passed += 1_000) {
      world.pass(1_000);
      await expect.poll(() => world.sleeping() === 2 || world.sleeping() === 0, soon).toBe(true);
    }
    expect(await running).toBe('failed');
  });
});

describe('Leases of a job', () => {
  test('of two nodes one carries it out', async () => {
    const became = await Promise.all([world.run(), world.other()]);
    expect(became.toSorted()).toEqual(['not leased', 'succeeded']);
    expect(world.asked).toHaveLength(1);
  });

  test('a late node is told to stop, and its report changes nothing', async () => {
    const late = held();
    let told = false;
    world.answer((_, signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return late.answer();
    });
    const running = world.run();
    await began(1);
    world.skip(leaseMs);
    expect(await world.other()).toBe('succeeded');
    world.pass(1_000);
    await expect.poll(() => told, soon).toBe(true);
    late.release({ outcome: 'done', detail: 'late' });
    expect(await running).toBe('lease lost');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
    expect(await count('JobSucceeded')).toBe(1);
  });

  test('a report that was on its way when the lease was lost is refused by the log', async () => {
    world.answer(async () => {
      world.skip(leaseMs);
      expect(await world.other()).toBe('succeeded');
      return { outcome: 'retry', detail: 'late' };
    });
    expect(await world.run()).toBe('lease lost');
    expect(await world.state()).toMatchObject({ status: 'succeeded', attempt: 2 });
  });

  test('a node that cannot renew stops by itself when its lease is over', async () => {
    const log = createMemoryLog();
    const cutOff = startJobWorld({ log });
    await cutOff.tell('enqueue', a.enqueue());
    let told = false;
    cutOff.answer((_, signal) => {
      log.fail();
      return new Promise((resolve) =>
        signal.addEventListener('abort', () => {
          told = true;
          resolve({ outcome: 'uncertain', detail: 'cut off' });
        }),
      );
    });
    const running = cutOff.run();
    await expect.poll(() => cutOff.asked.length, soon).toBe(1);
    for (let passed = 0; passed < leaseMs; passed += 1_000) {
      await expect.poll(() => cutOff.sleeping() >= 2, soon).toBe(true);
      expect(told).toBe(false);
      cutOff.pass(1_000);
    }
    expect(await running).toBe('lease lost');
    log.recover();
    expect(await cutOff.facts()).toEqual(['JobEnqueued', 'JobLeased']);
  });

  test('an outcome that is known is told again while the log does not answer', async () => {
    const log = createMemoryLog();
    const cutOff = startJobWorld({ log });
    await cutOff.tell('enqueue', a.enqueue());
    cutOff.answer(async () => {
      log.fail();
      return { outcome: 'done', detail: 'done' };
    });
    const running = cutOff.run();
    await expect.poll(() => cutOff.asked.length === 1 && cutOff.sleeping() === 2, soon).toBe(true);
    log.recover();
    cutOff.pass(1_000);
    expect(await running).toBe('succeeded');
  });

  test('a node takes back at once what its dead incarnation held, and looks first', async () => {
    const dying = held();
    let told = false;
    world.answer((_, signal) => {
      signal.addEventListener('abort', () => {
        told = true;
      });
      return dying.answer();
    });
    const dead = world.run();
    await began(1);
    expect(await world.other()).toBe('not leased');
    expect(await world.node('node-1/2')({ takeover: true })).toBe('succeeded');
    // Should it be alive after all, it notices within a second, long before its lease is over.
    world.pass(1_000);
    await expect.poll(() => told, soon).toBe(true);
    dying.release({ outcome: 'done', detail: 'a ghost' });
    expect(await dead).toBe('lease lost');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
  });

  test('a node that stops gives back what it has, at no cost, and another goes on at once', async () => {
    const stopping = new AbortController();
    world.answer(
      (_, signal) =>
        new Promise((resolve) =>
          signal.addEventListener('abort', () => resolve({ outcome: 'retry', detail: 'stopped in time' })),
        ),
    );
    const running = world.run({ stop: stopping.signal });
    await began(1);
    stopping.abort();
    expect(await running).toBe('pending');
    expect(await world.state()).toMatchObject({ failures: 0, doubts: 1 });
    expect(await world.other()).toBe('succeeded');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
  });

  test('a node that stops does not begin another', async () => {
    const stopping = new AbortController();
    stopping.abort();
    expect(await world.run({ stop: stopping.signal })).toBe('not leased');
    expect(await world.facts()).toEqual(['JobEnqueued']);
  });
});

describe('Cancelling a job', () => {
  test('that runs is asked of its effect, which confirms when nothing is left of it', async () => {
    world.answer(
      (job) =>
        new Promise((resolve) =>
          job.cancelSignal.addEventListener('abort', () => {
            expect(job.cancelRequested()).toBe(true);
            resolve({ outcome: 'cancelled', detail: 'taken back' });
          }),
        ),
    );
    const running = world.run();
    await began(1);
    await world.tell('cancel', requestCancel);
    world.pass(1_000);
    expect(await running).toBe('cancelled');
    expect((await world.facts()).slice(-2)).toEqual(['JobAttemptRecorded', 'JobCancelled']);
  });

  test('that has just been done comes too late, and the job says so by succeeding', async () => {
    world.answer(async () => {
      await world.tell('cancel', requestCancel);
      return { outcome: 'done', detail: 'done' };
    });
    expect(await world.run()).toBe('succeeded');
  });

  test('whose attempt came to nothing is cancelled, not tried again', async () => {
    world.answer(async () => {
      await world.tell('cancel', requestCancel);
      return { outcome: 'retry', detail: 'no room' };
    });
    expect(await world.run()).toBe('cancelled');
  });

  test('that is uncertain waits for the look, and what is not there is not done any more', async () => {
    world.answer({ outcome: 'uncertain', detail: 'lost' }, { outcome: 'retry', detail: 'nothing there' });
    await world.run();
    await world.tell('cancel', requestCancel);
    world.pass(1_000);
    expect(await world.run()).toBe('cancelled');
    expect(world.asked).toEqual(['perform#1', 'probe#2']);
  });

  test('an effect that gives up unasked has failed', async () => {
    world.answer({ outcome: 'cancelled', detail: 'no will' });
    expect(await world.run()).toBe('failed');
  });
});

describe('Progress of a job', () => {
  test('is written down at most once a second, and the last word is not lost', async () => {
    const end = held();
    world.answer(async (job) => {
      await job.progress(1, 'one');
      await job.progress(2, 'two');
      await job.progress(300, 'three');
      return end.answer();
    });
    const running = world.run();
    await began(1);
    await expect.poll(() => count('JobProgressRecorded'), soon).toBe(1);
    await expect.poll(() => world.sleeping(), soon).toBe(2);
    world.pass(1_000);
    await expect.poll(() => count('JobProgressRecorded'), soon).toBe(2);
    expect(await world.state()).toMatchObject({ percent: 100, note: 'three' });
    end.release({ outcome: 'done', detail: 'done' });
    expect(await running).toBe('succeeded');
  });
});
