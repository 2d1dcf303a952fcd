import { scryptSync } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failed, type Served, serve, type Workbench, workbench } from './support.ts';

const invited = z.object({ invitation: z.object({ token: z.string() }) });
const listed = z.object({ members: z.array(z.object({ email: z.string(), role: z.string() })) });
const joined = z.object({ joined: z.object({ email: z.string(), role: z.string() }) });
const password = 'a password from elsewhere';

describe('People on the command line', () => {
  let bench: Workbench;
  let opslog: Served;
  const ada = (): { env: Record<string, string> } => ({ env: { XDG_CONFIG_HOME: join(bench.home, 'ada') } });

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const login = ['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'];
    await bench.opslog(login, { input: opslog.admin.password ?? '' });
  }, 120_000);
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  const invite = async (email: string, ...more: string[]) =>
    (await bench.opslog(['members', 'invite', email, '--json', ...more])).json(invited).invitation.token;
  const signIn = (email: string, word: string) =>
    bench.opslog(['login', '--url', opslog.url, '--email', email, '--password-stdin'], { ...ada(), input: word });

  test('are invited, join under a password of their own, are listed and removed', async () => {
    const token = await invite('ada@example.com', '--role', 'VIEWER');
    const args = ['join', '--url', opslog.url, '--token', '-', '--name', 'Ada', '--json'];
    const first = await bench.opslog(args, { ...ada(), input: `${token}\n${password}\n` });
    expect(first.json(joined).joined).toMatchObject({ email: 'ada@example.com', role: 'VIEWER' });
    expect((await bench.opslog(['department', 'list'], ada())).code).toBe(0);
    const members = (await bench.opslog(['members', 'list', '--json'])).json(listed).members;
    expect(members.map(({ role }) => role)).toEqual(['OWNER', 'VIEWER']);
    expect((await bench.opslog(['members', 'remove', 'Ada@Example.com'])).code).toBe(0);
    expect((await bench.opslog(['members', 'remove', 'ada@example.com', '--json'])).json(failed).code).toBe(
      'member_not_found',
    );
    const again = await invite('ada@example.com');
    const stranger = { env: { XDG_CONFIG_HOME: join(bench.home, 'stranger') }, input: `${again}\n${password}` };
    const told = await bench.opslog(['join', '--url', opslog.url, '--token', '-', '--json'], stranger);
    expect(told.json(failed).code).toBe('sign_in_required');
    const back = await bench.opslog(['join', '--token', '-', '--json'], { ...ada(), input: again });
    expect(back.json(joined).joined.role).toBe('MEMBER');
  });

  test('who were invited by mistake are listed until they are uninvited, and cannot join afterwards', async () => {
    const opened = z.object({ invitations: z.array(z.object({ email: z.string() })) });
    const open = async () => (await bench.opslog(['members', 'invitations', '--json'])).json(opened).invitations;
    await invite('mistyped@example.com');
    const token = await invite('Mistyped@example.com');
    expect((await open()).filter(({ email }) => email === 'mistyped@example.com')).toHaveLength(2);
    const revoked = await bench.opslog(['members', 'uninvite', 'Mistyped@example.com']);
    expect(revoked.stdout).toContain('Revoked 2 invitations.');
    expect((await open()).filter(({ email }) => email === 'mistyped@example.com')).toEqual([]);
    const again = await bench.opslog(['members', 'uninvite', 'mistyped@example.com', '--json']);
    expect(again.json(failed).code).toBe('invitation_not_found');
    const stranger = { env: { XDG_CONFIG_HOME: join(bench.home, 'mistyped') }, input: `${token}\n${password}` };
    const late = await bench.opslog(['join', '--url', opslog.url, '--token', '-', '--json'], stranger);
    expect(late.json(failed).code).toBe('invitation_not_found');
  });

  test('make API tokens for their pipelines, each bounded as they say and worth nothing once revoked', async () => {
    const issued = z.object({ token: z.object({ id: z.string(), token: z.string(), expiresAt: z.string() }) });
    const listedTokens = z.object({
      tokens: z.array(z.object({ id: z.string(), name: z.string(), role: z.string() })),
    });
    expect((await bench.opslog(['tokens', 'list'])).stdout).toContain('No API tokens.');
    const plainly = await bench.opslog(['tokens', 'add', 'dashboard', '--role', 'VIEWER', '--days', '2']);
    const { token } = (await bench.opslog(['tokens', 'add', 'pipeline', '--json'])).json(issued);
    expect((await bench.opslog(['tokens', 'list', '--json'])).json(listedTokens).tokens).toMatchObject([
      { name: 'dashboard', role: 'VIEWER' },
      { id: token.id, name: 'pipeline', role: 'MEMBER' },
    ]);
    const pipeline = (word: string) => ({ env: { OPSLOG_URL: opslog.url, OPSLOG_TOKEN: word } });
    const viewer = pipeline(plainly.stdout.trim());
    expect((await bench.opslog(['department', 'list'], viewer)).code).toBe(0);
    const refused = await bench.opslog(['department', 'create', 'Sales', '--json'], viewer);
    expect(refused.json(failed).code).toBe('role_insufficient');
    expect((await bench.opslog(['department', 'list'], pipeline(token.token))).code).toBe(0);
    expect((await bench.opslog(['tokens', 'revoke', token.id])).code).toBe(0);
    const after = await bench.opslog(['department', 'list', '--json'], pipeline(token.token));
    expect(after.json(failed).code).toBe('authentication_required');
  });

  test('are imported with their hashes, and a bad line is named before anything is written', async () => {
    const salt = Buffer.from('salt salt salt 1');
    const text = (bytes: Uint8Array) => Buffer.from(bytes).toString('base64').replace(/=+$/, '');
    const hash = `$scrypt$ln=14,r=8,p=1$${text(salt)}$${text(scryptSync(password, salt, 32))}`;
    const bob = JSON.stringify({ email: 'bob@example.com', displayName: 'Bob', passwordHash: hash });
    const file = join(bench.home, 'users.jsonl');
    const run = () => bench.opslog(['users', 'import', file, '--data', opslog.dataDir, '--json']);
    await writeFile(file, `${bob}\n\n${bob.replace('ln=14', 'ln=30').replace('bob@', 'eve@')}\n`);
    expect((await run()).json(failed)).toMatchObject({ code: 'password_hash_invalid' });
    expect((await signIn('bob@example.com', password)).code).not.toBe(0);
    await writeFile(file, `${bob}\n`);
    const counted = z.object({ imported: z.number(), present: z.number() });
    expect((await run()).json(counted)).toEqual({ imported: 1, present: 0 });
    expect((await run()).json(counted)).toEqual({ imported: 0, present: 1 });
    expect((await signIn('bob@example.com', password)).code).toBe(0);
  });

  test('get a new password from the operator, which ends their sessions', async () => {
    expect((await signIn('bob@example.com', password)).code).toBe(0);
    const args = ['users', 'reset-password', 'bob@example.com', '--data', opslog.dataDir, '--json'];
    const reset = (await bench.opslog(args)).json(z.object({ password: z.string() }));
    const still = await bench.opslog(['department', 'list', '--json'], ada());
    expect(still.json(failed).code).toBe('authentication_required');
    expect((await signIn('bob@example.com', password)).code).not.toBe(0);
    expect((await signIn('bob@example.com', reset.password)).code).toBe(0);
    const nobody = await bench.opslog([
      'users',
      'reset-password',
      'nobody@example.com',
      '--data',
      opslog.dataDir,
      '--json',
    ]);
    expect(nobody.json(failed).code).toBe('user_not_found');
  });
});
