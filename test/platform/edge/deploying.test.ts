import { describe, expect, it } from 'vitest';
import {
  answering,
  call,
  deploy,
  isAlive,
  never,
  newScriptName,
  newTicket,
  openNode,
  revisionOf,
  runningPids,
  spinningAtStart,
  until,
} from './support.ts';

const tomorrow = (): string => new Date(Date.now() + 400 * 86_400_000).toISOString().slice(0, 10);

describe('a deployment', () => {
  it('makes the bundle answer HTTP at the host of its script', async () => {
    const node = await openNode();
    const script = newScriptName();
    const spec = await revisionOf(node, script, 1, answering('hello'));
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done', step: 'drain' });
    expect(await call(node.provider, script)).toMatchObject({ status: 200, body: 'hello' });
    expect(node.provider.running()).toEqual([
      { scriptName: script, revision: 1, bundleDigest: spec.bundleDigest, state: 'ready' },
    ]);
  });

  it('shows nothing of a new revision to the world before the switch', async () => {
    const node = await openNode();
    const { provider } = node;
    const script = newScriptName();
    await deploy(provider, await revisionOf(node, script, 1, answering('one')));
    const second = await revisionOf(node, script, 2, answering('two'));
    const token = newTicket();
    for (const step of ['fetch', 'start', 'probe']) {
      expect(provider.isPublic(step, [])).toBe(false);
      expect(await provider.perform(step, second, token, never)).toMatchObject({ outcome: 'done' });
      expect((await call(provider, script)).body).toBe('one');
    }
    expect(provider.isPublic('switch', ['fetch', 'start', 'probe'])).toBe(true);
    await provider.perform('switch', second, token, never);
    expect((await call(provider, script)).body).toBe('two');
  });

  it('recognises every step that is performed again, and starts no second process', async () => {
    const node = await openNode();
    const script = newScriptName();
    const spec = await revisionOf(node, script, 1, answering('hello'));
    const token = newTicket();
    await deploy(node.provider, spec, token);
    const before = node.transitions.length;
    expect(await deploy(node.provider, spec, token)).toMatchObject({ outcome: 'done' });
    expect(node.transitions.length).toBe(before);
  });

  it('tells by looking which steps have taken effect', async () => {
    const node = await openNode();
    const { provider } = node;
    const spec = await revisionOf(node, newScriptName(), 1, answering('hello'));
    const looks = async () =>
      Promise.all(provider.steps.map(async (step) => (await provider.probe(step, spec, newTicket(), never)).outcome));
    expect(await looks()).toEqual(Array(6).fill('retry'));
    const token = newTicket();
    await provider.perform('fetch', spec, token, never);
    expect((await looks()).slice(0, 2)).toEqual(['done', 'retry']);
    await provider.perform('start', spec, token, never);
    expect(await looks()).toEqual(['done', 'done', 'done', 'retry', 'retry', 'retry']);
    await deploy(provider, spec, token);
    expect(await looks()).toEqual(Array(6).fill('done'));
  });

  it('performs a later step on a node that lost its processes by doing again what precedes it', async () => {
    const node = await openNode();
    const script = newScriptName();
    const spec = await revisionOf(node, script, 1, answering('hello'));
    expect(await node.provider.perform('verify', spec, newTicket(), never)).toMatchObject({ outcome: 'done' });
    expect((await call(node.provider, script)).body).toBe('hello');
  });

  it('drops the prepared process of a cancelled deployment and leaves the revision on the air alone', async () => {
    const node = await openNode();
    const { provider } = node;
    const script = newScriptName();
    const first = await revisionOf(node, script, 1, answering('one'));
    await deploy(provider, first);
    const second = await revisionOf(node, script, 2, answering('two'));
    const token = newTicket();
    await provider.perform('start', second, token, never);
    await provider.abandon(second, token);
    await provider.abandon(first, token);
    expect(await provider.probe('start', second, newTicket(), never)).toMatchObject({ outcome: 'retry' });
    expect((await call(provider, script)).body).toBe('one');
  });

  it('ends a prepared process whose ticket never comes back for it', async () => {
    const node = await openNode({ limits: { candidateMs: 50 } });
    const spec = await revisionOf(node, newScriptName(), 1, answering('one'));
    await node.provider.perform('start', spec, newTicket(), never);
    await until('the candidate is gone', () => runningPids(node).length === 0);
    expect(await node.provider.perform('switch', spec, newTicket(), never)).toMatchObject({ outcome: 'done' });
  });

  it('ends a start that is cancelled and leaves no process behind', async () => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, spinningAtStart);
    const cancelled = new AbortController();
    const outcome = node.provider.perform('start', spec, newTicket(), cancelled.signal);
    await until('a process was started', () => runningPids(node).length === 1);
    const [pid = 0] = runningPids(node);
    cancelled.abort();
    expect(await outcome).toMatchObject({ outcome: 'retry' });
    expect(await node.provider.probe('start', spec, newTicket(), never)).toMatchObject({ outcome: 'retry' });
    expect(isAlive(pid)).toBe(false);
  });
});

