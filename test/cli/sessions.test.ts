import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failed, type Served, serve, type Workbench, workbench } from './support.ts';

const listed = z.object({
  sessions: z.array(z.object({ id: z.string(), isCurrent: z.boolean(), userAgent: z.string() })),
});
const chosen = 'words of my own choice';

/** The tests follow upon each other: a password that was made, changed, and the sessions afterwards. */
describe('Password and sessions on the command line', () => {
  let bench: Workbench;
  let opslog: Served;
  const at = (name: string) => ({ env: { XDG_CONFIG_HOME: join(bench.home, name) } });
  const login = (where: string, input: string) =>
    bench.opslog(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], {
      ...at(where),
      input,
    });
  const sessions = async (where: string) =>
    (await bench.opslog(['sessions', 'list', '--json'], at(where))).json(listed).sessions;

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
  }, 120_000);
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  test('a password that the operator reset opens nothing before it is changed', async () => {
    const args = ['users', 'reset-password', opslog.admin.email, '--data', opslog.dataDir, '--json'];
    const { password: made } = (await bench.opslog(args)).json(z.object({ password: z.string() }));
    const signedIn = await login('laptop', made);
    expect(signedIn.stderr).toContain('opslog password');
    const refused = await bench.opslog(['department', 'list', '--json'], at('laptop'));
    expect(refused.json(failed)).toMatchObject({ code: 'password_change_required', hint: 'Run "opslog password".' });
    const common = { ...at('laptop'), input: `${made}\nQwertyuiop123\n` };
    const weak = await bench.opslog(['password', '--stdin', '--json'], common);
    expect(weak.json(failed).code).toBe('password_refused');
    const changed = await bench.opslog(['password', '--stdin'], { ...at('laptop'), input: `${made}\n${chosen}\n` });
    expect(changed.code).toBe(0);
    expect(`${changed.stdout}${changed.stderr}`).not.toContain(chosen);
    expect((await bench.opslog(['department', 'list'], at('laptop'))).code).toBe(0);
    expect((await login('desk', chosen)).code).toBe(0);
  });

  test('a password is not asked for where nobody can answer, and one line is not enough', async () => {
    expect((await bench.opslog(['password', '--json'], at('laptop'))).json(failed).code).toBe('usage');
    const one = await bench.opslog(['password', '--stdin', '--json'], { ...at('laptop'), input: `${chosen}\n` });
    expect(one.json(failed).code).toBe('usage');
  });

  test('sessions are listed with a mark on this one, and one of them is ended', async () => {
    const here = await sessions('laptop');
    expect(here.filter(({ isCurrent }) => isCurrent)).toHaveLength(1);
    for (const { userAgent } of here) expect(userAgent).toMatch(/^opslog\/\d+\.\d+\.\d+ \(\w+\)$/);
    const [mine] = (await sessions('desk')).filter(({ isCurrent }) => isCurrent);
    const ended = await bench.opslog(['sessions', 'revoke', mine?.id ?? ''], at('laptop'));
    expect(ended.code).toBe(0);
    const over = await bench.opslog(['department', 'list', '--json'], at('desk'));
    expect(over.json(failed).code).toBe('authentication_required');
    const unknown = await bench.opslog(['sessions', 'revoke', opslog.dataDir, '--json'], at('laptop'));
    expect(unknown.json(failed).code).toBe('session_not_found');
  });

  test('all others are ended at once, and this one goes on', async () => {
    expect((await login('desk', chosen)).code).toBe(0);
    expect((await bench.opslog(['sessions', 'revoke', '--json'], at('laptop'))).json(failed).code).toBe('usage');
    expect((await bench.opslog(['sessions', 'revoke', '--others'], at('laptop'))).code).toBe(0);
    expect((await bench.opslog(['department', 'list'], at('desk'))).code).not.toBe(0);
    expect(await sessions('laptop')).toHaveLength(1);
  });
});
