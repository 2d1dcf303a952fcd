import { describe, expect, test } from 'vitest';
import { startDomainWorld } from '../support/domainWorld.ts';

const name = 'www.example.com';

const start = () => {
  const world = startDomainWorld();
  return { ...world, sales: world.worker('company-1', 'sales'), rival: world.worker('company-2', 'rival') };
};

describe('A host name', () => {
  test('is attached, verified, detached, and then free for others', async () => {
    const { sales, rival, ...world } = start();
    expect(await world.attach(sales, 'WWW.Example.com.')).toMatchObject({ ok: true, value: { status: 'attaching' } });
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'attached', facts: { id: name } });
    expect(world.scripted.asked).toContain(`verifyDomain ${name}`);
    await world.detach(sales, name);
    expect(await world.attach(rival, name)).toMatchObject({ ok: false, rejection: { rejected: 'DomainTaken' } });
    await world.settle();
    expect(world.outside.size).toBe(0);
    expect(await world.attach(rival, name)).toMatchObject({ ok: true });
  });

  test('of two departments that ask at the same moment one has it, and the other is told', async () => {
    const { sales, rival, ...world } = start();
    const answers = await Promise.all([world.attach(sales, name), world.attach(rival, name)]);
    expect(answers.filter(({ ok }) => ok)).toHaveLength(1);
    expect(answers.find(({ ok }) => !ok)).toMatchObject({ rejection: { rejected: 'DomainTaken' } });
    await world.settle();
    expect(world.made).toEqual([`attach ${name}`]);
  });

  test('that somebody else has outside is refused with its owner, is left as it is, and is free again', async () => {
    const { sales, rival, ...world } = start();
    world.outside.set(name, { scriptName: 'their-site', by: 'them' });
    await world.attach(sales, name);
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'refused', refusal: { owner: 'their-site' } });
    expect(world.outside.get(name)).toEqual({ scriptName: 'their-site', by: 'them' });
    expect(await world.attach(rival, name, true)).toMatchObject({ ok: true });
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'attached', departmentId: 'rival' });
  });

  test('is detached when its worker is retired, and one claimed in that moment is refused', async () => {
    const { sales, ...world } = start();
    await world.attach(sales, name);
    await world.settle();
    await world.attach(sales, 'late.example.com');
    await world.retire(sales);
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'detached' });
    expect(await world.domain('late.example.com')).toMatchObject({ status: expect.stringMatching(/refused|detached/) });
    expect(world.outside.size).toBe(0);
  });

  test('stays taken while the provider does not confirm that it is gone', async () => {
    const { sales, rival, ...world } = start();
    await world.attach(sales, name);
    await world.settle();
    world.scripted.answer(
      'detachDomain',
      ...Array.from({ length: 5 }, () => ({ outcome: 'refused', code: 'forbidden', detail: 'no rights' }) as const),
      { outcome: 'uncertain', detail: 'no answer' },
    );
    await world.detach(sales, name);
    await world.settle(3).catch(() => undefined);
    expect(await world.attach(rival, name)).toMatchObject({ ok: false, rejection: { rejected: 'DomainTaken' } });
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'detached' });
  });

  test('that is detached while nobody knows whether it was attached is looked at and cleaned up', async () => {
    const { sales, ...world } = start();
    world.scripted.answer('attachDomain', async () => {
      world.outside.set(name, { scriptName: 'dw', by: Object(await world.attach(sales, name)).value.domainId });
      await world.detach(sales, name);
      return { outcome: 'uncertain', detail: 'no answer' };
    });
    await world.attach(sales, name);
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'detached' });
    expect(world.outside.size).toBe(0);
  });

  test('whose attachment does not succeed in its attempts is refused, not stuck', async () => {
    const { sales, ...world } = start();
    const busy = Array.from({ length: 20 }, () => ({ outcome: 'retry', detail: 'busy' }) as const);
    world.scripted.answer('attachDomain', ...busy);
    await world.attach(sales, name);
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'refused', refusal: { code: 'attempts_exhausted' } });
  });

  test('that does not lead to the worker is recorded as not verified, and stays attached', async () => {
    const { sales, ...world } = start();
    world.scripted.answer('verifyDomain', { outcome: 'refused', code: 'another_script', detail: 'dw-2 answers' });
    await world.attach(sales, name);
    await world.settle();
    expect(await world.domain(name)).toMatchObject({ status: 'attached' });
    expect(world.log.events.map(({ type }) => type)).toContain('DomainVerificationFailed');
  });
});

describe('A process that dies', () => {
  test.each(['before', 'after'] as const)(
    '%s any of its appends has attached and detached the name all the same, each once',
    async (when) => {
      for (let at = 1, crashed = true; crashed; at += 1) {
        const { sales, ...world } = start();
        await world.attach(sales, name);
        crashed = await world.crash(at, when);
        await world.settle();
        expect(await world.domain(name), `attaching, append ${at}`).toMatchObject({ status: 'attached' });
        expect(world.made).toEqual([`attach ${name}`]);
        await world.detach(sales, name);
        const again = await world.crash(at, when);
        await world.settle();
        expect(await world.domain(name), `detaching, append ${at}`).toMatchObject({ status: 'detached' });
        expect(world.made).toEqual([`attach ${name}`, `detach ${name}`]);
        crashed ||= again;
        expect(at).toBeLessThan(40);
      }
    },
  );
});
