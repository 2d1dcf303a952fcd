import { describe, expect, it } from 'vitest';
import { openFences } from '../../../src/platform/edge/workerd/fence.ts';
import {
  answering,
  call,
  deploy,
  never,
  newFolder,
  newScriptName,
  newTicket,
  openNode,
  revisionOf,
  runningPids,
  spinningAtStart,
  until,
} from './support.ts';

describe('fencing', () => {
  it('orders attempts of a ticket by number, and tickets by when they were first seen', async () => {
    const folder = await newFolder();
    const fences = openFences(folder);
    const claim = (ticketId: string, attempt: number) => fences.claim('dw-1', { ticketId, attempt });
    expect([claim('a', 2), claim('a', 2), claim('a', 1), claim('a', 3), claim('a', 2)]).toEqual([
      true,
      true,
      false,
      true,
      false,
    ]);
    expect(fences.holds('dw-1', { ticketId: 'a', attempt: 3 })).toBe(true);
    expect([claim('b', 1), claim('a', 9), claim('b', 1)]).toEqual([true, false, true]);
    const reopened = openFences(folder);
    expect(reopened.claim('dw-1', { ticketId: 'a', attempt: 9 })).toBe(false);
    expect(reopened.claim('dw-2', { ticketId: 'a', attempt: 9 })).toBe(true);
  });

  it('lets no older attempt abandon what a newer one has prepared', async () => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, answering('hello'));
    const token = newTicket(2);
    await node.provider.perform('start', spec, token, never);
    await node.provider.abandon(spec, { ...token, attempt: 1 });
    expect(await node.provider.probe('start', spec, newTicket(), never)).toMatchObject({ outcome: 'done' });
    await node.provider.abandon(spec, token);
    expect(await node.provider.probe('start', spec, newTicket(), never)).toMatchObject({ outcome: 'retry' });
  });

  it('refuses a lower attempt of the same ticket once a higher one has acted', async () => {
    const node = await openNode();
    const script = newScriptName();
    const spec = await revisionOf(node, script, 1, answering('hello'));
    const token = newTicket(2);
    await node.provider.perform('fetch', spec, token, never);
    const late = await node.provider.perform('start', spec, { ...token, attempt: 1 }, never);
    expect(late).toMatchObject({ outcome: 'refused', code: 'LeaseLost' });
    expect(await node.provider.probe('start', spec, newTicket(), never)).toMatchObject({ outcome: 'retry' });
  });

  it('refuses every attempt of a ticket that a newer ticket has followed, and so keeps the newer revision', async () => {
    const node = await openNode();
    const script = newScriptName();
    const [first, second] = [newTicket(), newTicket()];
    const old = await revisionOf(node, script, 1, answering('one'));
    await deploy(node.provider, old, first);
    await deploy(node.provider, await revisionOf(node, script, 2, answering('two')), second);
    expect(await deploy(node.provider, old, { ...first, attempt: 9 })).toMatchObject({
      outcome: 'refused',
      code: 'LeaseLost',
    });
    expect((await call(node.provider, script)).body).toBe('two');
  });

  it('ends the work of a lower attempt where it stands as soon as a higher one comes', async () => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, spinningAtStart);
    const token = newTicket();
    const stuck = node.provider.perform('start', spec, token, never);
    await until('a process was started', () => runningPids(node).length === 1);
    const next = node.provider.perform('fetch', spec, { ...token, attempt: 2 }, never);
    expect(await stuck).toMatchObject({ outcome: 'refused', code: 'LeaseLost' });
    expect(await next).toMatchObject({ outcome: 'done' });
  });

  it('puts nothing on the air once the lease has ended by the clock, though no signal has said so', async () => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, answering('hello'));
    const token = newTicket();
    await node.provider.perform('fetch', spec, token, never);
    await node.provider.perform('start', spec, token, never);
    const late = await node.provider.perform('switch', spec, { ...token, ranOut: () => true }, never);
    expect(late).toMatchObject({ outcome: 'retry' });
    expect(await node.provider.probe('switch', spec, newTicket(), never)).toMatchObject({ outcome: 'retry' });
  });

  it('remembers the highest attempt over a restart', async () => {
    const dataDir = await newFolder();
    const node = await openNode({ dataDir });
    const spec = await revisionOf(node, newScriptName(), 1, answering('hello'));
    const token = newTicket(3);
    await node.provider.perform('fetch', spec, token, never);
    await node.provider.close();
    const { provider } = await openNode({ dataDir });
    const late = await provider.perform('fetch', spec, { ...token, attempt: 2 }, never);
    expect(late).toMatchObject({ outcome: 'refused', code: 'LeaseLost' });
    expect(await provider.perform('fetch', spec, { ...token, attempt: 3 }, never)).toMatchObject({ outcome: 'done' });
  });
});
