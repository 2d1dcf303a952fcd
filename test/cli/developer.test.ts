import { readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failed, type Ran, type Served, serve, type Workbench, workbench } from './support.ts';

const deployed = z.object({
  ok: z.literal(true),
  ticketId: z.string(),
  revision: z.number(),
  kind: z.enum(['deploy', 'rollback']),
  status: z.literal('completed'),
  url: z.string(),
  steps: z.array(z.object({ step: z.string(), outcome: z.string() })).min(3),
});
const status = z.object({
  ok: z.literal(true),
  worker: z.object({ status: z.string(), liveRevision: z.number(), newestRevision: z.number() }),
  deployment: z.object({ status: z.string() }),
});

/** One person's way from sign-in to rolling back: the tests follow upon each other. */
describe('A developer', () => {
  let bench: Workbench;
  let opslog: Served;
  let password: string;
  const said: string[] = [];

  const run = async (args: readonly string[], options = {}): Promise<Ran> => {
    const ran = await bench.opslog(args, options);
    said.push(ran.stdout, ran.stderr);
    return ran;
  };
  const token = async (): Promise<string> => {
    const profile = z.object({ servers: z.record(z.string(), z.object({ token: z.string() })) });
    const { servers } = profile.parse(JSON.parse(await readFile(profilePath(), 'utf8')));
    return servers[opslog.url]?.token ?? '';
  };
  const profilePath = (): string => join(bench.home, 'config/opslog/profile.json');
  const answerAt = async (url: string): Promise<{ status: number; text: string }> => {
    const { hostname } = new URL(url);
    const response = await fetchAs(hostname, opslog.edgeUrl);
    return response;
  };

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    password = opslog.admin.password ?? '';
  });
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  test('is told that address and password do not fit', async () => {
    const args = ['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin', '--json'];
    const { code, json } = await run(args, { input: 'not the password\n' });
    expect(code).toBe(1);
    expect(json(failed)).toMatchObject({ code: 'credentials_invalid' });
  });

  test('signs in, and only the owner can read what is remembered', async () => {
    const args = ['login', '--url', `${opslog.url}/`, '--email', opslog.admin.email, '--password-stdin'];
    const { code, stdout } = await run(args, { input: `${password}\n` });
    expect(code).toBe(0);
    expect(stdout).toContain(opslog.admin.email);
    expect((await stat(profilePath())).mode & 0o777).toBe(0o600);
    expect((await stat(join(profilePath(), '..'))).mode & 0o777).toBe(0o700);
    expect(await readFile(profilePath(), 'utf8')).not.toContain(password);
  });

  test("never sends one server's token to another", async () => {
    const seen: (string | undefined)[] = [];
    const other = createServer((request, response) => {
      seen.push(request.headers.authorization);
      response.writeHead(404).end();
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, stderr } = await run(['status', '--url', `http://127.0.0.1:${port}`]);
    other.close();
    expect({ code, seen }).toEqual({ code: 1, seen: [] });
    expect(stderr).toContain('Not signed in');
  });

  test('gets a starter worker, which is never written over something', async () => {
    const first = await run(['init', 'hello']);
    expect(first.code).toBe(0);
    const source = join(bench.home, 'hello/src/greeting.ts');
    await writeFile(source, `${await readFile(source, 'utf8')}// mine\n`);
    const again = await run(['init', 'hello']);
    expect(again.code).toBe(1);
    expect(again.stderr).toContain('src/greeting.ts');
    expect(await readFile(source, 'utf8')).toContain('// mine');
  });

  test('cannot send a folder that is no worker by mistake', async () => {
    const { code, json } = await run(['deploy', '.', '--json']);
    expect(code).toBe(1);
    expect(json(failed)).toMatchObject({ code: 'settings_missing' });
  });

  test('learns what is missing when there is no department, and creates one', async () => {
    const none = await run(['deploy', 'hello']);
    expect(none.code).toBe(1);
    expect(none.stderr).toContain('opslog department create');
    const created = await run(['department', 'create', 'Größe & Sales', '--json']);
    expect(created.lines()).toMatchObject([{ ok: true, department: { slug: 'gro-e-sales' } }]);
    expect((await run(['department', 'list'])).stdout).toContain('Größe & Sales');
  });

  test('deploys it: steps on standard error, nothing but the URL on standard output', async () => {
    const { code, stdout, stderr } = await run(['deploy', 'hello']);
    expect(stderr).toContain('Built revision 1');
    expect(stderr).toContain('switch');
    expect(code).toBe(0);
    expect(stdout).toMatch(/^http\S+\n$/);
    expect(await answerAt(stdout.trim())).toEqual({ status: 200, text: 'Hello, world!\n' });
  });

  test('deploys the same content again', async () => {
    const { code, json } = await run(['deploy', 'hello', '--json']);
    expect(code).toBe(0);
    expect(json(deployed)).toMatchObject({ revision: 2, kind: 'deploy' });
  });

  test('sees a fault in the source with file, line, column and the line itself', async () => {
    const path = join(bench.home, 'hello/src/greeting.ts');
    const good = await readFile(path, 'utf8');
    await writeFile(path, `${good}\nexport const broken = = 1;\n`);
    const { code, stdout, stderr } = await run(['deploy', 'hello']);
    const asJson = await run(['deploy', 'hello', '--json']);
    await writeFile(path, good);
    expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
    expect(stderr).toMatch(/src\/greeting\.ts:\d+:23: /);
    expect(stderr).toContain('| export const broken = = 1;');
    expect(asJson.json(failed)).toMatchObject({ code: 'source_syntax_invalid' });
  });

  test('rolls back to the revision before, and to one by number', async () => {
    expect((await run(['rollback', 'hello', '--json'])).json(deployed)).toMatchObject({
      revision: 1,
      kind: 'rollback',
    });
    expect((await run(['rollback', 'hello', '--to', '2', '--json'])).json(deployed)).toMatchObject({ revision: 2 });
    const unknown = await run(['rollback', 'hello', '--to', '99', '--json']);
    expect(unknown.code).toBe(1);
    expect(unknown.json(failed)).toMatchObject({ code: 'revision_not_found' });
  });

  test('sees what is live', async () => {
    const { worker, deployment } = (await run(['status', 'hello', '--json'])).json(status);
    expect(worker).toMatchObject({ status: 'active', liveRevision: 2, newestRevision: 2 });
    expect(deployment.status).toBe('completed');
    expect((await run(['status', 'hello'])).stdout).toContain('on the air');
  });

  test('does not wait when asked not to, and gets the ticket', async () => {
    const { code, stdout } = await run(['rollback', 'hello', '--to', '1', '--no-wait']);
    expect(code).toBe(0);
    expect(stdout.trim()).toMatch(/^[0-9a-f-]{36}$/);
    await expect
      .poll(async () => (await run(['status', 'hello', '--json'])).json(status).worker.liveRevision, {
        timeout: 15_000,
      })
      .toBe(1);
  });

  test('pauses and resumes; a paused worker is not deployed to', async () => {
    expect((await run(['pause', 'hello'])).code).toBe(0);
    const refused = await run(['rollback', 'hello', '--json']);
    expect(refused.code).toBe(1);
    expect(refused.json(failed)).toMatchObject({ code: 'edge_worker_paused', hint: expect.stringContaining('resume') });
    expect((await run(['resume', 'hello'])).stdout).toContain('on the air');
  });

  test('works from a pipeline with OPSLOG_URL and OPSLOG_TOKEN alone', async () => {
    const pipeline = await workbench();
    const env = { OPSLOG_URL: opslog.url, OPSLOG_TOKEN: await token() };
    const { code } = await pipeline.opslog(['status', '--department', 'gro-e-sales', '--json'], { env });
    const wrong = await pipeline.opslog(['status', '--json'], { env: { ...env, OPSLOG_TOKEN: 'ops_wrong' } });
    await pipeline.remove();
    expect(code).toBe(0);
    expect(wrong.code).toBe(1);
    expect(wrong.json(failed)).toMatchObject({ code: 'authentication_required' });
  });

  test('names what there is when a department is unknown', async () => {
    const { code, stderr } = await run(['status', '--department', 'unknown']);
    expect(code).toBe(1);
    expect(stderr).toContain('gro-e-sales');
  });

  test('is not shown a token that cannot be one, only told so', async () => {
    const env = { OPSLOG_URL: opslog.url, OPSLOG_TOKEN: 'ops_secret\nops_other' };
    for (const { code, stdout, stderr } of [
      await run(['status', '--json'], { env }),
      await run(['login', '--token', '-', '--json'], {
        input: 'ops_secret\nops_other',
        env: { OPSLOG_URL: opslog.url },
      }),
    ]) {
      expect(code).toBe(2);
      expect(stdout + stderr).not.toContain('secret');
    }
  });

  test('is told which option answers when there is no terminal to ask on', async () => {
    const { code, stderr } = await run(['login']);
    expect({ code, stderr }).toEqual({ code: 2, stderr: expect.stringContaining('give it with --email') });
    const second = await run(['login', '--email', 'someone@example.com']);
    expect(second.stderr).toContain('--password-stdin');
  });

  test('is told in the words of the command line that a token is worth nothing', async () => {
    const { code, stderr } = await run(['department', 'list'], {
      env: { OPSLOG_URL: opslog.url, OPSLOG_TOKEN: 'abc' },
    });
    expect(code).toBe(1);
    expect(stderr).toContain('opslog login');
    expect(stderr).not.toContain('Authorization');
  });

  test('is told when nobody answers, with an exit code of its own', async () => {
    const env = { OPSLOG_URL: 'http://127.0.0.1:9', OPSLOG_TOKEN: 'ops_x' };
    const { code, json } = await run(['status', '--json'], { env });
    expect(code).toBe(3);
    expect(json(failed)).toMatchObject({ code: 'unreachable' });
  });

  test('signs out: the token is worth nothing afterwards', async () => {
    const before = await token();
    expect((await run(['logout', '--json'])).lines()).toMatchObject([{ ok: true, revoked: true }]);
    const headers = { authorization: `Bearer ${before}` };
    await expect.poll(async () => (await fetch(`${opslog.url}/auth/me`, { headers })).status).toBe(401);
    expect((await run(['status'])).code).toBe(1);
  });

  test('never saw a password or token on the way', () => {
    const everything = said.join('');
    expect(everything).not.toContain(password);
    expect(everything).not.toMatch(/op[st]_[A-Za-z0-9]{20}/);
    expect(opslog.log()).not.toContain(password);
  });
});

/** The router tells workers apart by the Host header, which fetch does not let one set. */
const fetchAs = async (host: string, edgeUrl: string): Promise<{ status: number; text: string }> => {
  const { request } = await import('node:http');
  return new Promise((resolve, reject) => {
    const outgoing = request(edgeUrl, { headers: { host } }, (response) => {
      let text = '';
      response.setEncoding('utf8').on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve({ status: response.statusCode ?? 0, text }));
    });
    outgoing.on('error', reject).end();
  });
};
