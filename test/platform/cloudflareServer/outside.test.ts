import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { build } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { WebSocket } from 'ws';
import { z } from 'zod';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf } from './caller.ts';

let now = Date.parse('2026-06-01T00:00:00Z');
let cloudflare: Cloudflare;
let api: Caller;
beforeAll(async () => {
  cloudflare = await startCloudflare({
    now: () => now,
    zones: [{ name: 'example.com' }],
    limits: { tailLifetimeMs: 1000 },
  });
  api = callerOf(cloudflare);
});
afterAll(() => cloudflare.close());

const tailSchema = z.object({ id: z.string(), url: z.string(), expires_at: z.string() });

describe('A tail', () => {
  test('delivers the lines of its script over a websocket until it is deleted', async () => {
    await api.put('noisy');
    const tail = tailSchema.parse((await api.call('POST', `${api.script('noisy')}/tails`)).result);
    expect(tail.expires_at).toBe('2026-06-01T00:00:01.000Z');
    const socket = new WebSocket(tail.url, 'trace-v1');
    await once(socket, 'open');
    const received = once(socket, 'message');
    expect(cloudflare.emitLog('quiet', [{ message: 'not for us' }])).toBe(0);
    const thrown = { message: 'broken', exception: 'TypeError' };
    expect(cloudflare.emitLog('noisy', [{ message: 'hello', level: 'warn' }, thrown])).toBe(1);
    const [data] = await received;
    expect(JSON.parse(String(data))).toMatchObject({
      scriptName: 'noisy',
      outcome: 'exception',
      logs: [{ level: 'warn', message: ['hello'] }],
      exceptions: [{ name: 'TypeError', message: 'broken' }],
    });
    const closed = once(socket, 'close');
    expect((await api.call('DELETE', `${api.script('noisy')}/tails/${tail.id}`)).success).toBe(true);
    await closed;
    expect(cloudflare.tailListeners('noisy')).toBe(0);
  });

  test('expires: nobody can listen any more, and deleting it is 10058', async () => {
    await api.put('fading');
    const tail = tailSchema.parse((await api.call('POST', `${api.script('fading')}/tails`)).result);
    const socket = new WebSocket(tail.url, 'trace-v1');
    await once(socket, 'open');
    now += 1000;
    const closed = once(socket, 'close');
    expect(cloudflare.emitLog('fading', [{ message: 'too late' }])).toBe(0);
    await closed;
    const [error] = await once(new WebSocket(tail.url), 'error');
    expect(String(error)).toContain('403');
    expect((await api.call('GET', `${api.script('fading')}/tails`)).result).toEqual([]);
    const removed = await api.call('DELETE', `${api.script('fading')}/tails/${tail.id}`);
    expect(removed).toMatchObject({ status: 403, codes: [10058] });
  });
});

describe('What a person does in the dashboard', () => {
  test('is visible over the API with another author, and is not subject to the read lag', async () => {
    await api.put('ours');
    await api.put('ours');
    cloudflare.behaviour.lag = { reads: 5, ms: 0, deployments: true };
    cloudflare.act.deploy('ours');
    cloudflare.act.editVariable('ours', 'MODE', 'debug');
    cloudflare.behaviour.lag = { reads: 0, ms: 0, deployments: true };
    const list = await api.call('GET', `${api.script('ours')}/deployments`);
    const byHand = { source: 'dash', author_email: 'person@opslog.test' };
    expect(list.result).toMatchObject({ deployments: [byHand, byHand, { source: 'api' }, { source: 'api' }] });
    expect(cloudflare.view.variables('ours')).toEqual({ MODE: 'debug' });
    const versions = await api.call('GET', `${api.script('ours')}/versions`);
    expect(versions.result).toMatchObject({ items: [{ number: 3, metadata: byHand }, {}, {}] });
  });

  test('can be an upload of an unowned script, other code, a record, and the deletion of a script', async () => {
    const foreign = cloudflare.act.uploadScript('foreign');
    const edited = cloudflare.act.editCode('foreign', 'export default { fetch() { return 1; } };');
    expect(edited.etag).not.toBe(foreign.versions[0]?.etag);
    const got = await api.call('GET', `${api.script('foreign')}/versions/${edited.id}`);
    expect(got.result).toMatchObject({ number: 2, resources: { script: { etag: edited.etag } } });
    const { id } = cloudflare.act.createRecord({ type: 'A', name: 'old.example.com', content: '192.0.2.7' });
    const records = `/zones/${cloudflare.view.zone('example.com').id}/dns_records`;
    expect((await api.call('GET', `${records}/${id}`)).success).toBe(true);
    cloudflare.act.deleteRecord(id);
    cloudflare.act.deleteScript('foreign');
    expect((await api.call('GET', `${api.script('foreign')}/versions`)).codes).toEqual([10007]);
  });
});

