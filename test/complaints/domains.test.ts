import { describe, expect, test } from 'vitest';
import { startDomainWorld } from '../support/domainWorld.ts';

// What users of other platforms complain about where host names are concerned, each as the rule that keeps it from happening.

const start = () => {
  const world = startDomainWorld();
  return { ...world, sales: world.worker('company-1', 'sales'), support: world.worker('company-1', 'support') };
};

const production = 'shop.example.com';

describe('What is there already', () => {
  test('and is what was wanted is success, at once and without an endless retry', async () => {
    const { sales, ...world } = start();
    const claimed = await world.attach(sales, production);
    const domainId = claimed.ok ? claimed.value.domainId : '';
    // An attempt that nobody heard the end of has made it.
    world.outside.set(production, { scriptName: 'dw', by: domainId });
    await world.settle();
    expect(await world.domain(production)).toMatchObject({ status: 'attached' });
    expect(world.made).toEqual([]);
    expect(world.scripted.asked.filter((asked) => asked.startsWith('attachDomain'))).toHaveLength(1);
  });

  test('and is somebody else’s is a conflict that names them, ends at once, and takes nothing over', async () => {
    const { sales, ...world } = start();
    const theirs = { scriptName: 'their-site', by: 'them' };
    world.outside.set(production, theirs);
    await world.attach(sales, production);
    await world.settle();
    expect(await world.domain(production)).toMatchObject({
      ...{ status: 'refused', refusal: { code: 'domain_conflict', owner: 'their-site' } },
    });
    expect(world.outside.get(production)).toEqual(theirs);
    expect(world.scripted.asked.filter((asked) => asked.startsWith('attachDomain'))).toHaveLength(1);
  });

  test('is taken over when the request says so, which needs nobody at a terminal', async () => {
    const { sales, ...world } = start();
    world.outside.set(production, { scriptName: 'their-site', by: 'them' });
    await world.attach(sales, production, true);
    await world.settle();
    expect(await world.domain(production)).toMatchObject({ status: 'attached', adopt: true });
  });

  test('and was not made here is not removed when the name is given back', async () => {
    const { sales, ...world } = start();
    await world.attach(sales, production);
    await world.settle();
    const theirs = { scriptName: 'their-site', by: 'them' };
    world.outside.set(production, theirs);
    await world.detach(sales, production);
    await world.settle();
    expect(world.outside.get(production)).toEqual(theirs);
  });
});

describe('Publishing one name', () => {
  test('never detaches another: there is no list that replaces the whole', async () => {
    const { sales, ...world } = start();
    for (const name of [production, 'staging.example.com', 'docs.example.com']) {
      await world.attach(sales, name);
      await world.settle();
    }
    expect([...world.outside.keys()]).toEqual([production, 'staging.example.com', 'docs.example.com']);
    await world.detach(sales, 'docs.example.com');
    await world.settle();
    expect([...world.outside.keys()]).toEqual([production, 'staging.example.com']);
    expect(world.made.filter((what) => what.startsWith('detach'))).toEqual(['detach docs.example.com']);
  });
});

describe('A duplicate', () => {
  test('is found however the name is written, and the scope of uniqueness is said', async () => {
    const { sales, support, ...world } = start();
    const foreign = world.worker('company-2', 'foreign');
    await world.attach(sales, 'bücher.example.com');
    for (const spelling of ['xn--bcher-kva.example.com', 'BÜCHER.example.com', 'bücher.example.com.']) {
      expect(await world.attach(support, spelling)).toMatchObject({
        ok: false,
        rejection: { rejected: 'DomainTaken', reason: expect.stringContaining('another department of this workspace') },
      });
      expect(await world.attach(foreign, spelling)).toMatchObject({
        ok: false,
        rejection: { reason: expect.stringContaining('another workspace of this installation') },
      });
    }
  });

  test('is not seen where there is none: the owner again, a name below, a name that was given back', async () => {
    const { sales, support, ...world } = start();
    await world.attach(sales, production);
    expect(await world.attach(sales, production)).toMatchObject({ ok: true });
    expect(await world.attach(support, `eu.${production}`)).toMatchObject({ ok: true });
    await world.settle();
    await world.detach(sales, production);
    await world.settle();
    expect(await world.attach(support, production)).toMatchObject({ ok: true });
  });
});
