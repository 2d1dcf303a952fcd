import { describe, expect, test } from 'vitest';
import { createWorld, never, scriptName } from './world.ts';

/** What people report of other tools, each as a rule for this one. */
describe('Outcomes that others lose', () => {
  test('a 522 with an HTML page is no verdict (workers-sdk#6888)', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'html', status: 522, effect: false }, 3);
    expect(await world.deploy('t1')).toBe('completed');
    const tries = world.recorded('t1').filter(({ step }) => step === 'deployment');
    expect(tries.map(({ outcome }) => outcome)).toEqual(['uncertain', 'uncertain', 'uncertain', 'done']);
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  });

  test('a 504 on the settings leaves no deployment half done: they come before what is on the air (workers-sdk#10435)', async () => {
    const world = await createWorld();
    await world.deploy('t1');
    const script = world.cloudflare.view.script(scriptName);
    script.settings = { ...script.settings, tags: [] };
    world.cloudflare.fail({ step: 'scriptSettings.patch' }, { kind: 'html', status: 504, effect: true });
    await world.submit();
    await world.admit('t2', 2);
    expect(await world.attempt('t2')).toBe('uncertain');
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
    world.clock.advance(60_000);
    expect(await world.settle('t2')).toBe('completed');
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t2');
  });

  test('a version that cannot be read back yet is not a failure (workers-sdk#14410)', async () => {
    const world = await createWorld({ lag: { reads: 3, ms: 8_000, deployments: true } });
    expect(await world.deploy('t1')).toBe('completed');
    expect(world.recorded('t1').filter(({ outcome }) => outcome !== 'done')).toEqual([]);
    expect(world.cloudflare.view.versionsTagged(scriptName, 't1')).toHaveLength(1);
  });

  test('an intermittent 10013 on deployments is looked at, not reported (workers-sdk#8657)', async () => {
    const world = await createWorld();
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'after', status: 500, code: 10013 });
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'before', status: 500, code: 10013 });
    expect(await world.deploy('t1')).toBe('completed');
    expect(await world.deploy('t2')).toBe('completed');
    expect(world.cloudflare.view.script(scriptName).deployments).toHaveLength(3);
  });
});

describe('Secrets that others cannot change', () => {
  const pinned = (version: number) => ({ secrets: [{ name: 'KEY', version, digest: 'd'.repeat(32) }] });

  test('a secret is rotated while the latest version is not the deployed one (workers-sdk#10585)', async () => {
    const world = await createWorld();
    world.secrets.set('KEY@1', 'old').set('KEY@2', 'new');
    await world.deploy('t1', pinned(1));
    world.cloudflare.act.saveVersion(scriptName, 'export default { fetch: () => new Response() };');
    expect(await world.deploy('t2', pinned(2))).toBe('completed');
    expect(world.cloudflare.view.serving(scriptName)?.bindings).toContainEqual({
      ...{ type: 'secret_text', name: 'KEY', text: 'new' },
    });
  });

  test('secrets and variables that a revision does not name are gone (workers-sdk#15342, #10744)', async () => {
    const world = await createWorld();
    world.secrets.set('KEY@1', 'old');
    await world.deploy('t1', pinned(1));
    world.cloudflare.act.editVariable(scriptName, 'BY_HAND', 'x');
    expect(await world.deploy('t2', { variables: { MODE: 'two' } })).toBe('completed');
    expect(world.cloudflare.view.serving(scriptName)?.bindings).toEqual([
      ...[{ type: 'plain_text', name: 'MODE', text: 'two' }],
    ]);
    const uploads = world.cloudflare.requests.filter(({ step }) => step === 'version.create');
    expect(uploads.map(({ query }) => query)).toEqual([{ bindings_inherit: 'strict' }, { bindings_inherit: 'strict' }]);
    expect(JSON.stringify(uploads)).not.toContain('keep_bindings');
  });
});

describe('Domains that others take or lose', () => {
  const live = async () => {
    const world = await createWorld();
    await world.deploy('t1');
    return world;
  };

  test('what is there and identical is success, what differs is a conflict that ends (external-dns#3621, #5898)', async () => {
    const world = await live();
    const { provider, domain } = world;
    await provider.attachDomain(domain('same.example.com'), never);
    expect(await provider.attachDomain(domain('same.example.com'), never)).toMatchObject({ outcome: 'done' });
    world.cloudflare.act.createRecord({ type: 'A', name: 'old.example.com', content: '192.0.2.7' });
    expect(await provider.attachDomain(domain('old.example.com'), never)).toMatchObject({ outcome: 'refused' });
  });

  test('a record that we did not make is not taken over, and the answer names it (external-dns#2410)', async () => {
    const world = await live();
    world.cloudflare.act.createRecord({ type: 'CNAME', name: 'shop.example.com', content: 'shop.example.net' });
    expect(await world.provider.attachDomain(world.domain('shop.example.com'), never)).toMatchObject({
      ...{ outcome: 'refused', code: 'domain_conflict', facts: { owner: 'record CNAME shop.example.net' } },
    });
    expect(world.cloudflare.view.records('example.com')).toMatchObject([
      { type: 'CNAME', content: 'shop.example.net' },
    ]);
  });

  test('who says adopt overrides the record, without a terminal to ask in (workers-sdk#9878)', async () => {
    const world = await live();
    world.cloudflare.act.createRecord({ type: 'A', name: 'shop.example.com', content: '192.0.2.7' });
    expect(await world.provider.attachDomain(world.domain('shop.example.com', true), never)).toMatchObject({
      ...{ outcome: 'done' },
    });
    expect(world.cloudflare.serve('shop.example.com')).toMatchObject({ answered: true, tag: 't1' });
  });

  test('a domain more leaves the others: nothing replaces the whole set (kody#1015)', async () => {
    const world = await live();
    const { provider, domain } = world;
    for (const name of ['a', 'b', 'c']) await provider.attachDomain(domain(`${name}.example.com`), never);
    await provider.detachDomain(domain('b.example.com'), never);
    expect(world.cloudflare.view.domains().map(({ hostname }) => hostname)).toEqual(['a.example.com', 'c.example.com']);
    const paths = world.cloudflare.requests.map(({ method, path }) => `${method} ${path}`);
    expect(paths.filter((path) => /(domains\/(records|changeset)|\/routes)$/.test(path))).toEqual([]);
  });

  test('detaching names the certificate that stays (cloudflare-docs#31644)', async () => {
    const world = await live();
    const { provider, domain, cloudflare } = world;
    await provider.attachDomain(domain('shop.example.com'), never);
    const [attached] = cloudflare.view.domains();
    const detached = await provider.detachDomain(domain('shop.example.com'), never);
    expect(detached).toMatchObject({ outcome: 'done', facts: { certificateId: attached?.certId } });
    expect(detached.detail).toContain(attached?.certId);
    expect(cloudflare.view.records('example.com')).toEqual([]);
    expect([...cloudflare.state.certificates.keys()]).toEqual([attached?.certId]);
  });
});