describe('The front door', () => {
  test('says by the Host header which version answers, without secrets, and 404 where nobody does', async () => {
    const bindings = [{ type: 'secret_text', name: 'S', text: 'hush' }];
    await api.put('site', {
      metadata: { bindings, annotations: { 'workers/tag': 'ticket-9', 'workers/message': 'm' } },
    });
    await api.call('POST', `${api.script('site')}/subdomain`, { enabled: true });
    const door = await cloudflare.startFrontDoor();
    const client = spawn('curl', ['-s', '-H', 'Host: site.company1.workers.dev', `${door.url}/x?y`]);
    const body = await client.stdout.toArray();
    expect(JSON.parse(Buffer.concat(body).toString())).toMatchObject({
      script: 'site',
      versionId: cloudflare.view.serving('site')?.id,
      tag: 'ticket-9',
      message: 'm',
      bindings: [{ name: 'S', type: 'secret_text' }],
    });
    const nobody = await fetch(door.url);
    expect([nobody.status, await nobody.json()]).toEqual([404, { answered: false, reason: 'no such host' }]);
  });

  test('splits traffic as the deployment does', async () => {
    await api.put('half');
    const one = cloudflare.view.serving('half')?.id;
    await api.put('half');
    const two = cloudflare.view.serving('half')?.id;
    await api.call('POST', `${api.script('half')}/subdomain`, { enabled: true });
    const versions = [
      { version_id: one, percentage: 90 },
      { version_id: two, percentage: 10 },
    ];
    await api.call('POST', `${api.script('half')}/deployments`, { strategy: 'percentage', versions });
    const at = (roll: number) => cloudflare.serve('half.company1.workers.dev', { roll });
    expect([at(0), at(89), at(90), at(99)]).toMatchObject([one, one, two, two].map((versionId) => ({ versionId })));
  });
});

describe('The server by itself', () => {
  test('is one bundled file that prints where it listens and ends on a signal', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'cloudflare-main-'));
    // esbuild finds its native part from the place where it is installed.
    const installed = createRequire(import.meta.url).resolve('esbuild');
    try {
      await build({
        entryPoints: [join(import.meta.dirname, '../../support/cloudflare/main.ts')],
        outfile: join(folder, 'main.mjs'),
        bundle: true,
        platform: 'node',
        format: 'esm',
        alias: { esbuild: installed },
        external: [installed],
        banner: { js: "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);" },
        define: { 'process.env.WS_NO_BUFFER_UTIL': '"1"', 'process.env.WS_NO_UTF_8_VALIDATE': '"1"' },
      });
      const child = spawn(process.execPath, [join(folder, 'main.mjs')], { stdio: ['ignore', 'pipe', 'inherit'] });
      const output = createInterface({ input: child.stdout });
      const [line] = await Promise.race([once(output, 'line'), once(output, 'close')]);
      const started = z
        .object({ baseUrl: z.string(), token: z.string(), accountId: z.string(), frontDoorUrl: z.string() })
        .parse(JSON.parse(String(line)));
      expect((await callerOf(started).call('GET', '/zones')).result).toMatchObject([{ name: 'example.com' }]);
      const exited = once(child, 'exit');
      child.kill('SIGTERM');
      expect(await exited).toEqual([0, null]);
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
