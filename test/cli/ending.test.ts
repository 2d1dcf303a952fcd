import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { type Served, serve, type Workbench, workbench } from './support.ts';

const hasProc = existsSync(`/proc/${process.pid}/task/${process.pid}/children`);

/** The processes of looks back that a program has under way. */
const lookBacksOf = (pid: number): readonly number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child !== '' && readFileSync(`/proc/${child}/cmdline`, 'utf8').includes('pastChild'))
    .map(Number);

describe.skipIf(!hasProc)('A program that is told to end', { timeout: 120_000 }, () => {
  let bench: Workbench;
  let opslog: Served;
  let workspace: string;
  let token: string;
  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const input = `${opslog.admin.password ?? ''}\n`;
    await bench.opslog(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
    ({ token } = (await bench.opslog(['tokens', 'add', 'pipeline', '--json'])).json(
      z.object({ token: z.object({ token: z.string() }) }),
    ).token);
    const listed = await fetch(`${opslog.url}/workspaces`, { headers: { authorization: `Bearer ${token}` } });
    workspace =
      z.object({ items: z.array(z.object({ id: z.string() })) }).parse(await listed.json()).items[0]?.id ?? '';
  }, 120_000);
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  const ask = (at: string): Promise<Response> =>
    fetch(`${opslog.url}/workspaces/${workspace}/departments?at=${at}`, {
      headers: { authorization: `Bearer ${token}` },
    });

  test('answers looks back that are under way with a problem, and ends at once', async () => {
    const at = new Date().toISOString();
    // One is made and asked again, one is being made, one waits for its place: all stand still, as under a heavy load.
    expect((await ask(at)).status).toBe(200);
    const [made] = lookBacksOf(opslog.pid);
    if (made === undefined) throw new Error('There is no process of the look back.');
    process.kill(made, 'SIGSTOP');
    const asked = ask(at);
    await bench.opslog(['department', 'create', 'Sales']);
    const making = ask(new Date().toISOString());
    await expect.poll(() => lookBacksOf(opslog.pid).length, { timeout: 20_000 }).toBe(2);
    const children = lookBacksOf(opslog.pid);
    for (const child of children) process.kill(child, 'SIGSTOP');
    await bench.opslog(['department', 'create', 'Support']);
    const waiting = ask(new Date().toISOString());
    const metrics = async () => (await fetch(`${opslog.url}/metrics`)).text();
    await expect.poll(metrics).toMatch(/opslog_http_turns\{kind="lookBacks",state="running"\} 3/);

    const toldAt = performance.now();
    const stopped = opslog.stop();
    for (const answer of await Promise.all([asked, making, waiting])) {
      expect(answer.status).toBe(503);
      expect(answer.headers.get('retry-after')).toBe('3');
      expect(await answer.json()).toMatchObject({ title: 'ServerBusy' });
    }
    expect(performance.now() - toldAt).toBeLessThan(2_000);
    expect(await stopped).toBe(0);
    expect(performance.now() - toldAt).toBeLessThan(4_500);
    expect(children.filter((child) => existsSync(`/proc/${child}`))).toEqual([]);
  });
});
