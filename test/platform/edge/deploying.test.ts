import { describe, expect, it } from 'vitest';
import { answering, call, deploy, newScriptName, openNode, revisionOf } from './support.ts';

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
});
