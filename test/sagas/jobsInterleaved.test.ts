import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { EventLog, StoredEvent } from '../../src/platform/eventLog/port.ts';
import type { JobEffect, JobInHand, JobOutcome } from '../../src/sagas/jobs/effect.ts';
import * as a from '../support/jobFacts.ts';
import { jobId, startJobWorld } from '../support/jobWorld.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

/** Something outside that can happen, and that knows the newest attempt which spoke to it. */
const createOutside = () => {
  let fence = 0;
  let times = 0;
  const admit = (attempt: number): boolean => {
    if (attempt < fence) return false;
    fence = attempt;
    return true;
  };
  return {
    times: () => times,
    happen: (attempt: number): boolean => {
      if (!admit(attempt)) return false;
      times += 1;
      return true;
    },
    look: (attempt: number): boolean => {
      admit(attempt);
      return times > 0;
    },
  };
};
type Outside = ReturnType<typeof createOutside>;

const behaviours = [
  ...(['done', 'done', 'nothing came of it', 'done but the answer was lost', 'not done and nobody knows'] as const),
  ...([
    'throws when it was done',
    'throws before',
    'never answers',
    'does it late, deaf to being told to stop',
  ] as const),
] as const;
type Behaviour = (typeof behaviours)[number];

const uncertain: JobOutcome = { outcome: 'uncertain', detail: 'lost' };
const done: JobOutcome = { outcome: 'done', detail: 'done' };

const act = async (
  behaviour: Behaviour,
  outside: Outside,
  { attempt }: JobInHand,
  later: () => Promise<void>,
): Promise<JobOutcome> => {
  await later();
  const happen = (): JobOutcome => (outside.happen(attempt) ? done : uncertain);
  switch (behaviour) {
    case 'done':
      return happen();
    case 'nothing came of it':
      return { outcome: 'retry', detail: 'no room' };
    case 'done but the answer was lost':
      outside.happen(attempt);
      return uncertain;
    case 'not done and nobody knows':
      return uncertain;
    case 'throws when it was done':
      outside.happen(attempt);
      throw new Error('reset by peer');
    case 'throws before':
      throw new Error('refused');
    case 'never answers':
      return new Promise(() => {});
    case 'does it late, deaf to being told to stop':
      for (let turn = 0; turn < 12; turn += 1) await later();
      return happen();
  }
};

/** Every answer of the log comes when the scheduler says so, so that two nodes meet at every point. */
const scheduledLog = (log: EventLog, later: () => Promise<void>): EventLog => ({
  ...log,
  append: async (...args) => {
    await later();
    const outcome = await log.append(...args);
    await later();
    return outcome;
  },
  readStream: async function* (...args) {
    await later();
    yield* log.readStream(...args);
  },
});

const startOf = (data: StoredEvent['data']): unknown => {
  const { attempted } = data;
  return typeof attempted === 'object' && attempted !== null && 'startedAt' in attempted
    ? attempted.startedAt
    : data['startedAt'];
};

/** One lease at a time: it ends with its own report, when it ran out, or when its node began anew. */
const checkLeases = (events: readonly StoredEvent[]): void => {
  let lease = { holder: '', at: 0, until: 0 };
  for (const { type, data } of events) {
    if (type === 'JobLeased') {
      const next = { holder: String(data['holder']), at: Number(data['leasedAt']), until: Number(data['leasedUntil']) };
      const sameNode = next.holder.split('/')[0] === lease.holder.split('/')[0];
      if (!sameNode) expect(next.at, 'a lease before the one in force has ended').toBeGreaterThanOrEqual(lease.until);
      lease = next;
    } else if (type === 'JobLeaseRenewed') lease = { ...lease, until: Number(data['leasedUntil']) };
    else if (type === 'JobSucceeded' || (type === 'JobAttemptRecorded' && data['outcome'] !== 'lost')) {
      expect(startOf(data), 'a report of an attempt from before this lease').toBeGreaterThanOrEqual(lease.at);
      lease = { ...lease, until: 0 };
    }
  }
};

