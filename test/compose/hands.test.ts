import { describe, expect, it, onTestFinished } from 'vitest';
import { handsOf } from '../../src/compose/hands.ts';
import { systemClock } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { mergeDueWork } from '../../src/sagas/dueWork.ts';
import { type DueWork, type Effect, startRunner } from '../../src/sagas/runner.ts';

const workOf = (operation: string, count: number): DueWork[] =>
  Array.from({ length: count }, (_, index) => ({
    ...{ ticketId: `${operation}-${index}`, operation, workerId: '', companyId: 'c', departmentId: '' },
    ...{ leaseHolder: '', requestId: '', correlationId: '', causationId: '' },
  }));

/** The runner with these hands and endless work; `counts` says how much of each operation was begun. */
const start = (sources: readonly (readonly DueWork[])[]) => {
  const counts: Record<string, number> = {};
  const endless: Effect = ({ operation }, signal) => {
    counts[operation] = (counts[operation] ?? 0) + 1;
    return new Promise((resolve) => signal.addEventListener('abort', () => resolve('stopped')));
  };
  let looks = 0;
  const dueWork = mergeDueWork(
    sources.map((list) => async (limit: number) => list.slice(0, limit)),
    silentLog,
  );
  const runner = startRunner({
    ...{ ...handsOf(4, 3), clock: systemClock, log: silentLog, pollMs: 5 },
    dueWork: (limit) => {
      looks += 1;
      return dueWork(limit);
    },
    effects: { deploy: endless, job: endless, firing: endless },
  });
  onTestFinished(() => runner.stop());
  return { counts, looks: () => looks };
};

describe('The hands of a runner', () => {
  it('firings, however many and however long, leave hands for jobs and for deployments', async () => {
    const firings = workOf('firing', 100);
    const alone = start([firings]);
    await expect.poll(alone.looks).toBeGreaterThan(3);
    expect(alone.counts).toEqual({ firing: 4 });
    const { counts } = start([firings, workOf('job', 100), workOf('deploy', 1)]);
    await expect.poll(() => counts).toEqual({ firing: 4, job: 3, deploy: 1 });
  });

  it('jobs leave hands for deployments', async () => {
    const { counts } = start([workOf('job', 100), workOf('deploy', 100)]);
    await expect.poll(() => counts).toEqual({ job: 3, deploy: 4 });
  });
});