describe('a bundle that cannot run', () => {
  const bad: readonly (readonly [string, string, string, RegExp])[] = [
    [
      'throws at its top level',
      'throw new Error("boom at start"); export default {};',
      'WorkerStartFailed',
      /boom at start/,
    ],
    ['does not parse', 'export default { fetch(', 'WorkerStartFailed', /SyntaxError/],
    ['imports what is not there', 'import "nope"; export default {}', 'WorkerStartFailed', /No such module "nope"/],
    ['has no default export', 'export const a = () => 1;', 'WorkerHandlerMissing', /no default export/],
    ['has no fetch handler', 'export default { scheduled() {} };', 'WorkerHandlerMissing', /no fetch handler/],
    [
      'exports a class the runtime cannot call',
      'export default class { fetch() {} }',
      'WorkerHandlerMissing',
      /no fetch handler/,
    ],
  ];

  it.each(bad)('is refused with the reason when it %s, and the revision before goes on serving', async (...each) => {
    const [, source, code, reason] = each;
    const node = await openNode();
    const script = newScriptName();
    await deploy(node.provider, await revisionOf(node, script, 1, answering('one')));
    const outcome = await deploy(node.provider, await revisionOf(node, script, 2, source));
    expect(outcome).toMatchObject({ outcome: 'refused', code });
    expect('detail' in outcome && outcome.detail).toMatch(reason);
    expect((await call(node.provider, script)).body).toBe('one');
  });

  it('is refused when its top-level code never ends', async () => {
    const node = await openNode({ limits: { startTimeoutMs: 400 } });
    const spec = await revisionOf(node, newScriptName(), 1, spinningAtStart);
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'refused', code: 'WorkerStartTimedOut' });
  });

  it('is refused when it is not in the store, or is damaged there', async () => {
    const node = await openNode();
    const spec = await revisionOf(node, newScriptName(), 1, answering('x'), { bundleDigest: 'ab'.repeat(32) });
    expect(await deploy(node.provider, spec)).toMatchObject({
      outcome: 'refused',
      code: 'BundleMissing',
      step: 'fetch',
    });
    const damaged = { ...node.artifacts, get: async () => Buffer.from('something else') };
    const other = await openNode({ artifacts: damaged });
    expect(await deploy(other.provider, spec)).toMatchObject({ outcome: 'refused', code: 'BundleCorrupt' });
  });

  it('is tried again later when the store cannot be reached', async () => {
    const node = await openNode();
    const away = { ...node.artifacts, get: () => Promise.reject(new Error('store away')) };
    const other = await openNode({ artifacts: away });
    const spec = await revisionOf(node, newScriptName(), 1, answering('x'));
    expect(await deploy(other.provider, spec)).toMatchObject({ outcome: 'retry', detail: 'store away' });
  });

  it('is refused by code when it asks for a compatibility date or flag that this runtime does not have', async () => {
    const node = await openNode();
    const from = (more: object) => revisionOf(node, newScriptName(), 1, answering('x'), more);
    expect(await deploy(node.provider, await from({ compatibilityDate: tomorrow() }))).toMatchObject({
      outcome: 'refused',
      code: 'CompatibilityDateUnsupported',
    });
    expect(await deploy(node.provider, await from({ compatibilityFlags: ['no_such_flag'] }))).toMatchObject({
      outcome: 'refused',
      code: 'CompatibilityFlagUnsupported',
    });
  });

  it('is refused without showing the values of its variables or the folders of the node', async () => {
    const node = await openNode();
    const source = 'throw new Error("cannot use " + (await import("cloudflare:workers")).env.KEY);';
    const spec = await revisionOf(node, newScriptName(), 1, `${source} export default {};`, {
      variables: { KEY: 'tiger-lily-9000' },
    });
    const outcome = await deploy(node.provider, spec);
    expect(outcome).toMatchObject({ outcome: 'refused', code: 'WorkerStartFailed' });
    const seen = JSON.stringify([outcome, node.lines]);
    expect(seen).toContain('cannot use ***');
    expect(seen).not.toContain('tiger-lily-9000');
    expect(seen).not.toContain(node.dataDir);
  });

  it('is rolled back when it dies right after the switch', async () => {
    const node = await openNode({
      limits: { restartBackoff: { firstMs: 5_000, ceilingMs: 5_000, stableAfterMs: 60_000 } },
    });
    const { provider, transitions } = node;
    const script = newScriptName();
    await deploy(provider, await revisionOf(node, script, 1, answering('one')));
    const second = await revisionOf(node, script, 2, answering('two'));
    const token = newTicket();
    for (const step of ['fetch', 'start', 'probe', 'switch']) await provider.perform(step, second, token, never);
    const pid = /process (\d+)/.exec(transitions.findLast(({ revision }) => revision === 2)?.reason ?? '')?.[1];
    process.kill(Number(pid), 'SIGKILL');
    await until('the death is noticed', () => transitions.some(({ to }) => to === 'restarting'));
    expect(await provider.perform('verify', second, token, never)).toMatchObject({
      outcome: 'refused',
      code: 'VerificationFailed',
    });
    expect((await call(provider, script)).body).toBe('one');
  });
});
