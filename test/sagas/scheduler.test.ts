import { describe, expect, onTestFinished, test } from 'vitest';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createScheduleRules } from '../../src/platform/schedule/croner.ts';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import { lateMs, runSchedule } from '../../src/sagas/runSchedule.ts';
import { type Scheduled, startScheduler } from '../../src/sagas/scheduler.ts';
import * as a from '../support/edgeWorkerFacts.ts';
import { createMemoryLog } from '../support/memoryLog.ts';
import { createScriptedProvider } from '../support/scriptedProvider.ts';

const minuteMs = 60_000;
const start = Date.parse('2026-06-01T12:00:30Z');

/** Time that passes when the test says so; who sleeps until then wakes. */
const createClock = () => {
  let now = start;
  const sleepers = new Set<{ readonly until: number; readonly wake: () => void }>();
  const pass = (ms: number): void => {
    now += ms;
    for (const sleeper of sleepers) if (sleeper.until <= now) sleeper.wake();
  };
  const sleep = (ms: number, signal?: AbortSignal) =>
    new Promise<void>((resolve) => {
      const sleeper = { until: now + ms, wake: () => finish() };
      const finish = () => {
        sleepers.delete(sleeper);
        resolve();
      };
      sleepers.add(sleeper);
      signal?.addEventListener('abort', finish, { once: true });
      if (signal?.aborted) finish();
    });
  return { clock: { now: () => now, sleep }, pass, sleeping: () => sleepers.size };
};

const workerWith = (...crons: readonly string[]): Scheduled => ({
  ...{ workerId: 'worker-1', companyId: 'company-1', departmentId: 'department-1', scriptName: a.scriptName },
  ...{ revision: 1, schedules: crons.map((cron) => ({ cron, timeZone: 'UTC' })) },
});

const startWorld = (nodes = 1) => {
  const log = createMemoryLog();
  const { clock, pass, sleeping } = createClock();
  let workers: readonly Scheduled[] = [];
  let broken = false;
  const begin = () => {
    const scheduler = startScheduler({
      ...{ aggregates: createAggregates({ log, now: clock.now }), rules: createScheduleRules(), clock, log: silentLog },
      scheduled: async () => {
        if (broken) throw new Error('no table');
        return workers;
      },
    });
    onTestFinished(() => scheduler.stop());
    return scheduler;
  };
  const firings = async () => {
    const found: string[] = [];
    for await (const { events } of log.readAllBatches({ after: 0n })) {
      for (const event of events) if (event.type === 'JobEnqueued') found.push(JSON.stringify(event.data['payload']));
    }
    return found.map((text) => /"scheduledTime":(\d+)/.exec(text)?.[1]).map((ms) => new Date(Number(ms)).toISOString());
  };
  const settle = () => expect.poll(sleeping, { interval: 1 }).toBe(nodes);
  return {
    ...{ begin, firings, settle },
    pass: async (ms: number) => {
      pass(ms);
      await settle();
    },
    plan: (...planned: readonly Scheduled[]) => {
      workers = planned;
    },
    breakTables: (value: boolean) => {
      broken = value;
    },
  };
};

