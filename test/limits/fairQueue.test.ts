import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createFairQueue, type FairLimits, QueueFull } from '../../src/api/fairQueue.ts';

const limits: FairLimits = { total: 6, alone: 4, shared: 2, waiting: 3, presenceMs: 100, yieldMs: 0 };

const still = { now: () => 0, after: () => undefined };

const settled = () => new Promise((resolve) => setImmediate(resolve));

/** A queue whose works end when they are told to, at times that are given. */
const aQueue = (changed: Partial<FairLimits> = {}) => {
  let time = 0;
  const alarms = new Set<{ readonly at: number; readonly call: () => void }>();
  const after = (ms: number, call: () => void): void => void alarms.add({ at: time + ms, call });
  const queue = createFairQueue({ ...limits, ...changed }, { now: () => time, after });
  const running: { readonly owner: string; readonly end: () => void }[] = [];
  const begun: string[] = [];
  const refused: string[] = [];
  const ask = (owner: string): void => {
    const work = () =>
      new Promise<void>((resolve) => {
        begun.push(owner);
        running.push({ owner, end: resolve });
      });
    queue.run(owner, work).catch((error: unknown) => {
      if (!(error instanceof QueueFull)) throw error;
      refused.push(owner);
    });
  };
  return {
    ...{ queue, begun, refused, ask },
    runningOf: (owner: string) => running.filter((each) => each.owner === owner).length,
    running: () => running.length,
    pass: (ms: number) => {
      time += ms;
      for (const alarm of [...alarms]) {
        if (alarm.at > time) continue;
        alarms.delete(alarm);
        alarm.call();
      }
    },
    /** Ends one of those under way, of this owner or the one of this number. */
    end: (which: string | number): void => {
      const at =
        typeof which === 'string'
          ? running.findIndex(({ owner }) => owner === which)
          : which % Math.max(1, running.length);
      const [ended] = running.splice(at, 1);
      ended?.end();
    },
  };
};

const askTimes = (world: ReturnType<typeof aQueue>, owner: string, count: number): void => {
  for (let index = 0; index < count; index += 1) world.ask(owner);
};

describe('An owner', () => {
  test('has as much under way as one may have alone while nobody else is there, and a few more wait', async () => {
    const world = aQueue();
    askTimes(world, 'a', 9);
    await settled();
    expect(world.queue.counts()).toEqual({ running: 4, waiting: 3, owners: 1 });
    expect(world.refused).toEqual(['a', 'a']);
    expect([world.queue.isFull('a'), world.queue.isFull('b')]).toEqual([true, false]);
  });

  test('has his share only once somebody else came, who found room at once', async () => {
    const world = aQueue();
    askTimes(world, 'a', 7);
    world.ask('b');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([4, 1]);
    world.end('b');
    for (let index = 0; index < 3; index += 1) {
      world.end('a');
      await settled();
    }
    expect(world.runningOf('a')).toBe(2);
  });

  test('has all of it again when nobody else was seen for a while', async () => {
    const world = aQueue();
    world.ask('b');
    await settled();
    world.end('b');
    await settled();
    askTimes(world, 'a', 5);
    await settled();
    expect(world.runningOf('a')).toBe(2);
    world.pass(100);
    world.end('a');
    await settled();
    expect(world.runningOf('a')).toBe(4);
  });

  test('waits for one turn of each of the others, however many of theirs wait', async () => {
    const world = aQueue();
    for (const owner of ['a', 'b', 'c']) askTimes(world, owner, 5);
    askTimes(world, 'd', 1);
    await settled();
    const before = world.begun.length;
    for (let index = 0; index < 3; index += 1) {
      world.end('a');
      world.end('b');
      world.end('c');
      await settled();
    }
    expect(world.begun.slice(before)).toContain('d');
    expect(world.begun.slice(before).indexOf('d')).toBeLessThanOrEqual(4);
  });
});

