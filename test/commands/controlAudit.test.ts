import { randomUUID } from 'node:crypto';
import fc from 'fast-check';
import { describe, expect, test, vi } from 'vitest';
import { createAggregates } from '../../src/commands/aggregates.ts';
import { createRefusalRecorder, type RefusedAction } from '../../src/commands/controlAudit.ts';
import { systemClock } from '../../src/platform/clock/system.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { createMemoryLog } from '../support/memoryLog.ts';

const refused = (more: Partial<RefusedAction> = {}): RefusedAction => ({
  ...{ workspaceId: 'w1', departmentId: 'd1', by: 'member', actor: { kind: 'user', id: 'u1' }, authMethod: 'session' },
  ...{ requestId: 'r1', correlationId: 'c1', action: 'deployRevision', resourceType: 'edgeWorker', resourceId: 'k1' },
  ...{ result: 'refused', reasonCode: 'deployment_alive', digest: 'ab'.repeat(32), ip: '192.0.2.7', ...more },
});

/** Time stands unless the test moves it; what sleeps is woken by `pass`. */
const start = (around = createMemoryLog(() => 1)) => {
  let now = 1_700_000_040_000;
  let sleepers: { readonly until: number; readonly wake: () => void }[] = [];
  const clock = {
    now: () => now,
    sleep: (ms: number, signal?: AbortSignal) =>
      new Promise<void>((resolve) => {
        if (signal?.aborted) return resolve();
        signal?.addEventListener('abort', () => resolve(), { once: true });
        sleepers.push({ until: now + ms, wake: resolve });
      }),
  };
  const pass = (ms: number): void => {
    now += ms;
    const due = sleepers.filter(({ until }) => until <= now);
    sleepers = sleepers.filter(({ until }) => until > now);
    for (const { wake } of due) wake();
  };
  const lost: number[] = [];
  const limits = { windowMs: 60_000, perWindow: { member: 5, stranger: 2 }, waitMs: 500 };
  const node = () =>
    createRefusalRecorder({
      ...{
        controlAudit: createAggregates({ log: around, now: clock.now }).controlAudit,
        clock,
        uuid: randomUUID,
        limits,
      },
      ...{ logger: silentLog, onLost: (count: number) => void lost.push(count) },
    });
  const types = () => around.events.map(({ type }) => type);
  return { log: around, node, pass, lost, types, refusals: node() };
};

describe('A refused action', () => {
  test('is in the log when its recording is done, with the actor, the code and digests only', async () => {
    const { log, refusals } = start();
    expect(await refusals.record(refused())).toBe('recorded');
    const [event] = log.events;
    expect(event).toMatchObject({ type: 'ControlActionRefused', metadata: { actor: { id: 'u1' }, workspaceId: 'w1' } });
    expect(Object.keys(event?.data ?? {}).toSorted()).toEqual(
      ['action', 'digest', 'reasonCode', 'resourceId', 'resourceType', 'result'].toSorted(),
    );
  });

  test('is one event per minute, also when two processes see it, and one more in the next minute', async () => {
    const { node, pass, types, refusals } = start();
    const other = node();
    const answers = [await refusals.record(refused()), await refusals.record(refused({ requestId: 'r2' }))];
    expect(answers).toEqual(['recorded', 'known']);
    await other.record(refused());
    expect(types()).toEqual(['ControlActionRefused']);
    pass(60_000);
    await refusals.record(refused());
    expect(types()).toHaveLength(2);
  });

  test('is another event for another actor, action, resource, result or reason', async () => {
    const { types, refusals } = start();
    const others = [{ actor: { kind: 'user', id: 'u2' } }, { action: 'rollBack' }, { resourceId: 'k2' }] as const;
    for (const more of [{}, ...others, { reasonCode: 'edge_worker_paused' }]) await refusals.record(refused(more));
    expect(types()).toHaveLength(5);
  });

  test('beyond the cap of its workspace is counted, and one event tells how many when the minute is over', async () => {
    const { log, pass, types, refusals } = start();
    for (let each = 0; each < 12; each += 1) await refusals.record(refused({ resourceId: `k${each}` }));
    expect(types()).toHaveLength(5);
    expect(await refusals.record(refused({ workspaceId: 'w2' }))).toBe('recorded');
    pass(60_000);
    await vi.waitFor(() =>
      expect(log.events.at(-1)).toMatchObject({ type: 'ControlRefusalsOmitted', data: { count: 7 } }),
    );
    expect(log.events.at(-1)?.metadata).toMatchObject({ workspaceId: 'w1', actor: { kind: 'system' } });
  });

  test('of a member is not crowded out by strangers', async () => {
    const { types, refusals } = start();
    for (let each = 0; each < 50; each += 1) {
      await refusals.record(refused({ by: 'stranger', actor: { kind: 'user', id: `s${each}` } }));
    }
    expect(await refusals.record(refused())).toBe('recorded');
    expect(types()).toHaveLength(3);
  });

  test('that was left out is told when the process ends before the minute does', async () => {
    const { log, refusals } = start();
    for (let each = 0; each < 6; each += 1) await refusals.record(refused({ resourceId: `k${each}` }));
    await refusals.close();
    expect(log.events.at(-1)).toMatchObject({ type: 'ControlRefusalsOmitted', data: { count: 1 } });
  });

  test('that the log refuses is counted as lost, and tried again with the next of its kind', async () => {
    const { log, lost, types, refusals } = start();
    log.fail();
    expect(await refusals.record(refused())).toBe('lost');
    expect(lost).toEqual([1]);
    log.recover();
    await vi.waitFor(async () => expect(await refusals.record(refused())).toBe('recorded'));
    expect(types()).toEqual(['ControlActionRefused']);
  });

  test('that the log never answers holds nobody up for longer than is allowed, nor do its repeats', async () => {
    const log = createMemoryLog();
    const { pass, refusals } = start({ ...log, append: () => new Promise(() => {}) });
    const waiting = Promise.all([refusals.record(refused()), refusals.record(refused())]);
    pass(500);
    expect(await waiting).toEqual(['lost', 'lost']);
  });

  test('is accounted for, whatever comes in whatever order: written, known, or in a sum', async () => {
    const arrivals = fc.array(fc.record({ actor: fc.nat(4), resource: fc.nat(4), pass: fc.nat(8_000) }), {
      maxLength: 60,
    });
    await fc.assert(
      fc.asyncProperty(arrivals, async (all) => {
        const { log, pass, refusals } = start();
        const answers: string[] = [];
        for (const { actor, resource, pass: ms } of all) {
          const who = { kind: 'user', id: `u${actor}` } as const;
          answers.push(await refusals.record(refused({ actor: who, resourceId: `k${resource}` })));
          pass(ms);
        }
        await refusals.close();
        const written = log.events.filter(({ type }) => type === 'ControlActionRefused').length;
        const sums = log.events.map(({ data }) => Number(data['count'] ?? 0));
        const count = (as: string) => answers.filter((each) => each === as).length;
        expect(written).toBe(count('recorded'));
        expect(sums.reduce((sum, each) => sum + each, 0)).toBe(count('omitted'));
        expect(count('lost')).toBe(0);
      }),
      { numRuns: 50 },
    );
  });

  test('is recorded on a real clock, too', async () => {
    const log = createMemoryLog();
    const { controlAudit } = createAggregates({ log, now: Date.now });
    const options = { controlAudit, clock: systemClock, uuid: randomUUID, logger: silentLog, onLost: () => {} };
    const refusals = createRefusalRecorder(options);
    expect(await refusals.record(refused())).toBe('recorded');
    await refusals.close();
  });
});
