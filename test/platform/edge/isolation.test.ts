import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { call, deploy, newScriptName, openNode, revisionOf, runningPids, type TestNode, until } from './support.ts';

const source = `
const kept = [];
export default { async fetch(request) {
  const { pathname } = new URL(request.url);
  if (pathname === '/spin') while (true) {}
  if (pathname === '/hog') while (true) kept.push(new Array(100_000).fill(Math.random()));
  if (pathname === '/buffers') while (true) { kept.push(new Uint8Array(8 * 1024 * 1024).fill(1)); await 0; }
  return new Response('fine');
} };`;

const limits = {
  heapMiB: 64,
  residentBytes: 256 * 1024 * 1024,
  probeIntervalMs: 100,
  probeDeadlineMs: 800,
  restartBackoff: { firstMs: 20, ceilingMs: 200, stableAfterMs: 60_000 },
};

const twoDepartments = async (): Promise<{ node: TestNode; bad: string; good: string }> => {
  const node = await openNode({ limits });
  const [bad, good] = [newScriptName(), newScriptName()];
  for (const script of [bad, good]) {
    expect(await deploy(node.provider, await revisionOf(node, script, 1, source))).toMatchObject({ outcome: 'done' });
  }
  return { node, bad, good };
};

describe('a department that misbehaves', () => {
  it.each(['/spin', '/hog', '/buffers'])('by %s hurts only itself, and is back soon after', async (path) => {
    const { node, bad, good } = await twoDepartments();
    const { provider, transitions } = node;
    const restarted = () => transitions.some(({ scriptName, to }) => scriptName === bad && to === 'restarting');
    const misdeed = call(provider, bad, path, { timeoutMs: 20_000 }).then(
      ({ status }) => status,
      () => 502,
    );
    let others = 0;
    await until('its process is taken away', async () => {
      expect(await call(provider, good)).toMatchObject({ status: 200, body: 'fine' });
      others += 1;
      return restarted();
    });
    expect(others).toBeGreaterThan(1);
    expect(await misdeed).toBeGreaterThanOrEqual(500);
    await until('it serves again', async () => (await call(provider, bad)).status === 200);
    expect(transitions.some(({ scriptName, to }) => scriptName === good && to === 'restarting')).toBe(false);
  });

  it('is killed for the memory it holds outside the heap, above what its node allows', async () => {
    const node = await openNode({ limits: { ...limits, heapMiB: 2_048, residentBytes: 160 * 1024 * 1024 } });
    const script = newScriptName();
    const holding = `const kept = []; export default { fetch() {
      for (let i = 0; i < 25; i += 1) kept.push(new Uint8Array(8 * 1024 * 1024).fill(1));
      return new Response('held');
    } };`;
    await deploy(node.provider, await revisionOf(node, script, 1, holding));
    // It may be killed before or after it has answered.
    await call(node.provider, script);
    await until('it is killed', () => node.transitions.some(({ to }) => to === 'restarting'));
    expect(node.transitions.find(({ to }) => to === 'restarting')?.reason).toMatch(/^resident memory \d+ bytes above/);
  });

  it('is started again ever more slowly while it keeps dying, and answers 503 in between', async () => {
    const node = await openNode({
      limits: { ...limits, restartBackoff: { firstMs: 100, ceilingMs: 400, stableAfterMs: 60_000 } },
    });
    const { provider, transitions } = node;
    const script = newScriptName();
    await deploy(provider, await revisionOf(node, script, 1, source));
    const pauses: number[] = [];
    for (let death = 1; death <= 4; death += 1) {
      await until('it is up', () => transitions.filter(({ to }) => to === 'ready').length === death);
      for (const pid of runningPids(node)) process.kill(pid, 'SIGKILL');
      await until('it is down', () => transitions.filter(({ to }) => to === 'restarting').length === death);
      const down = await call(provider, script);
      expect(down).toMatchObject({ status: 503, headers: { 'retry-after': '1' } });
    }
    await until('it is up at last', () => transitions.filter(({ to }) => to === 'ready').length === 5);
    for (const [index, { to, at }] of transitions.entries()) {
      if (to === 'restarting') pauses.push((transitions[index + 1]?.at ?? at) - at);
    }
    expect(pauses.map((pause, death) => pause >= Math.min(400, 100 * 2 ** death) - 5)).toEqual([
      true,
      true,
      true,
      true,
    ]);
    expect(pauses[3]).toBeLessThan(2_000);
  });
});

describe('a worker', () => {
  it('reaches neither the network, nor the disk, nor the environment', async () => {
    const node = await openNode();
    const script = newScriptName();
    const port = new URL(node.provider.url(script)).port;
    const spec = await revisionOf(
      node,
      script,
      1,
      `import fs from 'node:fs'; import { connect } from 'cloudflare:sockets';
      const attempt = async (work) => { try { return String(await work()); } catch { return 'denied'; } };
      export default { async fetch(request, env) { return Response.json({
        fetch: await attempt(() => fetch('http://127.0.0.1:${port}/').then((r) => r.status)),
        socket: await attempt(() => connect('127.0.0.1:${port}').opened),
        disk: await attempt(() => fs.readFileSync('/etc/passwd', 'utf8')),
        environment: Object.keys(process.env).concat(Object.keys(env)),
      }); } };`,
      { compatibilityFlags: ['nodejs_compat'], variables: { ONLY: 'this' } },
    );
    expect(await deploy(node.provider, spec)).toMatchObject({ outcome: 'done' });
    const seen: { environment: string[] } = JSON.parse((await call(node.provider, script)).body);
    expect(seen).toMatchObject({ fetch: 'denied', socket: 'denied', disk: 'denied' });
    expect(new Set(seen.environment)).toEqual(new Set(['ONLY']));
  });

  it('leaves no variable on the disk once its process is up', async () => {
    const node = await openNode();
    await deploy(
      node.provider,
      await revisionOf(node, newScriptName(), 1, source, { variables: { KEY: 'secret-value' } }),
    );
    const runs = join(node.dataDir, 'node', 'run');
    const files = readdirSync(runs, { recursive: true }).map(String);
    expect(files.some((name) => name.endsWith('pid'))).toBe(true);
    expect(files.filter((name) => name.endsWith('.capnp'))).toEqual([]);
  });
});
