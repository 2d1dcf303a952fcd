import { expect, test } from 'vitest';
import { systemClock } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { mergeDueWork } from '../../src/sagas/dueWork.ts';
import { type DueWork, startRunner } from '../../src/sagas/runner.ts';

const work = (operation: string, ...ids: readonly string[]): readonly DueWork[] =>
  ids.map((ticketId) => ({
    ...{ ticketId, operation, workerId: '', companyId: 'company-1', departmentId: '', leaseHolder: '' },
    ...{ requestId: '', correlationId: '', causationId: '' },
  }));

test('of several queues each has its turn, and a long one hides no other', async () => {
  const sources = [async () => work('job', 'j1', 'j2', 'j3', 'j4'), async () => work('deploy', 't1')];
  const merged = await mergeDueWork(sources, silentLog)(4);
  expect(merged.map(({ ticketId }) => ticketId)).toEqual(['j1', 't1', 'j2', 'j3']);
});

test('a queue that cannot be read now holds up none of the others', async () => {
  const broken = () => Promise.reject(new Error('the database is away'));
  const merged = await mergeDueWork([broken, async () => work('deploy', 't1')], silentLog)(4);
  expect(merged.map(({ ticketId }) => ticketId)).toEqual(['t1']);
});

test('long jobs leave a hand free for deployments', async () => {
  const begun: string[] = [];
  let finish = (): void => {};
  const finished = new Promise<void>((resolve) => {
    finish = resolve;
  });
  const begin = async ({ ticketId }: DueWork) => {
    begun.push(ticketId);
    await finished;
    return 'not leased';
  };
  let deployments: readonly DueWork[] = [];
  const runner = startRunner({
    dueWork: mergeDueWork([async () => work('job', 'j1', 'j2', 'j3', 'j4'), async () => deployments], silentLog),
    effects: { job: begin, deploy: begin },
    ...{ clock: systemClock, log: silentLog, concurrency: 3, atMost: { job: 2 }, pollMs: 60_000 },
  });
  await expect.poll(() => begun).toEqual(['j1', 'j2']);
  deployments = work('deploy', 't1');
  runner.wake();
  await expect.poll(() => begun).toEqual(['j1', 'j2', 't1']);
  finish();
  await runner.stop();
});

/** A queue of read tables that are behind: they show every job as due, for ever. */
const createQueue = (...ids: readonly string[]) => {
  const begun: string[] = [];
  const finish = new Map<string, (became: string) => void>();
  let looks = 0;
  return {
    begun,
    looks: () => looks,
    source: async (limit: number) => {
      looks += 1;
      return work('job', ...ids.slice(0, limit));
    },
    effect: ({ ticketId }: DueWork, stop: AbortSignal) =>
      new Promise<string>((resolve) => {
        begun.push(ticketId);
        stop.addEventListener('abort', () => resolve('pending'), { once: true });
        finish.set(ticketId, resolve);
      }),
    finish: (ticketId: string, became = 'succeeded') => finish.get(ticketId)?.(became),
  };
};

test('a hand that becomes free takes what the last look found, without another one', async () => {
  const queue = createQueue('j1', 'j2', 'j3', 'j4', 'j5', 'j6');
  const runner = startRunner({
    ...{ dueWork: queue.source, effects: { job: queue.effect }, clock: systemClock, log: silentLog },
    ...{ concurrency: 2, pollMs: 60_000, lookAhead: 10 },
  });
  await expect.poll(() => queue.begun).toEqual(['j1', 'j2']);
  queue.finish('j2');
  await expect.poll(() => queue.begun).toEqual(['j1', 'j2', 'j3']);
  queue.finish('j3');
  await expect.poll(() => queue.begun).toEqual(['j1', 'j2', 'j3', 'j4']);
  expect(queue.looks()).toBe(1);
  for (const id of ['j1', 'j4', 'j5', 'j6']) {
    await expect.poll(() => queue.begun).toContain(id);
    queue.finish(id);
  }
  await runner.stop();
});

test('what is over is not begun again by a look at tables that are behind', async () => {
  const queue = createQueue('j1', 'j2');
  const runner = startRunner({
    ...{ dueWork: queue.source, effects: { job: queue.effect }, clock: systemClock, log: silentLog },
    ...{ concurrency: 2, pollMs: 5, lookAhead: 10 },
  });
  await expect.poll(() => queue.begun).toEqual(['j1', 'j2']);
  queue.finish('j1');
  queue.finish('j2');
  const before = queue.looks();
  await expect.poll(queue.looks).toBeGreaterThan(before + 2);
  expect(queue.begun).toEqual(['j1', 'j2']);
  await runner.stop();
});

test('what must be done again is begun by the next look', async () => {
  const queue = createQueue('j1');
  const runner = startRunner({
    ...{ dueWork: queue.source, effects: { job: queue.effect }, clock: systemClock, log: silentLog },
    ...{ concurrency: 2, pollMs: 5, lookAhead: 10 },
  });
  await expect.poll(() => queue.begun).toEqual(['j1']);
  queue.finish('j1', 'pending');
  await expect.poll(() => queue.begun).toEqual(['j1', 'j1']);
  queue.finish('j1');
  await runner.stop();
});

test('a deployment that comes while many jobs wait is found soon, not at the next poll', async () => {
  const queue = createQueue('j1', 'j2', 'j3', 'j4', 'j5', 'j6');
  let deployments: readonly DueWork[] = [];
  const runner = startRunner({
    dueWork: mergeDueWork([queue.source, async () => deployments], silentLog),
    effects: { job: queue.effect, deploy: queue.effect },
    ...{ clock: systemClock, log: silentLog, concurrency: 3, atMost: { job: 2 }, pollMs: 60_000, lookAhead: 10 },
  });
  await expect.poll(() => queue.begun).toEqual(['j1', 'j2']);
  deployments = work('deploy', 't1');
  runner.wake();
  await expect.poll(() => queue.begun).toEqual(['j1', 'j2', 't1']);
  await runner.stop();
});
