import { describe, expect, test } from 'vitest';
import type { Fault } from '../../../support/cloudflare/faults.ts';
import type { Step } from '../../../support/cloudflare/router.ts';
import { createWorld, gate, requestTimeoutMs, scriptName, type World } from './world.ts';

/** Every write of a deployment, in order. */
const writes = [
  'script.upload',
  'scriptSettings.patch',
  'version.create',
  'deployment.create',
  'schedule.put',
  'subdomain.post',
] as const satisfies readonly Step[];

const reads = [
  'scriptSettings.get',
  'deployment.list',
  'schedule.get',
  'subdomain.get',
] as const satisfies readonly Step[];

const faults = {
  'a 500 before it happened': { kind: 'before', status: 500, code: 10013 },
  'a 500 after it happened': { kind: 'after', status: 500, code: 10013 },
  'a 522 page before it happened': { kind: 'html', status: 522, effect: false },
  'a 522 page after it happened': { kind: 'html', status: 522, effect: true },
  'a lost answer before it happened': { kind: 'lose', effect: false },
  'a lost answer after it happened': { kind: 'lose', effect: true },
  'half an answer': { kind: 'truncate' },
  'a 429': { kind: 'rateLimit', retryAfter: 30 },
  'a conflict with another write': { kind: 'conflict' },
} as const satisfies Record<string, Fault>;

const content = { schedules: [{ cron: '*/5 * * * *', timeZone: 'UTC' }] };

/** Whatever went wrong on the way: one version of the ticket, on the air, with its schedules, and an honest ticket. */
const expectDeployed = (world: World): void => {
  const { view } = world.cloudflare;
  expect(view.versionsTagged(scriptName, 't1')).toHaveLength(1);
  expect(view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  expect(view.crons(scriptName)).toEqual(['*/5 * * * *']);
  expect(view.script(scriptName).subdomain.enabled).toBe(true);
  expect(view.script(scriptName).versions).toHaveLength(2);
};

describe.each(writes)('A deployment survives at %s', (step) => {
  test.each(Object.entries(faults))('%s', async (_, fault) => {
    const world = await createWorld({ workersSubdomain: 'acme' });
    const planned = world.cloudflare.fail({ step }, fault);
    expect(await world.deploy('t1', content)).toBe('completed');
    expect(planned.remaining()).toBe(0);
    expectDeployed(world);
  });

  test('the same twice, when what was made cannot be read for a while either', async () => {
    const world = await createWorld({ workersSubdomain: 'acme', lag: { reads: 2, ms: 10_000, deployments: true } });
    const planned = world.cloudflare.fail({ step }, { kind: 'lose', effect: true }, 1);
    expect(await world.deploy('t1', content)).toBe('completed');
    expect(planned.remaining()).toBe(0);
    expectDeployed(world);
  });

  test('an answer that comes after its time, when the work is done all the same', async () => {
    const world = await createWorld({ workersSubdomain: 'acme' });
    const { opened, open } = gate();
    world.cloudflare.fail({ step }, { kind: 'delay', until: opened });
    const revision = await world.submit(content);
    await world.admit('t1', revision);
    const first = world.attempt('t1');
    await expect.poll(() => world.asked(step)).toBe(1);
    world.clock.pass(requestTimeoutMs);
    expect(await first).toBe('uncertain');
    open();
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('completed');
    expectDeployed(world);
  });
});

describe.each(reads)('A look that fails is no verdict: %s', (step) => {
  const failing = ['a 500 before it happened', 'a 522 page before it happened', 'half an answer', 'a 429'] as const;
  test.each(failing)('%s', async (name) => {
    const fault = faults[name];
    const world = await createWorld({ workersSubdomain: 'acme' });
    const planned = world.cloudflare.fail({ step }, fault);
    expect(await world.deploy('t1', content)).toBe('completed');
    expect(planned.remaining()).toBe(0);
    expectDeployed(world);
  });
});

describe('What may have happened', () => {
  test('is uncertain in the ticket, with what was asked, answered and found', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'version.create' }, { kind: 'after', status: 500, code: 10013 });
    await world.deploy('t1');
    const [lost, found] = world.recorded('t1').filter(({ step, outcome, mode }) => {
      return step === 'version' && (outcome === 'uncertain' || mode === 'probe');
    });
    expect(lost).toMatchObject({
      outcome: 'uncertain',
      data: { facts: { asked: 'POST versions', code: '10013', answered: expect.stringContaining('10013') } },
    });
    expect(found).toMatchObject({
      outcome: 'done',
      data: { facts: { found: expect.stringContaining('with tag t1') } },
    });
  });

  test('is not done again before the read-lag window is over, and then it is', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'version.create' }, { kind: 'html', status: 522, effect: false });
    await world.submit();
    await world.admit('t1', 1);
    expect(await world.attempt('t1')).toBe('uncertain');
    world.clock.advance(60_000);
    const before = world.clock.now();
    expect(await world.attempt('t1')).toBe('completed');
    const again = world.cloudflare.requests.filter(({ step }) => step === 'version.create')[1];
    expect((again?.at ?? 0) - before).toBeGreaterThanOrEqual(15_000);
    expect(world.asked('version.create')).toBe(2);
  });

  test('stays uncertain while nobody can look, and is never given up', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'lose', effect: true });
    await world.submit();
    await world.admit('t1', 1);
    expect(await world.attempt('t1')).toBe('uncertain');
    const away = world.cloudflare.fail({ method: 'GET' }, { kind: 'html', status: 502, effect: false }, 10_000);
    for (let tries = 1; tries <= 10; tries += 1) {
      world.clock.advance(60_000);
      expect(await world.attempt('t1')).toBe('uncertain');
    }
    away.cancel();
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('completed');
    expect(world.cloudflare.view.script(scriptName).deployments).toHaveLength(2);
  });

  test('a runner that dies right after an upload does not lead to a second one', async () => {
    const world = await createWorld({ lag: { reads: 3 } });
    const { opened, open } = gate();
    world.cloudflare.fail({ step: 'version.create' }, { kind: 'delay', until: opened });
    await world.submit();
    await world.admit('t1', 1);
    const stop = new AbortController();
    const dying = world.attempt('t1', stop.signal);
    await expect.poll(() => world.asked('version.create')).toBe(1);
    stop.abort();
    open();
    expect(await dying).toBe('lease lost');
    await expect.poll(() => world.cloudflare.view.script(scriptName).versions.length).toBe(2);
    expect(await world.settle('t1')).toBe('completed');
    expect(world.cloudflare.view.versionsTagged(scriptName, 't1')).toHaveLength(1);
  });
});