const stepArbitrary = fc.oneof(
  fc.record({ what: fc.constant('run' as const), node: fc.nat({ max: 2 }) }),
  fc.record({ what: fc.constant('pass' as const), ms: fc.constantFrom(1_000, 3_000, 9_000, 35_000) }),
  fc.record({ what: fc.constant('turns' as const), turns: fc.integer({ min: 1, max: 12 }) }),
  fc.record({ what: fc.constant('cancel' as const) }),
  fc.constant({ what: 'idle' as const }),
);

describe('Two nodes at one job, in any interleaving', () => {
  test('never do it twice, never settle it twice, and never lose it', async () => {
    const settled: Record<string, number> = {};
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.constantFrom(...behaviours), { maxLength: 6 }),
        fc.array(stepArbitrary, { minLength: 4, maxLength: 24 }),
        async (scheduler, script, steps) => {
          const outside = createOutside();
          const memory = createMemoryLog();
          const later = () => scheduler.schedule(Promise.resolve());
          const world = startJobWorld({ log: scheduledLog(memory, later) });
          const left = [...script];
          const effect: JobEffect = async (job) => {
            if (job.mode === 'perform') return act(left.shift() ?? 'done', outside, job, later);
            await later();
            return outside.look(job.attempt) ? done : { outcome: 'retry', detail: 'not there' };
          };
          const kinds = { 'domain.verify': { ...world.kind, effect } };
          const nodes = [world.node('node-1/1', kinds), world.node('node-2/1', kinds), world.node('node-1/2', kinds)];
          const idle = () => scheduler.waitIdle();
          const telling = world.tell('enqueue', a.enqueue());
          await idle();
          await telling;

          const running: Promise<unknown>[] = [];
          for (const step of steps) {
            if (step.what === 'pass') world.pass(step.ms);
            else if (step.what === 'idle') await idle();
            else if (step.what === 'run') {
              const takeover = step.node === 2;
              const run = nodes[step.node];
              if (run) running.push(run({ takeover }).catch(() => undefined));
            } else if (step.what === 'cancel') {
              running.push(
                world.tell(`cancel-${running.length}`, { type: 'RequestJobCancel', data: {} }).catch(() => {}),
              );
            } else
              for (let turn = 0; turn < step.turns && scheduler.count() > 0; turn += 1) await scheduler.waitNext(1);
          }

          // From now on nothing goes wrong: one healthy node, and time.
          let status = 'pending';
          for (let round = 0; round < 40 && (status === 'pending' || status === 'running'); round += 1) {
            await idle();
            world.pass(61_000);
            await idle();
            running.push(
              world
                .node('node-3/1', kinds)()
                .catch(() => undefined),
            );
            await idle();
            const state = world.state();
            await idle();
            status = (await state).status;
          }
          await idle();

          const types = memory.events.filter(({ stream }) => stream === `job-${jobId}`).map(({ type }) => type);
          const ends = types.filter((type) => /^Job(Succeeded|Failed|Died|Cancelled)$/.test(type));
          expect(ends, types.join(' ')).toHaveLength(1);
          expect(outside.times()).toBeLessThanOrEqual(1);
          if (status === 'succeeded') expect(outside.times()).toBe(1);
          if (status === 'cancelled') expect(outside.times()).toBe(0);
          checkLeases(memory.events);
          const attempts = memory.events.flatMap(({ type, data }) => (type === 'JobLeased' ? [data['attempt']] : []));
          expect(attempts).toEqual(attempts.map((_, index) => index + 1));
          settled[status] = (settled[status] ?? 0) + 1;
        },
      ),
      { numRuns: 300 },
    );
    // The histories are not all alike: otherwise the rules above say little.
    expect(Object.keys(settled)).toEqual(expect.arrayContaining(['succeeded', 'cancelled']));
  });
});
