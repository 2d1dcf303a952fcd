import { describe, expect, test } from 'vitest';
import { pausedTag } from '../../../../src/platform/edge/cloudflare/names.ts';
import { createWorld, never, scriptName } from './world.ts';

const live = async (options: Parameters<typeof createWorld>[0] = {}) => {
  const world = await createWorld(options);
  world.secrets.set('KEY@1', 'swordfish');
  await world.deploy('t1', { secrets: [{ name: 'KEY', version: 1, digest: 'd'.repeat(32) }] });
  return world;
};

const servingTag = (world: Awaited<ReturnType<typeof live>>) =>
  world.cloudflare.view.serving(scriptName)?.annotations['workers/tag'];

describe('Pausing', () => {
  test('puts a version on the air that answers 503 with Retry-After; resuming puts back the very version of before', async () => {
    const world = await live();
    const before = world.cloudflare.view.serving(scriptName);
    expect(await world.present(1, true)).toMatchObject({ outcome: 'done', detail: 'taken off the air' });
    const stub = world.cloudflare.view.serving(scriptName);
    const code = Buffer.from(stub?.modules[0]?.content ?? []).toString();
    const module = await import(`data:text/javascript,${encodeURIComponent(code)}`);
    const response = module.default.fetch();
    expect([response.status, response.headers.get('retry-after')]).toEqual([503, '60']);
    expect(await response.json()).toMatchObject({ title: 'WorkerPaused' });
    expect(stub?.annotations['workers/tag']).toBe(pausedTag);
    expect(await world.present(1, false)).toMatchObject({ outcome: 'done', detail: 'put back on the air' });
    expect(world.cloudflare.view.serving(scriptName)?.id).toBe(before?.id);
    expect(world.cloudflare.view.serving(scriptName)?.bindings).toContainEqual({
      ...{ type: 'secret_text', name: 'KEY', text: 'swordfish' },
    });
  });

  test('twice is once, and the stub is made once for ever', async () => {
    const world = await live();
    const versions = world.cloudflare.view.script(scriptName).versions.length;
    for (let round = 1; round <= 2; round += 1) {
      await world.present(1, true);
      expect(await world.present(1, true)).toMatchObject({ outcome: 'done', detail: 'off the air' });
      await world.present(1, false);
      expect(await world.present(1, false)).toMatchObject({ outcome: 'done', detail: 'on the air' });
    }
    expect(world.asked('deployment.create')).toBe(1 + 4);
    expect(world.cloudflare.view.script(scriptName).versions).toHaveLength(versions);
  });

  test.each([
    ['a lost answer', { kind: 'lose', effect: true }],
    ['a 522 page', { kind: 'html', status: 522, effect: true }],
    ['a 500', { kind: 'after', status: 500, code: 10013 }],
  ] as const)('%s is uncertain, and the next try recognises what happened', async (_, fault) => {
    const world = await live();
    world.cloudflare.fail({ step: 'deployment.create' }, fault);
    expect(await world.present(1, true)).toMatchObject({ outcome: 'uncertain' });
    expect(await world.present(1, true)).toMatchObject({ outcome: 'done', detail: 'off the air' });
    expect(world.cloudflare.view.script(scriptName).deployments).toHaveLength(3);
  });

  test('takes off what somebody has deployed by hand too, and resuming puts the live revision there', async () => {
    const world = await live();
    world.cloudflare.act.editCode(scriptName, 'export default { fetch: () => new Response() };');
    await world.present(1, true);
    expect(servingTag(world)).toBe(pausedTag);
    expect(await world.present(1, false)).toMatchObject({ outcome: 'done' });
    expect(servingTag(world)).toBe('t1');
  });

  test('a script that is gone is off the air; it cannot be resumed, and the answer says what to do', async () => {
    const world = await live();
    world.cloudflare.act.deleteScript(scriptName);
    expect(await world.present(1, true)).toMatchObject({ outcome: 'done' });
    const resumed = await world.present(1, false);
    expect(resumed).toMatchObject({ outcome: 'refused', code: 'live_version_missing' });
    expect(resumed.detail).toContain('Deploy it again');
  });
});