describe('An owner who asks for more than others', () => {
  const yieldMs = 50;
  /** Two owners who both count as being there; what `a` asks for now is waited for. */
  const besides = async (asked: number) => {
    const world = aQueue({ yieldMs, waiting: 20, presenceMs: 10_000 });
    for (const owner of ['b', 'a']) {
      world.ask(owner);
      await settled();
      world.end(owner);
      await settled();
    }
    askTimes(world, 'a', asked);
    await settled();
    return world;
  };

  test('has one under way while his line is longer than his share, and his share when it is not', async () => {
    const pressing = await besides(6);
    pressing.end('a');
    await settled();
    pressing.end('a');
    await settled();
    expect(pressing.runningOf('a')).toBe(1);
    const modest = await besides(3);
    expect(modest.runningOf('a')).toBe(2);
  });

  test('begins nothing while something of another is under way, but never waits longer than is fair', async () => {
    const world = await besides(9);
    world.ask('b');
    world.end('a');
    world.end('a');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([0, 1]);
    world.pass(yieldMs - 10);
    world.ask('b');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([0, 2]);
    world.pass(10);
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([1, 2]);
    world.end('a');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([0, 2]);
    world.end('b');
    world.end('b');
    await settled();
    expect(world.runningOf('a')).toBe(1);
  });

  test('does not give way to what has been under way for long, nor to one who was worked for much longer', async () => {
    const slow = await besides(9);
    slow.ask('b');
    slow.pass(yieldMs);
    for (const _ of [1, 2, 3]) {
      slow.end('a');
      await settled();
    }
    expect([slow.runningOf('a'), slow.runningOf('b')]).toEqual([1, 1]);
    const greedy = await besides(0);
    greedy.ask('b');
    await settled();
    greedy.pass(3_000);
    greedy.end('b');
    await settled();
    greedy.ask('b');
    askTimes(greedy, 'a', 9);
    await settled();
    greedy.end('a');
    greedy.end('a');
    await settled();
    expect([greedy.runningOf('a'), greedy.runningOf('b')]).toEqual([1, 1]);
  });

  test('does not wait for a clock that was set back', async () => {
    const world = await besides(9);
    world.ask('b');
    world.pass(-3_600_000);
    world.end('a');
    world.end('a');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([1, 1]);
  });

  test('is known by the time that he was worked for as well, and forgotten soon after', async () => {
    const world = await besides(1);
    world.pass(1_000);
    world.end('a');
    await settled();
    world.ask('b');
    world.ask('a');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([0, 1]);
    world.end('b');
    await settled();
    world.end('a');
    await settled();
    world.pass(5_000);
    world.ask('b');
    world.ask('a');
    await settled();
    expect([world.runningOf('a'), world.runningOf('b')]).toEqual([1, 1]);
  });
});

describe('A work that fails', () => {
  test('gives its room to the next', async () => {
    const queue = createFairQueue({ ...limits, total: 1 }, still);
    const failing = queue.run('a', () => Promise.reject(new Error('broken')));
    const next = queue.run('a', async () => 'done');
    await expect(failing).rejects.toThrow('broken');
    expect(await next).toBe('done');
    expect(queue.counts()).toEqual({ running: 0, waiting: 0, owners: 0 });
  });

  test('at once, without a promise, does so too', async () => {
    const queue = createFairQueue(limits, still);
    const failing = queue.run('a', () => {
      throw new Error('broken');
    });
    await expect(failing).rejects.toThrow('broken');
    expect(queue.counts()).toEqual({ running: 0, waiting: 0, owners: 0 });
  });
});

describe('Whatever is asked and ended, in whatever order,', () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({ kind: fc.constant('ask' as const), owner: fc.constantFrom('a', 'b', 'c', 'd') }),
    },
    { weight: 3, arbitrary: fc.record({ kind: fc.constant('end' as const), which: fc.nat(10) }) },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant('pass' as const), ms: fc.nat(150) }) },
  );

  test('no limit is passed, nobody waits beside free room of his, each owner is served in order, and nothing is left', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const world = aQueue();
        const owners = ['a', 'b', 'c', 'd'];
        for (const each of steps) {
          if (each.kind === 'ask') world.ask(each.owner);
          else if (each.kind === 'end') world.end(each.which);
          else world.pass(each.ms);
          await settled();
          const { running, waiting } = world.queue.counts();
          expect(running).toBe(world.running());
          expect(running).toBeLessThanOrEqual(limits.total);
          expect(waiting).toBeLessThanOrEqual(limits.waiting * owners.length);
          for (const owner of owners) expect(world.runningOf(owner)).toBeLessThanOrEqual(limits.alone);
          const below = owners.some((owner) => world.runningOf(owner) < limits.shared);
          // With room for more and somebody below his share, only those at their share wait.
          if (running < limits.total && waiting > 0 && below) {
            expect(owners.some((owner) => world.runningOf(owner) >= limits.shared)).toBe(true);
          }
        }
        while (world.running() > 0) {
          world.end(0);
          await settled();
        }
        expect(world.queue.counts()).toEqual({ running: 0, waiting: 0, owners: 0 });
        const asked = steps.filter(({ kind }) => kind === 'ask').length;
        expect(world.begun.length + world.refused.length).toBe(asked);
      }),
      { numRuns: 300 },
    );
  });
});
