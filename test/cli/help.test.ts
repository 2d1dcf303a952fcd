import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { failed, type Workbench, workbench } from './support.ts';

const commands = [
  'login',
  'logout',
  'password',
  'sessions list',
  'sessions revoke',
  'join',
  'members list',
  'members invite',
  'members invitations',
  'members uninvite',
  'members remove',
  'tokens list',
  'tokens add',
  'tokens revoke',
  'init',
  'deploy',
  'rollback',
  'status',
  'diff',
  'logs',
  'schedules',
  'cancel',
  'deployments show',
  'deployments follow',
  'pause',
  'resume',
  'department list',
  'department create',
  'domains attach',
  'domains list',
  'domains verify',
  'domains detach',
  'domains certificate',
  'resources list',
  'resources show',
  'resources graph',
  'resources tag',
  'resources relate',
  'resources export',
  'secrets set',
  'secrets list',
  'secrets remove',
  'credentials list',
  'credentials add',
  'credentials replace',
  'credentials rename',
  'credentials remove',
  'jobs list',
  'jobs show',
  'jobs cancel',
  'jobs redrive',
  'webhooks list',
  'webhooks add',
  'webhooks remove',
  'webhooks deliveries',
  'webhooks redrive',
  'webhooks replay',
  'webhooks test',
  'serve',
  'demo',
  'eventstore',
  'doctor',
  'rebuild',
  'reconcile',
  'replay',
  'backup',
  'restore',
  'resync',
  'maintenance begin',
  'maintenance end',
  'maintenance status',
  'audit verify',
  'audit head',
  'audit list',
  'audit export',
  'evidence verify',
  'evidence rebuild',
  'evidence key',
  'events tail',
  'events follow',
  'events republish',
  'users import',
  'users reset-password',
  'keys list',
  'keys rotate',
  'keys retire',
];

describe('Help', () => {
  let bench: Workbench;
  beforeAll(async () => {
    bench = await workbench();
  });
  afterAll(() => bench.remove());

  test('names every command and every exit code, on standard output', async () => {
    const { code, stdout, stderr } = await bench.opslog(['--help']);
    expect(code).toBe(0);
    expect(stderr).toBe('');
    for (const command of commands) expect(stdout).toContain(`  ${command.split(' ')[0]}`);
    for (const exitCode of [0, 1, 2, 3, 4]) expect(stdout).toMatch(new RegExp(`^ {2}${exitCode} {2}\\w`, 'm'));
  });

  test.each(commands)('%s explains itself with examples, --json and the exit codes', async (command) => {
    const { code, stdout } = await bench.opslog([...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(stdout).toContain(`$ opslog ${command}`);
    expect(stdout).toContain('--json');
    expect(stdout).toContain('Exit codes:');
  });

  test('comes before anything heavy is loaded', async () => {
    const bundle = await readFile(join(import.meta.dirname, '../../dist/opslog.js'), 'utf8');
    const loadedAtOnce = [...bundle.matchAll(/^import .* from ?"([^"]+)";?$/gm)].map(([, name]) => name);
    const heavy = /^(zod|express|lmdb|kysely|pino|@electric-sql|@grpc|openapi-fetch)/;
    expect(loadedAtOnce.filter((name) => heavy.test(name ?? ''))).toEqual([]);
    expect(bundle.length).toBeLessThan(300_000);
  });

  test('without a command it shows the help, which is no failure', async () => {
    const { code, stdout } = await bench.opslog([]);
    expect(code).toBe(0);
    expect(stdout).toContain('Usage: opslog');
  });

  test('an unknown command or option is wrong usage, with a suggestion', async () => {
    const command = await bench.opslog(['deplyo']);
    expect(command).toMatchObject({ code: 2, stdout: '' });
    expect(command.stderr).toContain('deploy');
    expect((await bench.opslog(['status', '--workspaec', 'x'])).code).toBe(2);
  });

  test('a value that makes no sense is named as it was written, in words', async () => {
    expect((await bench.opslog(['rollback', '--to', 'abc'])).stderr).toContain('--to: must be a whole number');
    expect((await bench.opslog(['keys', 'retire', 'x'])).stderr).toContain('<version>: must be a whole number');
    expect((await bench.opslog(['maintenance', 'begin'])).stderr).toContain('--reason: must be given');
    const provider = await bench.opslog(['reconcile', '--provider', 'moon']);
    expect(provider).toMatchObject({ code: 2 });
    expect(provider.stderr).toContain('--provider: must be one of workerd, cloudflare');
  });

  test('with --json wrong usage is an object as well', async () => {
    const { code, json } = await bench.opslog(['events', 'tail', '--from', 'yesterday', '--json']);
    expect(code).toBe(2);
    expect(json(failed)).toMatchObject({ code: 'usage' });
  });

  test('--version answers the version of the package', async () => {
    const { version } = z
      .object({ version: z.string() })
      .parse(JSON.parse(await readFile(join(import.meta.dirname, '../../package.json'), 'utf8')));
    expect((await bench.opslog(['--version'])).stdout).toBe(`${version}\n`);
  });

  test('a pipe gets no colour unless it is forced, and NO_COLOR has the last word', async () => {
    const args = ['doctor', '--data', 'nothing-here'];
    const colour = '\u001b[';
    expect((await bench.opslog(args)).stdout).not.toContain(colour);
    expect((await bench.opslog(args, { env: { FORCE_COLOR: '1' } })).stdout).toContain(colour);
    expect((await bench.opslog(args, { env: { FORCE_COLOR: '1', NO_COLOR: '1' } })).stdout).not.toContain(colour);
  });

  test('an error is a message and what to do, never a stack trace', async () => {
    const { code, stdout, stderr } = await bench.opslog(['status']);
    expect(code).toBe(1);
    expect(stdout).toBe('');
    expect(stderr).toContain('opslog login');
    expect(stderr).not.toMatch(/\n\s+at /);
  });
});

describe('docs/cli.md', () => {
  test('names every command and exit code', async () => {
    const text = await readFile(join(import.meta.dirname, '../../docs/cli.md'), 'utf8');
    expect(commands.filter((command) => !new RegExp(`\\b${command}\\b`).test(text))).toEqual([]);
    for (const exitCode of [0, 1, 2, 3, 4]) expect(text).toContain(`| ${exitCode} | `);
  });
});
