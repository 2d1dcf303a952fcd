import { describe, expect, it } from 'vitest';
import { call, deploy, never, newScriptName, openNode, revisionOf } from './support.ts';

const firing = { cron: '*/5 * * * *', scheduledTime: 1_800_000_000_000 };

const remembering = `
let seen = [];
export default {
  fetch() { return new Response(JSON.stringify(seen)); },
  async scheduled(event, env, ctx) {
    seen.push({ cron: event.cron, time: event.scheduledTime, greeting: env.GREETING });
    ctx.waitUntil(Promise.resolve().then(() => seen.push('afterwards')));
  },
};`;

describe('calling a scheduled handler', () => {
  it('runs it in the live process with its variables, and lets what it leaves behind go on', async () => {
    const node = await openNode();
    const script = newScriptName();
    const variables = { GREETING: 'hello' };
    await deploy(node.provider, await revisionOf(node, script, 3, remembering, { variables }));
    expect(await node.provider.runScheduled(script, firing, never)).toMatchObject({
      outcome: 'done',
      facts: { revision: '3' },
    });
    const { body } = await call(node.provider, script);
    expect(JSON.parse(body)).toEqual([
      { cron: firing.cron, time: firing.scheduledTime, greeting: 'hello' },
      'afterwards',
    ]);
  });

  it('runs the handler of an entrypoint class too', async () => {
    const node = await openNode();
    const script = newScriptName();
    const source = `import { WorkerEntrypoint } from 'cloudflare:workers';
      let count = 0;
      export default class extends WorkerEntrypoint {
        fetch() { return new Response(String(count)); }
        scheduled(event) { if (event.cron === '${firing.cron}') count += 1; }
      }`;
    await deploy(node.provider, await revisionOf(node, script, 1, source));
    expect(await node.provider.runScheduled(script, firing, never)).toMatchObject({ outcome: 'done' });
    expect(await call(node.provider, script)).toMatchObject({ body: '1' });
  });

  it.each([
    ['has none', `export default { fetch() { return new Response(''); } };`, 'scheduled_handler_missing'],
    [
      'throws',
      `export default { fetch() { return new Response(''); }, scheduled() { throw new Error('no'); } };`,
      'scheduled_handler_failed',
    ],
  ])('says so when the worker %s', async (_what, source, code) => {
    const node = await openNode();
    const script = newScriptName();
    await deploy(node.provider, await revisionOf(node, script, 1, source));
    expect(await node.provider.runScheduled(script, firing, never)).toMatchObject({ outcome: 'refused', code });
  });

  it('cannot be reached from outside, and a worker that is not there is tried again', async () => {
    const node = await openNode();
    const script = newScriptName();
    expect(await node.provider.runScheduled(script, firing, never)).toMatchObject({ outcome: 'retry' });
    await deploy(node.provider, await revisionOf(node, script, 1, remembering));
    await call(node.provider, script, '/scheduled', { method: 'POST', body: JSON.stringify(firing) });
    expect(await call(node.provider, script)).toMatchObject({ body: '[]' });
  });

  it('may have run when the answer does not come', async () => {
    const node = await openNode();
    const script = newScriptName();
    const source = `export default {
      fetch() { return new Response(''); },
      async scheduled() { await new Promise((resolve) => setTimeout(resolve, 60_000)); },
    };`;
    await deploy(node.provider, await revisionOf(node, script, 1, source));
    const stopped = new AbortController();
    const running = node.provider.runScheduled(script, firing, stopped.signal);
    // The call is made at once; half a second later it has long arrived.
    setTimeout(() => stopped.abort(), 500);
    expect(await running).toMatchObject({ outcome: 'uncertain' });
  });
});
