import { beforeEach, describe, expect, test } from 'vitest';
import type { JobInHand, JobOutcome } from '../../src/sagas/jobs/effect.ts';
import * as a from '../support/jobFacts.ts';
import { type JobWorld, jobId, leaseMs, startJobWorld } from '../support/jobWorld.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

let world: JobWorld;
let done: string[];
beforeEach(async () => {
  world = startJobWorld();
  done = [];
  await world.tell('enqueue', a.enqueue());
});

const soon = { interval: 2 };
const finished: JobOutcome = { outcome: 'done', detail: 'all of it' };
const perform = (name: string) => async () => {
  done.push(name);
  return { name };
};
/** Three steps, as a kind of job would write them. */
const threeSteps = async (job: JobInHand): Promise<JobOutcome> => {
  await job.step('reserve', perform('reserve'));
  await job.step('charge', perform('charge'));
  const { name } = await job.step('ship', perform('ship'));
  return { ...finished, result: { last: name ?? '' } };
};
const recorded = async (): Promise<readonly string[]> => {
  const steps: string[] = [];
  for await (const { type, data } of world.log.readStream(`job-${jobId}`)) {
    if (type === 'JobStepRecorded') steps.push(String(data['step']));
  }
  return steps;
};
/** Whoever worked on it is gone: nothing is reported, the lease runs out. */
const crash = async (effect: (job: JobInHand) => Promise<unknown>): Promise<void> => {
  let reached = false;
  world.answer(async (job) => {
    await effect(job);
    reached = true;
    return new Promise<JobOutcome>(() => {});
  });
  void world.node('dead/1')();
  await expect.poll(() => reached, soon).toBe(true);
  world.skip(leaseMs + 1);
};

describe('Steps of a job', () => {
  test('are recorded one after the other, the last together with the report', async () => {
    world.answer(threeSteps);
    expect(await world.run()).toBe('succeeded');
    expect(done).toEqual(['reserve', 'charge', 'ship']);
    expect(await world.facts()).toEqual([
      ...['JobEnqueued', 'JobLeased', 'JobStepRecorded', 'JobStepRecorded'],
      ...['JobStepRecorded', 'JobSucceeded'],
    ]);
  });

  test('are in the log before the next one begins', async () => {
    world.answer(async (job) => {
      await job.step('reserve', perform('reserve'));
      await job.step('charge', async () => {
        expect(await recorded()).toEqual(['reserve']);
        return {};
      });
      return finished;
    });
    expect(await world.run()).toBe('succeeded');
    expect(await recorded()).toEqual(['reserve', 'charge']);
  });

  test('that are recorded are not done again after a crash between steps, and answer what they answered', async () => {
    await crash(async (job) => {
      await job.step('reserve', perform('reserve'));
      await job.step('charge', perform('charge'));
    });
    await expect.poll(recorded, soon).toEqual(['reserve']);
    world.answer(threeSteps);
    expect(await world.run()).toBe('succeeded');
    // The result of the second step was on its way: nobody knows, so it is done again.
    expect(done).toEqual(['reserve', 'charge', 'charge', 'ship']);
  });

  test('that may have happened are looked for before they are done again', async () => {
    const before = async (job: JobInHand) => {
      await job.step('reserve', perform('reserve'));
      await job.step('charge', perform('charge'));
    };
    await crash(before);
    const looks: string[] = [];
    const look = (name: string, found: boolean) => async () => {
      looks.push(name);
      return found ? { name: 'found' } : undefined;
    };
    world.answer(async (job) => {
      await job.step('reserve', perform('reserve'), look('reserve', true));
      const charged = await job.step('charge', perform('charge'), look('charge', true));
      expect(charged).toEqual({ name: 'found' });
      await job.step('ship', perform('ship'), look('ship', true));
      return finished;
    });
    expect(await world.run()).toBe('succeeded');
    expect(looks).toEqual(['charge']);
    expect(done).toEqual(['reserve', 'charge', 'ship']);
  });

  test('that a look does not find are done', async () => {
    await crash(async (job) => {
      await job.step('reserve', async () => ({}));
    });
    world.answer(async (job) => {
      await job.step('reserve', perform('reserve'), async () => undefined);
      return finished;
    });
    expect(await world.run()).toBe('succeeded');
    expect(done).toEqual(['reserve']);
  });

  test('stay done over retries, and one that throws is tried again', async () => {
    world.answer(async (job) => {
      await job.step('reserve', perform('reserve'));
      await job.step('charge', async () => {
        throw new Error('no connection');
      });
      return finished;
    });
    expect(await world.run()).toBe('pending');
    world.pass(60_000);
    world.answer(threeSteps);
    expect(await world.run()).toBe('succeeded');
    expect(done).toEqual(['reserve', 'charge', 'ship']);
  });

  test('of whoever lost the lease are not recorded, and no further one begins', async () => {
    let goOn: () => void = () => {};
    let failure: unknown;
    world.answer(async (job) => {
      await job.step('reserve', perform('reserve'));
      await new Promise<void>((resolve) => {
        goOn = resolve;
      });
      await job.step('charge', perform('charge')).catch((error: unknown) => {
        failure = error;
      });
      return finished;
    });
    const zombie = world.run();
    await expect.poll(() => done, soon).toEqual(['reserve']);
    world.skip(leaseMs + 1);
    world.answer(threeSteps);
    expect(await world.other()).toBe('succeeded');
    const before = await world.facts();
    goOn();
    expect(await zombie).toBe('lease lost');
    expect(failure).toBeInstanceOf(Error);
    expect(done).toEqual(['reserve', 'reserve', 'charge', 'ship']);
    expect(await world.facts()).toEqual(before);
  });

  test('must wait for each other', async () => {
    world.answer(async (job) => {
      const both = [job.step('reserve', perform('reserve')), job.step('charge', perform('charge'))];
      const [, second] = await Promise.allSettled(both);
      expect(second?.status).toBe('rejected');
      return finished;
    });
    expect(await world.run()).toBe('succeeded');
    expect(done).toEqual(['reserve']);
  });

  test('answer what the log has: what looks like a secret is masked for the effect, too', async () => {
    world.answer(async (job) => {
      const answered = await job.step('sign', async () => ({ apiToken: 'abc', zone: 'z' }));
      expect(answered['zone']).toBe('z');
      expect(answered['apiToken']).not.toBe('abc');
      return finished;
    });
    expect(await world.run()).toBe('succeeded');
  });

  test('whose record is not answered in time are taken along by the report', async () => {
    const memory = createMemoryLog();
    let failing = false;
    const log = {
      ...memory,
      append: async (...args: Parameters<typeof memory.append>) => {
        if (failing && args[1].some(({ type }) => type === 'JobStepRecorded') && args[1].length === 1)
          throw new Error('the log does not answer');
        return memory.append(...args);
      },
    };
    world = startJobWorld({ log });
    await world.tell('enqueue', a.enqueue());
    world.answer(async (job) => {
      await job.step('reserve', perform('reserve'));
      failing = true;
      await job.step('charge', perform('charge')).catch(() => undefined);
      return finished;
    });
    expect(await world.run()).toBe('succeeded');
    expect(await recorded()).toEqual(['reserve']);
    expect(done).toEqual(['reserve']);
  });
});
