import { describe, expect, test } from 'vitest';
import { createWorld, scriptName } from './world.ts';

describe('A deployment is refused for good', () => {
  test.each([
    ['a module that throws while it is read', { module: 'export default {' }, 'script_invalid'],
    ['a compatibility date that is to come', { compatibilityDate: '2099-01-01' }, 'script_invalid'],
    ['a module without a handler', { module: 'export const nothing = 1;' }, 'handler_missing'],
    ['a variable that is too long', { variables: { LONG: 'x'.repeat(5_121) } }, 'binding_invalid'],
    ['a bundle that the store does not have', { bundleDigest: 'f'.repeat(64) }, 'BundleMissing'],
  ] as const)('for %s; the revision before stays on the air', async (_, content, code) => {
    const world = await createWorld();
    await world.deploy('t1');
    expect(await world.deploy('t2', content)).toBe('failed');
    expect(world.reasonOf('t2')).toBe(code);
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  });

  test('when the bundle is larger than the account takes', async () => {
    const world = await createWorld({ limits: { scriptBytes: 1_000 } });
    expect(await world.deploy('t1', { module: `export default { fetch() {} }; // ${'x'.repeat(1_000)}` })).toBe(
      'failed',
    );
    expect(world.reasonOf('t1')).toBe('script_too_large');
  });

  test('when the account is full', async () => {
    const world = await createWorld({ limits: { scripts: 0 } });
    expect(await world.deploy('t1')).toBe('failed');
    expect(world.reasonOf('t1')).toBe('worker_quota_reached');
  });

  test('when the token is not accepted, and the log says so to the operator', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'scriptSettings.get' }, { kind: 'before', status: 403, code: 10000 });
    expect(await world.deploy('t1')).toBe('failed');
    expect(world.reasonOf('t1')).toBe('provider_unauthorized');
    expect(world.logged.join()).toContain('does not accept the API token');
  });

  test('when somebody else has made a script of this name; it is left as it is', async () => {
    const world = await createWorld();
    world.cloudflare.act.uploadScript(scriptName);
    expect(await world.deploy('t1')).toBe('failed');
    expect(world.reasonOf('t1')).toBe('script_not_ours');
    expect(world.cloudflare.view.script(scriptName).versions).toHaveLength(1);
  });

  test('with the code of the vault when a secret cannot be opened', async () => {
    const secretValues = async () => ({ ok: false, code: 'secret_destroyed', detail: 'KEY was destroyed.' }) as const;
    const world = await createWorld({ secretValues });
    expect(await world.deploy('t1')).toBe('failed');
    expect(world.reasonOf('t1')).toBe('secret_destroyed');
  });
});

describe('Somebody deploys by hand', () => {
  test('before: it is noted, and deployed over', async () => {
    const world = await createWorld();
    await world.deploy('t1');
    const theirs = world.cloudflare.act.editCode(scriptName, 'export default { fetch: () => new Response() };');
    expect(await world.deploy('t2')).toBe('completed');
    const [made] = world.recorded('t2').filter(({ step }) => step === 'deployment');
    expect(made?.data).toMatchObject({
      facts: { replaced: theirs.id, replacedFrom: expect.stringContaining('person@opslog.test') },
    });
  });

  test.each([
    ['once it is known to be on the air', 'schedule.get', { kind: 'html', status: 502, effect: false }],
    ['while it is not known whether it is', 'deployment.create', { kind: 'lose', effect: true }],
  ] as const)('%s: it is left, and the ticket says who', async (_, step, fault) => {
    const world = await createWorld();
    const revision = await world.submit();
    await world.admit('t1', revision);
    world.cloudflare.fail({ step }, fault);
    expect(await world.attempt('t1')).toBe('uncertain');
    world.cloudflare.act.editCode(scriptName, 'export default { fetch: () => new Response() };');
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('failed');
    expect(world.reasonOf('t1')).toBe('overtaken');
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBeUndefined();
    expect(world.recorded('t1').at(-1)?.data).toMatchObject({ facts: { owner: 'person@opslog.test' } });
  });

  test('and deletes the script in between: it is made again', async () => {
    const world = await createWorld();
    await world.submit();
    await world.admit('t1', 1);
    world.cloudflare.fail({ step: 'deployment.list' }, { kind: 'rateLimit', retryAfter: 50 });
    expect(await world.attempt('t1')).toBe('pending');
    world.cloudflare.act.deleteScript(scriptName);
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('completed');
    expect(world.cloudflare.view.versionsTagged(scriptName, 't1')).toHaveLength(1);
  });

  test('pauses meanwhile: the deployment is complete, and stays paused', async () => {
    const world = await createWorld();
    await world.submit();
    await world.admit('t1', 1);
    world.cloudflare.fail({ step: 'schedule.get' }, { kind: 'html', status: 502, effect: false });
    expect(await world.attempt('t1')).toBe('uncertain');
    await world.present(1, true);
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('completed');
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('opslog-paused');
  });
});
