import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createBudget } from '../../../../src/platform/edge/cloudflare/budget.ts';
import { createWorld, never } from './world.ts';

const windowMs = 300_000;

describe('The request budget', () => {
  test('no five minutes see more requests than it has, however they come', () => {
    const arrivals = fc.array(fc.integer({ min: 0, max: 3_000 }), { minLength: 200, maxLength: 400 });
    fc.assert(
      fc.property(arrivals, (pauses) => {
        let now = 0;
        const budget = createBudget({ clock: { now: () => now }, requests: 60 });
        const admitted: number[] = [];
        for (const pause of pauses) {
          now += pause;
          if (budget.admit('step').ok) admitted.push(now);
        }
        for (const from of admitted) {
          const inWindow = admitted.filter((at) => at >= from && at < from + windowMs).length;
          expect(inWindow).toBeLessThanOrEqual(60);
        }
      }),
      { numRuns: 30 },
    );
  });

  test('who waits as long as it says is let in', () => {
    let now = 0;
    const budget = createBudget({ clock: { now: () => now }, requests: 20 });
    while (budget.admit('step').ok);
    const refused = budget.admit('step');
    now += refused.ok ? 0 : refused.afterMs;
    expect([refused.ok, budget.admit('step').ok]).toEqual([false, true]);
  });

  test('surveys leave room for steps, and wait when Cloudflare says that little is left', () => {
    let now = 0;
    const budget = createBudget({ clock: { now: () => now }, requests: 100 });
    while (budget.admit('survey').ok);
    expect(budget.admit('step').ok).toBe(true);
    now += windowMs;
    budget.note('"default";r=50;t=40');
    expect([budget.admit('survey'), budget.admit('step').ok]).toEqual([{ ok: false, afterMs: 40_000 }, true]);
    budget.note('"default";r=0;t=60');
    expect(budget.admit('step')).toEqual({ ok: false, afterMs: 60_000 });
    now += 60_000;
    expect([budget.admit('survey').ok, budget.admit('step').ok]).toEqual([true, true]);
  });

  test('after a 429 nothing at all is asked until its time is over', async () => {
    const world = await createWorld();
    await world.deploy('t1');
    world.cloudflare.fail(
      { step: 'script.list' },
      { kind: 'before', status: 429, code: 971, headers: { 'retry-after': '120' } },
    );
    const taking = world.provider.inventory(never);
    await expect.poll(() => world.asked('script.list')).toBe(1);
    const before = world.cloudflare.requests.length;
    expect(await world.present(1, true)).toMatchObject({ outcome: 'retry', afterMs: 120_000 });
    expect(world.cloudflare.requests).toHaveLength(before);
    world.clock.pass(120_000);
    expect(await taking).toMatchObject({ ok: true });
    expect(await world.present(1, true)).toMatchObject({ outcome: 'done' });
  });
});
