import { expect, test, vi } from 'vitest';
import { createAggregate } from '../../src/commands/send.ts';
import { job } from '../../src/domain/job/index.ts';
import { createHands } from '../../src/sagas/hand.ts';
import { carryOutJob } from '../../src/sagas/jobs/carryOutJob.ts';
import * as a from '../support/jobFacts.ts';
import { createManualClock, jobId, leaseMs, startJobWorld } from '../support/jobWorld.ts';

const ignore = (): void => undefined;

const given = (concurrency: number) => {
  const time = createManualClock();
  const atMost = { job: concurrency, deploy: 1 };
  const hands = createHands({ clock: time.clock, concurrency: concurrency + 1, atMost, leasesAhead: new Set(['job']) });
  const begin = (operation = 'job') => hands.begin(operation, ignore);
  /** Works through so many jobs, one after the other. */
  const quickly = async (count: number): Promise<void> => {
    for (let done = 0; done < count; done += 1) {
      const hand = begin();
      await hand?.take();
      hand?.free();
    }
  };
  return { ...time, hands, begin, quickly };
};

test('as long as nothing was quick, no more is leased than there are hands', () => {
  const { begin } = given(2);
  expect([begin(), begin(), begin()].map((hand) => hand !== undefined)).toEqual([true, true, false]);
});

test('after quick work as much again is leased ahead, and waits for a hand', async () => {
  const { begin, quickly } = given(2);
  await quickly(1);
  const [first, second, ahead] = [begin(), begin(), begin()];
  expect(begin()).toBeUndefined();
  expect(await Promise.all([first?.take(), second?.take()])).toEqual([true, true]);
  let taken: boolean | undefined;
  const waiting = ahead?.take().then((answer) => {
    taken = answer;
  });
  await Promise.resolve();
  expect(taken).toBeUndefined();
  first?.free();
  await waiting;
  expect(taken).toBe(true);
});

test('work that takes long is not leased ahead: what was quick is soon forgotten', async () => {
  const { begin, quickly, skip } = given(1);
  await quickly(1);
  skip(51);
  expect([begin(), begin()].map((hand) => hand !== undefined)).toEqual([true, false]);
});

test('however quick it is, four times the hands are leased ahead at most', async () => {
  const { begin, quickly } = given(1);
  await quickly(100);
  const begun = Array.from({ length: 20 }, () => begin()).filter((hand) => hand !== undefined);
  expect(begun).toHaveLength(5);
});

test('a lease that waits for a hand longer than a second gets none', async () => {
  const { begin, quickly, pass } = given(1);
  await quickly(1);
  const [holder, ahead] = [begin(), begin()];
  await holder?.take();
  const waiting = ahead?.take();
  pass(1_000);
  expect(await waiting).toBe(false);
});

test('whoever waits when the node stops gets no hand, nor does who comes later', async () => {
  const { hands, begin, quickly } = given(1);
  await quickly(2);
  const [holder, ahead, later] = [begin(), begin(), begin()];
  await holder?.take();
  const waiting = ahead?.take();
  hands.callBack();
  expect(await waiting).toBe(false);
  expect(await later?.take()).toBe(false);
});

test('once the hands are called back, nobody takes one that is free: nothing is begun on a node that stops', async () => {
  const { hands, begin } = given(1);
  const hand = begin();
  hands.callBack();
  expect(await hand?.take()).toBe(false);
});

test('jobs that are leased ahead take no hand of a deployment, which has its own from the beginning', async () => {
  const { begin, quickly } = given(1);
  await quickly(4);
  for (let ahead = 0; ahead < 5; ahead += 1) expect(begin()).toBeDefined();
  expect(begin('deploy')).toBeDefined();
  expect(begin('deploy')).toBeUndefined();
});

test('a deployment is never leased ahead, however quick the last one was', () => {
  const { begin } = given(1);
  begin('deploy')?.free();
  expect([begin('deploy'), begin('deploy')].map((hand) => hand !== undefined)).toEqual([true, false]);
});

const givenJob = async () => {
  const world = startJobWorld();
  await world.tell('enqueue', a.enqueue());
  const jobs = createAggregate(job, { log: world.log, now: world.clock.now });
  const random = { uuid: () => 'lease-ahead', bytes: () => new Uint8Array(), fraction: () => 1 };
  const kinds = { 'domain.verify': world.kind };
  const deps = { jobs, kinds, clock: world.clock, random, holder: 'node-3/1', leaseMs };
  const context = { workspaceId: 'company-1', departmentId: '', requestId: '', correlationId: '', causationId: '' };
  const never = new AbortController().signal;
  const carryOut = (take: () => Promise<boolean>) =>
    carryOutJob(deps, { jobId, context, takeover: false }, never, { take, free: ignore });
  return { ...world, carryOut };
};

test('a job that waited in vain is given back: nothing was done, no attempt is spent, and it is due at once', async () => {
  const world = await givenJob();
  expect(await world.carryOut(async () => false)).toBe('pending');
  expect(world.asked).toEqual([]);
  expect(await world.state()).toMatchObject({ failures: 0, nextAttemptAt: world.clock.now() });
  expect(await world.run()).toBe('succeeded');
});

test('a job whose lease ran out before its turn came is not begun, but given back as no loss', async () => {
  const world = await givenJob();
  const standingStill = async () => {
    world.skip(leaseMs);
    return true;
  };
  expect(await world.carryOut(standingStill)).toBe('pending');
  expect(world.asked).toEqual([]);
  expect(await world.state()).toMatchObject({ failures: 0, losses: 0 });
  expect(await world.run()).toBe('succeeded');
});

test.each([true, false])(
  'a job that is cancelled while it waits for its turn is never begun, whether its turn comes or not (%s)',
  async (taken) => {
    const world = await givenJob();
    const cancelled = async () => {
      await world.tell('cancel', { type: 'RequestJobCancel', data: {} });
      world.pass(1_000);
      await vi.waitFor(() => expect(world.sleeping()).toBe(1));
      return taken;
    };
    expect(await world.carryOut(cancelled)).toBe('cancelled');
    expect(world.asked).toEqual([]);
    expect(await world.facts()).toContain('JobCancelled');
  },
);

test('what a look did not find is not done when the lease ran out meanwhile: another may have begun it', async () => {
  const world = await givenJob();
  world.answer({ outcome: 'uncertain', detail: 'lost' });
  await world.carryOut(async () => true);
  world.pass(60_000);
  world.answer(async () => {
    world.skip(leaseMs);
    return { outcome: 'retry', detail: 'not there' };
  });
  expect(await world.run()).toBe('pending');
  expect(world.asked).toEqual(['perform#1', 'probe#2']);
  expect(await world.state()).toMatchObject({ failures: 0 });
});

test.each(['the step before it', 'the look for it'])(
  'no step begins when the lease ran out during %s',
  async (when) => {
    const world = await givenJob();
    const done: string[] = [];
    const first = async () => {
      if (when === 'the step before it') world.skip(leaseMs);
      return {};
    };
    const look = async () => {
      world.skip(leaseMs);
      return undefined;
    };
    const second = async () => {
      done.push('second');
      return {};
    };
    world.answer({ outcome: 'uncertain', detail: 'lost' });
    await world.carryOut(async () => true);
    world.pass(60_000);
    world.answer(async ({ step }) => {
      if (when === 'the step before it') await step('first', first);
      await step('second', second, look);
      return { outcome: 'done', detail: 'done' };
    });
    expect(await world.run()).toBe('pending');
    expect(done).toEqual([]);
  },
);
