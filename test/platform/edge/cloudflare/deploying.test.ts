import { describe, expect, test } from 'vitest';
import { ownTag, pausedTag } from '../../../../src/platform/edge/cloudflare/names.ts';
import { stepNames } from '../../../../src/platform/edge/cloudflare/steps/index.ts';
import { createWorld, gate, scriptName } from './world.ts';

describe('Deploying to Cloudflare', () => {
  test('makes the script behind a 503, uploads a version with the ticket as its tag, and puts it on the air', async () => {
    const world = await createWorld({ workersSubdomain: 'acme' });
    world.secrets.set('KEY@3', 'swordfish');
    const secrets = [{ name: 'KEY', version: 3, digest: 'd'.repeat(32) }];
    const schedules = [{ cron: '0 9 * * 1-5', timeZone: 'UTC' }];
    expect(await world.deploy('t1', { secrets, schedules, compatibilityFlags: ['nodejs_compat'] })).toBe('completed');

    const { view } = world.cloudflare;
    const [stub, version, ...more] = view.script(scriptName).versions;
    expect(more).toEqual([]);
    expect(stub?.annotations).toEqual({ 'workers/tag': pausedTag });
    expect(version).toMatchObject({
      annotations: {
        'workers/tag': 't1',
        'workers/message': expect.stringMatching(/^opslog revision=1 version=version-1 /),
      },
      compatibilityDate: '2026-01-01',
      compatibilityFlags: ['nodejs_compat'],
    });
    expect(view.serving(scriptName)?.id).toBe(version?.id);
    expect(view.activeDeployment(scriptName)?.annotations['workers/message']).toBe('t1');
    expect(view.secrets(scriptName)).toEqual({ KEY: 'swordfish' });
    expect(view.variables(scriptName)).toEqual({ GREETING: 'hello' });
    expect(view.crons(scriptName)).toEqual(['0 9 * * MON,TUE,WED,THU,FRI']);
    expect(view.script(scriptName).subdomain).toEqual({ enabled: true, previewsEnabled: false });
    expect(view.script(scriptName).settings).toMatchObject({ observability: { enabled: true } });
    expect(world.recorded('t1').map(({ step }) => step)).toEqual([...stepNames]);
  });

  test('names the tenant in the tags by digests alone, and leaves the tags of others', async () => {
    const world = await createWorld();
    await world.deploy('t1');
    const script = world.cloudflare.view.script(scriptName);
    expect(script.settings.tags).toEqual([
      ownTag,
      expect.stringMatching(/^opslog-ws-[0-9a-f]{16}$/),
      expect.stringMatching(/^opslog-dept-[0-9a-f]{16}$/),
    ]);
    script.settings = { ...script.settings, tags: ['cost-centre-7'] };
    expect(await world.deploy('t2')).toBe('completed');
    expect(world.cloudflare.view.script(scriptName).settings.tags).toEqual([
      ...[ownTag, expect.anything(), expect.anything(), 'cost-centre-7'],
    ]);
  });

  test('a deployment says where its worker is reached: below workers.dev, or nowhere before it has a domain', async () => {
    const accounts = [{ id: 'a'.repeat(32), workersDevSubdomain: 'acme' }];
    const named = await createWorld({ accounts, workersSubdomain: 'acme' });
    const url = named.provider.url(scriptName);
    expect(url).toBe(`https://${scriptName}.acme.workers.dev`);
    await named.deploy('t1');
    expect(named.cloudflare.serve(new URL(url).host)).toMatchObject({ answered: true, tag: 't1' });
    const unnamed = await createWorld();
    expect(unnamed.provider.url(scriptName)).toBe('');
    await unnamed.deploy('t1');
    expect(unnamed.asked('subdomain.post')).toBe(0);
  });

  test('the scope of an account shows nothing of it', async () => {
    const { provider, cloudflare } = await createWorld();
    expect(provider.scope).toMatch(/^cloud:[0-9a-f]{12}$/);
    expect(cloudflare.accountId).not.toContain(provider.scope.slice(6));
  });

  test('the next revision replaces the one before, and schedules that it does not have are gone', async () => {
    const world = await createWorld();
    await world.deploy('t1', { schedules: [{ cron: '*/5 * * * *', timeZone: 'UTC' }] });
    expect(await world.deploy('t2')).toBe('completed');
    const { view } = world.cloudflare;
    expect(view.serving(scriptName)?.annotations['workers/tag']).toBe('t2');
    expect(view.crons(scriptName)).toEqual([]);
    expect(world.asked('script.upload')).toBe(1);
  });

  test('a rollback is a new version of the old content, secrets included', async () => {
    const world = await createWorld();
    world.secrets.set('KEY@1', 'old').set('KEY@2', 'new');
    const secret = (version: number) => [{ name: 'KEY', version, digest: 'd'.repeat(32) }];
    await world.deploy('t1', { secrets: secret(1), variables: { MODE: 'one' } });
    await world.deploy('t2', { secrets: secret(2), variables: { MODE: 'two' } });
    await world.admit('t3', 1, 'rollback');
    expect(await world.settle('t3')).toBe('completed');
    const { view } = world.cloudflare;
    expect(view.serving(scriptName)?.annotations['workers/tag']).toBe('t3');
    expect(view.secrets(scriptName)).toEqual({ KEY: 'old' });
    expect(view.variables(scriptName)).toEqual({ MODE: 'one' });
  });

  test('a deployment of a script that is there costs seven reads and two writes at most', async () => {
    const world = await createWorld();
    await world.deploy('t1');
    const before = world.cloudflare.requests.length;
    await world.deploy('t2');
    const made = world.cloudflare.requests.slice(before);
    expect(made.filter(({ method }) => method !== 'GET').map(({ step }) => step)).toEqual([
      ...['version.create', 'deployment.create'],
    ]);
    expect(made.filter(({ method }) => method === 'GET').length).toBeLessThanOrEqual(7);
  });

  test('a deployment that never reached the air is cancelled; its version takes no requests', async () => {
    const world = await createWorld();
    await world.deploy('t1');
    await world.submit();
    await world.admit('t2', 2);
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'rateLimit', retryAfter: 50 });
    expect(await world.attempt('t2')).toBe('pending');
    expect(world.cloudflare.view.versionsTagged(scriptName, 't2')).toHaveLength(1);
    await world.tell('cancel', { type: 'RequestDeploymentCancel', data: { ticketId: 't2', giveUp: false } });
    world.clock.advance(60_000);
    await world.settle('t2');
    expect((await world.state()).ticket).toMatchObject({ status: 'cancelled' });
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  });

  test('what has gone public is not cancelled any more, however many attempts begin from the start', async () => {
    const world = await createWorld();
    await world.submit();
    await world.admit('t1', 1);
    world.cloudflare.fail({ step: 'schedule.get' }, { kind: 'before', status: 503, code: 10013 });
    expect(await world.attempt('t1')).toBe('uncertain');
    await world.tell('cancel', { type: 'RequestDeploymentCancel', data: { ticketId: 't1', giveUp: false } });
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('completed');
  });

  test('what may have gone public is looked at before it is cancelled', async () => {
    const world = await createWorld();
    await world.submit();
    await world.admit('t1', 1);
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'lose', effect: true });
    expect(await world.attempt('t1')).toBe('uncertain');
    const away = world.cloudflare.fail({ method: 'GET' }, { kind: 'html', status: 502, effect: false }, 10_000);
    world.clock.advance(60_000);
    expect(await world.attempt('t1')).toBe('uncertain');
    away.cancel();
    await world.tell('cancel', { type: 'RequestDeploymentCancel', data: { ticketId: 't1', giveUp: false } });
    world.clock.advance(60_000);
    expect(await world.settle('t1')).toBe('completed');
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  });

  test('a runner that dies while it deploys leaves a ticket that is looked at before it is cancelled', async () => {
    const world = await createWorld();
    const { opened, open } = gate();
    world.cloudflare.fail({ step: 'deployment.create' }, { kind: 'delay', until: opened });
    await world.submit();
    await world.admit('t1', 1);
    const stop = new AbortController();
    const dying = world.attempt('t1', stop.signal);
    await expect.poll(() => world.asked('deployment.create')).toBe(1);
    stop.abort();
    open();
    expect(await dying).toBe('lease lost');
    await world.tell('cancel', { type: 'RequestDeploymentCancel', data: { ticketId: 't1', giveUp: false } });
    await expect.poll(() => world.cloudflare.view.script(scriptName).deployments.length).toBe(2);
    expect(await world.settle('t1')).toBe('completed');
    expect(world.cloudflare.view.serving(scriptName)?.annotations['workers/tag']).toBe('t1');
  });
});
