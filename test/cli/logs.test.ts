import { once } from 'node:events';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { callWorker } from '../../src/demo/caller.ts';
import { failed, type Served, serve, type Workbench, workbench } from './support.ts';

const source = `export default {
  fetch(request) {
    console.error('asked for ' + new URL(request.url).pathname + ' \\u001b[31m');
    return new Response('ok');
  },
};
`;
const line = z.object({ at: z.string(), origin: z.string(), level: z.string(), message: z.string() });

describe('opslog logs', () => {
  let bench: Workbench;
  let opslog: Served;
  let worker: string;
  let url: string;

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const login = ['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'];
    expect((await bench.opslog(login, { input: `${opslog.admin.password}\n` })).code).toBe(0);
    worker = join(bench.home, 'talker');
    await mkdir(worker);
    await writeFile(join(worker, 'index.js'), source);
    const settings = { workspace: '', department: 'talk', language: 'javascript', entryPoint: 'index.js' };
    await writeFile(join(worker, 'opslog.json'), JSON.stringify(settings));
    const made = await bench.opslog(['department', 'create', 'Talk']);
    expect(made.stderr).toBe('');
    const deployed = await bench.opslog(['deploy', worker, '--json']);
    url = deployed.json(z.looseObject({ url: z.string() })).url;
  }, 60_000);
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  const logs = (...args: readonly string[]) => bench.opslog(['logs', worker, ...args]);

  test('says so when there is nothing to show', async () => {
    const { code, stdout, stderr } = await logs('--since', '2100-01-01T00:00:00Z');
    expect({ code, stdout }).toEqual({ code: 0, stdout: '' });
    expect(stderr).toContain('has written nothing');
  }, 60_000);

  test('shows what the worker wrote, and nothing in it can move the cursor of a terminal', async () => {
    await callWorker(url, '/first');
    await expect
      .poll(async () => (await logs()).stdout, { timeout: 20_000 })
      .toMatch(/ error asked for \/first \ufffd\[31m\n/);
    const { code, lines } = await logs('--json', '--since', '1h', '--limit', '1000');
    expect(code).toBe(0);
    const found = lines().map((each) => line.parse(each));
    expect(found.map(({ message }) => message)).toContain('asked for /first \u001b[31m');
  }, 60_000);

  test('follows until it is told to stop, which is no failure', async () => {
    const child = bench.start(['logs', worker, '--follow', '--json']);
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    await expect.poll(() => text, { timeout: 20_000 }).toContain('/first');
    await callWorker(url, '/second');
    await expect.poll(() => text, { timeout: 20_000 }).toContain('/second');
    child.kill('SIGINT');
    await once(child, 'close');
    expect(child.exitCode).toBe(0);
    expect(text.match(/\/first/g)).toHaveLength(1);
  }, 60_000);

  test('says how many lines can be asked for', async () => {
    const { code, json } = await logs('--limit', '1001', '--json');
    expect(code).toBe(2);
    expect(json(failed).message).toContain('from 1 to 1000');
  }, 60_000);

  test('says what a time may look like', async () => {
    const { code, json } = await logs('--since', 'yesterday', '--json');
    expect(code).toBe(2);
    expect(json(failed).message).toContain('10m');
  }, 60_000);
});
