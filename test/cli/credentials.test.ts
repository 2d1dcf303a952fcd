import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import ssh2 from 'ssh2';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { credential, writtenCredential } from '../../src/api/credentialModels.ts';
import { allCalled } from '../../src/cli/developer/credentials.ts';
import { anSshPair } from '../support/sshPair.ts';
import { failed, type Ran, type Served, serve, type Workbench, workbench } from './support.ts';

const written = z.object({ ok: z.literal(true), credential: writtenCredential });
const listed = z.object({ ok: z.literal(true), credentials: z.array(credential) });
const secret = 'the-token-that-nobody-sees';

describe('The credentials of a workspace on the command line', () => {
  let bench: Workbench;
  let opslog: Served;
  const said: string[] = [];
  const run = async (args: readonly string[], options = {}): Promise<Ran> => {
    const ran = await bench.opslog(['credentials', ...args], options);
    said.push(ran.stdout, ran.stderr);
    return ran;
  };
  const list = async () => (await run(['list', '--json'])).json(listed).credentials;

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const input = `${opslog.admin.password ?? ''}\n`;
    await bench.opslog(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
  });
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  test('are added from standard input or a file, and listed without their values', async () => {
    const dns = ['add', 'dns', '--kind', 'apiToken', '--provider', 'cloudflare', '--json'];
    expect((await run(dns, { input: `${secret}\n` })).json(written).credential).toMatchObject({ version: 1 });
    await writeFile(join(bench.home, 'smtp.json'), JSON.stringify({ USER: 'me', PASSWORD: secret }));
    expect((await run(['add', 'smtp', '--kind', 'generic', '--file', 'smtp.json'])).code).toBe(0);
    expect(await list()).toMatchObject([
      { name: 'dns', details: { kind: 'apiToken', provider: 'cloudflare' } },
      { name: 'smtp', details: { kind: 'generic', fieldNames: ['PASSWORD', 'USER'] } },
    ]);
    expect((await run(['list'])).stdout).toContain('never used');
  });

  test('a key that is made there is answered by its public half alone, ready for authorized_keys', async () => {
    const ran = await run(['add', 'deploy', '--kind', 'sshKey', '--user', 'deploy', '--generate']);
    expect(ssh2.utils.parseKey(ran.stdout.trim())).not.toBeInstanceOf(Error);
    expect(ran.stdout).not.toContain('PRIVATE');
  });

  test('a key of one’s own comes from a file, with its passphrase from another', async () => {
    const pair = anSshPair({ passphrase: secret, cipher: 'aes256-ctr', rounds: 1 });
    await writeFile(join(bench.home, 'key'), pair.private);
    await writeFile(join(bench.home, 'passphrase'), `${secret}\n`);
    const add = ['add', 'own', '--kind', 'sshKey', '--user', 'deploy', '--file', 'key'];
    expect((await run([...add, '--json'])).json(failed)).toMatchObject({ code: 'ssh_key_invalid' });
    const added = await run([...add, '--passphrase-file', 'passphrase']);
    expect(added.stdout.trim()).toBe(pair.public.trim());
  });

  test('are replaced, keeping what is not given, and renamed', async () => {
    const ran = await run(['replace', 'DNS', '--json'], { input: `${secret}-2` });
    expect(ran.json(written).credential).toMatchObject({ version: 2, details: { provider: 'cloudflare' } });
    expect((await run(['rename', 'dns', 'dns of the Straße'])).stdout).toContain('dns of the Straße');
    expect((await run(['rename', 'DNS of the STRASSE', 'dns of the shop'])).stdout).toContain('dns of the shop');
    expect((await list()).map(({ name }) => name)).toContain('dns of the shop');
  });

  test('are never taken from an argument, and say what is missing', async () => {
    expect((await run(['add', 'x', secret, '--kind', 'apiToken', '--provider', 'p'])).code).not.toBe(0);
    expect((await run(['replace', secret, '--json'], { input: 'x' })).json(failed).code).toBe('credential_not_found');
    const without = await run(['add', 'x', '--kind', 'apiToken', '--json'], { input: 'x' });
    expect(without.json(failed).message).toContain('--provider');
    const unknown = await run(['add', 'x', '--kind', 'certificate', '--json'], { input: 'x' });
    expect(unknown.json(failed).message).toContain('registryLogin');
    const noObject = await run(['add', 'x', '--kind', 'generic', '--json'], { input: secret });
    expect(noObject.json(failed).message).toContain('fields');
  });

  test('are found by their spelling where two of before differ in it alone, and are not chosen between', () => {
    const [one, other] = [
      { id: '1', name: 'Straße' },
      { id: '2', name: 'STRASSE' },
    ];
    expect(allCalled([one, other], ' Straße')).toEqual([one]);
    expect(allCalled([one, other], 'STRASSE')).toEqual([other]);
    expect(allCalled([one, other], 'strasse')).toEqual([one, other]);
    expect(allCalled([one], 'strasse')).toEqual([one]);
  });

  test('are removed for good, and what is not there is said', async () => {
    expect((await run(['remove', 'smtp'])).code).toBe(0);
    expect((await list()).map(({ name }) => name)).not.toContain('smtp');
    expect((await run(['remove', 'smtp', '--json'])).json(failed)).toMatchObject({ code: 'credential_not_found' });
  });

  test('are in nothing that was said', () => {
    expect([...said, opslog.log()].join('')).not.toContain(secret);
  });
});
