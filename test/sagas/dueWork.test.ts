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
