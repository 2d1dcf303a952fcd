import { describe, expect, test } from 'vitest';
import { createWorld, never, scriptName } from './world.ts';

const live = async () => {
  const world = await createWorld({ zones: [{ name: 'example.com' }, { name: 'eu.example.com' }] });
  await world.deploy('t1');
  const { provider, domain } = world;
  return {
    ...world,
    attach: (hostname: string, adopt = false) => provider.attachDomain(domain(hostname, adopt), never),
    verify: (hostname: string) => provider.verifyDomain(domain(hostname), never),
    detach: (hostname: string) => provider.detachDomain(domain(hostname), never),
  };
};

describe('A domain', () => {
  test('is attached in the zone with the longest name that fits, and says what was made for it', async () => {
    const world = await live();
    const attached = await world.attach('shop.eu.example.com');
    const [domain] = world.cloudflare.view.domains();
    expect(attached).toMatchObject({
      outcome: 'done',
      facts: { cloudflareDomainId: domain?.id, zone: 'eu.example.com', certificateId: domain?.certId },
    });
    expect(world.cloudflare.serve('shop.eu.example.com')).toMatchObject({ answered: true, tag: 't1' });
    expect(await world.verify('shop.eu.example.com')).toMatchObject({ outcome: 'done' });
  });

  test('attached again is done without a write, in whatever case the name is written', async () => {
    const world = await live();
    await world.attach('shop.example.com');
    expect(await world.attach('Shop.Example.com')).toMatchObject({ outcome: 'done', detail: 'attached already' });
    expect(world.asked('domain.put')).toBe(1);
  });

  test('a host in no zone of the account is refused, with a way out', async () => {
    const world = await live();
    const refused = await world.attach('shop.example.org');
    expect(refused).toMatchObject({ outcome: 'refused', code: 'zone_missing' });
    expect(refused.detail).toContain('Add the zone');
  });

  test('that another worker has is a conflict that names it; with adopt it moves', async () => {
    const world = await live();
    world.cloudflare.act.uploadScript('shop');
    await attachByHand(world, 'shop.example.com', 'shop');
    expect(await world.attach('shop.example.com')).toMatchObject({
      ...{ outcome: 'refused', code: 'domain_conflict', facts: { owner: 'worker shop' } },
    });
    expect(await world.verify('shop.example.com')).toMatchObject({ outcome: 'refused', code: 'domain_conflict' });
    expect(world.asked('domain.put')).toBe(1);
    expect(await world.attach('shop.example.com', true)).toMatchObject({ outcome: 'done' });
    expect(world.cloudflare.view.domains()).toMatchObject([{ service: scriptName }]);
  });

  test('of another worker of this platform is not taken over, even with adopt', async () => {
    const world = await live();
    const colleague = `dw-${'f'.repeat(48)}`;
    world.cloudflare.act.uploadScript(colleague);
    await attachByHand(world, 'shop.example.com', colleague);
    expect(await world.attach('shop.example.com', true)).toMatchObject({ outcome: 'refused', code: 'domain_conflict' });
    expect(world.cloudflare.view.domains()).toMatchObject([{ service: colleague }]);
  });

  test('before the first deployment is refused: there is no script that it could lead to', async () => {
    const world = await createWorld();
    const refused = await world.provider.attachDomain(world.domain('shop.example.com'), never);
    expect(refused).toMatchObject({ outcome: 'refused', code: 'worker_not_deployed' });
  });

  test('that is not attached is not verified yet, and detached already', async () => {
    const world = await live();
    expect(await world.verify('shop.example.com')).toMatchObject({ outcome: 'retry' });
    expect(await world.detach('shop.example.com')).toMatchObject({ outcome: 'done', detail: 'not attached' });
  });

  test('is detached only from this worker; what points elsewhere is left alone and named', async () => {
    const world = await live();
    world.cloudflare.act.uploadScript('shop');
    await attachByHand(world, 'shop.example.com', 'shop');
    expect(await world.detach('shop.example.com')).toMatchObject({ outcome: 'done', facts: { owner: 'worker shop' } });
    expect(world.cloudflare.view.domains()).toMatchObject([{ service: 'shop' }]);
    expect(world.asked('domain.delete')).toBe(0);
  });

  test('a lost answer to attaching is uncertain, and trying again finds it attached', async () => {
    const world = await live();
    world.cloudflare.fail({ step: 'domain.put' }, { kind: 'lose', effect: true });
    expect(await world.attach('a.example.com')).toMatchObject({ outcome: 'uncertain' });
    expect(await world.attach('a.example.com')).toMatchObject({ outcome: 'done', detail: 'attached already' });
    expect(world.cloudflare.view.records('example.com')).toHaveLength(1);
  });

  test('a lost answer to detaching is uncertain, and trying again finds it gone', async () => {
    const world = await live();
    await world.attach('a.example.com');
    world.cloudflare.fail({ step: 'domain.delete' }, { kind: 'html', status: 522, effect: true });
    expect(await world.detach('a.example.com')).toMatchObject({ outcome: 'uncertain' });
    expect(await world.detach('a.example.com')).toMatchObject({ outcome: 'done', detail: 'not attached' });
    expect(world.cloudflare.view.records('example.com')).toEqual([]);
  });
});

/** As a person does it, with a request of his own. */
const attachByHand = async (world: Awaited<ReturnType<typeof live>>, hostname: string, service: string) => {
  const { baseUrl, accountId, token } = world.cloudflare;
  const response = await fetch(`${baseUrl}/accounts/${accountId}/workers/domains`, {
    method: 'PUT',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify({ hostname, service, zone_name: 'example.com' }),
  });
  expect(response.status).toBe(200);
};