describe('Removing', () => {
  test('detaches the domains with their records, deletes the script, and is done when nothing is there', async () => {
    const world = await live();
    await world.provider.attachDomain(world.domain('shop.example.com'), never);
    const removed = await world.provider.remove(scriptName, never);
    expect(removed).toMatchObject({ outcome: 'done', facts: { domains: 'shop.example.com' } });
    expect(world.cloudflare.view.domains()).toEqual([]);
    expect(world.cloudflare.view.records('example.com')).toEqual([]);
    expect(world.cloudflare.view.scripts()).toEqual([]);
    expect(await world.provider.remove(scriptName, never)).toMatchObject({
      ...{ outcome: 'done', detail: 'there is no such script' },
    });
    const deletions = world.cloudflare.requests.filter(({ step }) => step === 'script.delete');
    expect(deletions.map(({ query }) => query)).toEqual([{}, {}]);
  });

  test('what others refer to stays, and they are named', async () => {
    const world = await live();
    const other = world.cloudflare.act.uploadScript('caller');
    const [version] = other.versions;
    if (version) other.versions = [{ ...version, bindings: [{ type: 'service', name: 'IT', service: scriptName }] }];
    const removed = await world.provider.remove(scriptName, never);
    expect(removed).toMatchObject({ outcome: 'refused', code: 'worker_referenced' });
    expect(removed.detail).toContain('caller');
    expect(world.cloudflare.view.scripts()).toHaveLength(2);
  });

  test('nothing without a name of ours is touched', async () => {
    const world = await live();
    world.cloudflare.act.uploadScript('shop');
    expect(await world.provider.remove('shop', never)).toMatchObject({
      outcome: 'refused',
      code: 'script_name_invalid',
    });
    expect(world.cloudflare.view.scripts().map(({ name }) => name)).toContain('shop');
  });

  test.each([true, false])('a lost answer is uncertain; the next try finds out (effect: %s)', async (effect) => {
    const world = await live();
    world.cloudflare.fail({ step: 'script.delete' }, { kind: 'lose', effect });
    expect(await world.provider.remove(scriptName, never)).toMatchObject({ outcome: 'uncertain' });
    expect(await world.provider.remove(scriptName, never)).toMatchObject({ outcome: 'done' });
    expect(world.cloudflare.view.scripts()).toEqual([]);
  });
});

describe('The inventory', () => {
  const inventory = async (world: Awaited<ReturnType<typeof live>>) => {
    const found = await world.provider.inventory(never);
    if (!found.ok) throw new Error(found.detail);
    return found.workers;
  };

  test('shows what is on the air of each script of ours: ticket, revision, bundle and who', async () => {
    const world = await live();
    world.cloudflare.act.uploadScript('shop');
    const { bundleDigest } = await world.spec(1);
    const email = world.cloudflare.view.activeDeployment(scriptName)?.authorEmail;
    expect(await inventory(world)).toEqual([
      { scriptName, revision: 1, bundleDigest, ticketId: 't1', state: 'active', by: email },
    ]);
    await world.present(1, true);
    expect(await inventory(world)).toMatchObject([{ revision: 1, bundleDigest, ticketId: '', state: 'paused' }]);
  });

  test('drift shows: code by hand has no ticket, a rollback by hand has an earlier one, and both say who', async () => {
    const world = await live();
    await world.deploy('t2');
    world.cloudflare.act.deploy(scriptName, world.cloudflare.view.versionsTagged(scriptName, 't1')[0]?.id);
    expect(await inventory(world)).toMatchObject([{ ticketId: 't1', revision: 1, by: 'person@opslog.test' }]);
    world.cloudflare.act.editCode(scriptName, 'export default { fetch: () => new Response() };');
    expect(await inventory(world)).toMatchObject([
      { ticketId: '', revision: 0, state: 'active', by: 'person@opslog.test' },
    ]);
  });

  test('a script that waits for its first deployment is a placeholder', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'version.create' }, { kind: 'before', status: 400, code: 10021 });
    expect(await world.deploy('t1')).toBe('failed');
    expect(await world.provider.inventory(never)).toMatchObject({
      ...{ ok: true, workers: [{ scriptName, revision: 0, ticketId: '', state: 'placeholder' }] },
    });
  });

  test.each(['script.list', 'deployment.list', 'version.get'] as const)(
    'is whole or nothing: a fault at %s',
    async (step) => {
      const world = await live();
      world.cloudflare.fail({ step }, { kind: 'html', status: 502, effect: false });
      expect(await world.provider.inventory(never)).toMatchObject({ ok: false });
      expect(await world.provider.inventory(never)).toMatchObject({ ok: true });
    },
  );

  test('asks once for what a version says of itself', async () => {
    const world = await live();
    await inventory(world);
    const before = world.cloudflare.requests.length;
    await inventory(world);
    expect(world.cloudflare.requests.slice(before).map(({ step }) => step)).toEqual(['script.list', 'deployment.list']);
  });
});
