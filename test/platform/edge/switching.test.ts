import { Agent, request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { call, deploy, never, newScriptName, newTicket, openNode, revisionOf, until } from './support.ts';

/** Answers its revision; `/slow` takes half a second and streams its answer in two pieces. */
const revisionSource = (revision: number): string => `
const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
export default {
  async fetch(request) {
    const text = 'revision ${revision}';
    if (new URL(request.url).pathname !== '/slow') return new Response(text + ' ' + (await request.text()).length);
    const { readable, writable } = new TransformStream();
    const writer = writable.getWriter();
    const encoder = new TextEncoder();
    (async () => {
      await writer.write(encoder.encode(text));
      await pause(500);
      await writer.write(encoder.encode(' end'));
      await writer.close();
    })();
    return new Response(readable);
  },
};`;

describe('a switch', () => {
  it('fails no request: hundreds per second over five switches, short, slow and with bodies', async () => {
    const node = await openNode();
    const { provider } = node;
    const script = newScriptName();
    await deploy(provider, await revisionOf(node, script, 1, revisionSource(1)));
    const agent = new Agent({ keepAlive: true, maxSockets: 64 });
    const bad: string[] = [];
    const seen = new Set<string>();
    let [count, slow] = [0, 0];
    let over = false;
    const check = (status: number, body: string, pattern: RegExp): void => {
      count += 1;
      seen.add(pattern.exec(body)?.[1] ?? '');
      if (status !== 200 || !pattern.test(body)) bad.push(`${status} ${body}`);
    };
    const shortCalls = async (): Promise<void> => {
      while (!over) {
        const sent = count % 3 === 0 ? { method: 'POST', body: 'x'.repeat(count % 2_000) } : {};
        const answer = await call(provider, script, '/', { ...sent, agent });
        check(answer.status, answer.body, /^revision (\d) \d+$/);
      }
    };
    const slowCalls = async (): Promise<void> => {
      while (!over) {
        const answer = await call(provider, script, '/slow', { agent });
        check(answer.status, answer.body, /^revision (\d) end$/);
        slow += 1;
      }
    };
    const callers = [...Array.from({ length: 6 }, shortCalls), ...Array.from({ length: 4 }, slowCalls)];
    for (const each of callers) each.catch((error: unknown) => bad.push(String(error)));
    for (let revision = 2; revision <= 6; revision += 1) {
      const spec = await revisionOf(node, script, revision, revisionSource(revision));
      expect(await deploy(provider, spec)).toMatchObject({ outcome: 'done' });
    }
    over = true;
    await Promise.allSettled(callers);
    agent.destroy();
    expect(bad).toEqual([]);
    expect([...seen].sort()).toEqual(['1', '2', '3', '4', '5', '6']);
    expect(count).toBeGreaterThan(500);
    expect(slow).toBeGreaterThan(10);
  });

  it('ends the process before only when its last request is answered, and no later than its time', async () => {
    const node = await openNode({ limits: { drainMs: 700 } });
    const { provider } = node;
    const script = newScriptName();
    const hanging = `export default { fetch() { return new Response(new ReadableStream({ start(c) { setInterval(() => c.enqueue(new TextEncoder().encode('begun')), 50); } })); } };`;
    await deploy(provider, await revisionOf(node, script, 1, hanging));
    const url = new URL(provider.url(script));
    const cut = new Promise<string>((resolve, reject) => {
      const outgoing = request({ host: '127.0.0.1', port: url.port, headers: { Host: url.host } });
      outgoing.on('error', reject);
      outgoing.on('response', (response) =>
        response.on('error', () => resolve('cut')).on('data', () => resolve('begun')),
      );
      outgoing.end();
      setTimeout(() => reject(new Error('no answer')), 5_000).unref();
    });
    expect(await cut).toBe('begun');
    const second = await revisionOf(node, script, 2, revisionSource(2));
    const token = newTicket();
    for (const step of ['fetch', 'start', 'probe', 'switch', 'verify'])
      await provider.perform(step, second, token, never);
    expect(await provider.probe('drain', second, newTicket(), never)).toMatchObject({ outcome: 'retry' });
    const drained = await provider.perform('drain', second, token, never);
    expect(drained).toMatchObject({ outcome: 'done', detail: expect.stringContaining('time limit') });
    await until('the process before is gone', () =>
      node.transitions.some(({ revision, to }) => revision === 1 && to === 'stopped'),
    );
  });
});