describe('The scheduler', () => {
  test('makes one job of every instant of a schedule', async () => {
    const world = startWorld();
    world.plan(workerWith('*/2 * * * *'));
    world.begin();
    await world.settle();
    for (let minute = 0; minute < 4; minute += 1) await world.pass(minuteMs);
    expect(await world.firings()).toEqual([
      '2026-06-01T12:00:00.000Z',
      '2026-06-01T12:02:00.000Z',
      '2026-06-01T12:04:00.000Z',
    ]);
  });

  test('several nodes, and one that starts again, make the same job only once (n8n#7045)', async () => {
    const world = startWorld(2);
    world.plan(workerWith('* * * * *'));
    const first = world.begin();
    world.begin();
    await world.settle();
    await world.pass(minuteMs);
    await first.stop();
    world.begin();
    await world.settle();
    await world.pass(minuteMs);
    const found = await world.firings();
    expect(new Set(found).size).toBe(found.length);
    expect(found).toEqual(['2026-06-01T12:00:00.000Z', '2026-06-01T12:01:00.000Z', '2026-06-01T12:02:00.000Z']);
  });

  test('catches up only the newest instant of the last minute after a long silence, and does not wait for months (n8n#34628)', async () => {
    const world = startWorld();
    world.plan(workerWith('* * * * *'));
    const scheduler = world.begin();
    await world.settle();
    await scheduler.stop();
    await expect.poll(world.firings).toHaveLength(1);
    const later = startWorld();
    later.plan(workerWith('* * * * *'));
    later.breakTables(true);
    later.begin();
    await later.settle();
    await later.pass(10 * minuteMs);
    later.breakTables(false);
    await later.pass(1_000);
    expect(await later.firings()).toEqual(['2026-06-01T12:10:00.000Z']);
  });

  test('a schedule that was replaced fires by the new one from then on (n8n#23711)', async () => {
    const world = startWorld();
    world.plan(workerWith('1 13 * * *'));
    world.begin();
    await world.settle();
    world.plan(workerWith('3 12 * * *'));
    for (let minute = 0; minute < 5; minute += 1) await world.pass(minuteMs);
    expect(await world.firings()).toEqual(['2026-06-01T12:03:00.000Z']);
  });
});

describe('Running a firing', () => {
  const world = async (now: number) => {
    const log = createMemoryLog();
    const aggregates = createAggregates({ log, now: () => now });
    const provider = createScriptedProvider(a.steps);
    const context = { workspaceId: 'company-1', departmentId: '', requestId: '', correlationId: '', causationId: '' };
    const tell = async (key: string, command: Parameters<typeof aggregates.edgeWorker.send>[1]) =>
      expect(await aggregates.edgeWorker.send('worker-1', command, systemEnvelope('test', context, key))).toMatchObject(
        {
          ok: true,
        },
      );
    await tell('submit', a.submit(1));
    await tell('admit', a.admit('t1', 1));
    await tell('lease', a.lease('t1', 'l1'));
    for (const step of a.steps) {
      const done = { outcome: 'done' as const, detail: '' };
      const told = { mode: 'perform' as const, facts: {}, startedAt: 0, durationMs: 0, url: '' };
      await tell(step, {
        type: 'ReportDeploymentStep',
        data: { ticketId: 't1', leaseId: 'l1', step, outcome: done, ...told },
      });
    }
    const { effect } = runSchedule({ workers: aggregates.edgeWorker, provider, clock: { now: () => now } });
    const run = (mode: 'perform' | 'probe' = 'perform') =>
      effect(
        {
          ...{ jobId: 'job', kind: 'edge.runSchedule', workspaceId: 'company-1', departmentId: '', attempt: 1, mode },
          ...{ subjectId: 'worker-1', context, progress: async () => {}, cancelRequested: () => false },
          step: (_name, perform) => perform(),
          payload: { scriptName: a.scriptName, cron: '* * * * *', timeZone: 'UTC', scheduledTime: start },
          cancelSignal: new AbortController().signal,
        },
        new AbortController().signal,
      );
    return { run, provider, tell };
  };

  test('calls the handler of the live worker once', async () => {
    const { run, provider } = await world(start + 5);
    expect(await run()).toMatchObject({ outcome: 'done' });
    expect(provider.asked).toEqual([`runScheduled ${a.scriptName} * * * * *`]);
  });

  test('what may have run is not run again', async () => {
    const { run, provider } = await world(start + 5);
    expect(await run('probe')).toMatchObject({ outcome: 'refused', code: 'outcome_unknown' });
    expect(provider.asked).toEqual([]);
  });

  test('what could not begin within a minute is missed', async () => {
    const { run, provider } = await world(start + lateMs + 1);
    expect(await run()).toMatchObject({ outcome: 'refused', code: 'missed' });
    expect(provider.asked).toEqual([]);
  });

  test('a worker that was paused meanwhile is left alone', async () => {
    const { run, provider, tell } = await world(start + 5);
    await tell('pause', { type: 'PauseEdgeWorker', data: {} });
    expect(await run()).toMatchObject({ outcome: 'refused', code: 'not_on_air' });
    expect(provider.asked).toEqual([]);
  });
});
