import { randomBytes } from 'node:crypto';
import { chmod, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readConfig } from '../../../src/config.ts';
import { parseMasterKeys } from '../../../src/platform/vault/configuredKeys.ts';
import type { MasterKey } from '../../../src/platform/vault/masterKeys.ts';
import { filesBelow, keysFolder, vaultIn } from './support.ts';

const encoded = (fill?: number) => (fill === undefined ? randomBytes(32) : Buffer.alloc(32, fill)).toString('base64');
const configured = (text: string): readonly MasterKey[] => {
  const parsed = parseMasterKeys(text);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.keys;
};

describe('A master key in a file', () => {
  test('is refused when others may read it, and the message says what to do', async () => {
    const folder = await keysFolder();
    await vaultIn(folder);
    const path = join(folder, 'master/1.key');
    await chmod(path, 0o640);
    await expect(vaultIn(folder)).rejects.toThrow(`chmod 600 ${path}`);
    await chmod(path, 0o600);
    await vaultIn(folder);
  });

  test('is refused when it does not have 32 bytes, without a word of its contents', async () => {
    const folder = await keysFolder();
    await vaultIn(folder);
    await writeFile(join(folder, 'master/1.key'), 'canary-master');
    await expect(vaultIn(folder)).rejects.toThrow('must have 32 bytes');
    await expect(vaultIn(folder)).rejects.not.toThrow(/canary/);
  });

  test('is not made anew when it was lost: that would hide that nothing opens any more', async () => {
    const folder = await keysFolder();
    await vaultIn(folder);
    await rm(join(folder, 'master/1.key'));
    await expect(vaultIn(folder)).rejects.toThrow('Restore the folder "master"');
  });

  test('that belongs to another folder is noticed at the start, not at the first secret', async () => {
    const folder = await keysFolder();
    await vaultIn(folder);
    await writeFile(join(folder, 'master/1.key'), randomBytes(32));
    await expect(vaultIn(folder)).rejects.toThrow('not those that the data keys here were wrapped with');
  });
});

describe('Master keys in the configuration', () => {
  test('leave no master key on the disk', async () => {
    const folder = await keysFolder();
    const keys = `1:${encoded()}`;
    const { vault } = await vaultIn(folder, { masterKeys: configured(keys) });
    const sealed = await vault.seal('secret', ['w']);
    expect([...(await filesBelow(folder)).keys()].filter((path) => path.endsWith('.key'))).toEqual([]);
    const again = await vaultIn(folder, { masterKeys: configured(keys) });
    expect(await again.vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'secret' });
    await expect(vaultIn(folder)).rejects.toThrow('configure the master keys');
    await expect(vaultIn(folder, { masterKeys: configured(`1:${encoded()}`) })).rejects.toThrow(
      'not those that the data keys',
    );
    await expect(vaultIn(folder, { masterKeys: configured(`2:${encoded()}`) })).rejects.toThrow('Version 1');
  });

  test('take over from files: the newest wraps, a rotation moves the rest, and the file can be retired', async () => {
    const folder = await keysFolder();
    const sealed = await (await vaultIn(folder)).vault.seal('secret', ['w']);
    const { vault, keyring } = await vaultIn(folder, { masterKeys: configured(`2:${encoded()}`) });
    expect(await vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'secret' });
    expect(await keyring.retire(1)).toEqual({ ok: false, code: 'used', dataKeys: 2 });
    expect(await keyring.rotate()).toEqual({ version: 2, rewrapped: 2, resumed: false, unreadable: [] });
    expect(await keyring.retire(1)).toEqual({ ok: true, source: 'file' });
    expect(await vault.open(sealed, ['w'])).toEqual({ ok: true, plaintext: 'secret' });
    expect([...(await filesBelow(folder)).keys()].filter((path) => path.endsWith('.key'))).toEqual([]);
  });

  test('are retired by saying that they may go from the configuration', async () => {
    const folder = await keysFolder();
    const [one, two] = [`1:${encoded()}`, `2:${encoded()}`];
    await vaultIn(folder, { masterKeys: configured(one) });
    const { keyring } = await vaultIn(folder, { masterKeys: configured(`${two},${one}`) });
    expect(await keyring.retire(1)).toMatchObject({ ok: false, code: 'used' });
    await keyring.rotate();
    expect(await keyring.retire(1)).toEqual({ ok: true, source: 'configuration' });
    await vaultIn(folder, { masterKeys: configured(two) });
  });

  test('are read from OPSLOG_MASTER_KEYS, and do not show when the configuration does', () => {
    const key = encoded();
    const read = readConfig({ OPSLOG_MASTER_KEYS: `2:${key}, 1:${encoded()}` });
    if (!read.ok) throw new Error(read.problems.join());
    expect(read.config.masterKeys.map(({ version }) => version)).toEqual([2, 1]);
    const shown = JSON.stringify([...read.config.masterKeys]) + inspect(read.config, { depth: 9, showHidden: true });
    expect(shown).not.toContain(key);
    expect(shown).not.toContain(Buffer.from(key, 'base64').toString('hex'));
    expect(shown).not.toMatch(/<Buffer|Uint8Array/);
  });

  test.each([
    ['no version', encoded()],
    ['too short', `1:${Buffer.from('canary').toString('base64')}`],
    ['no base64', `1:canary!${encoded().slice(9)}`],
    ['another base64 of the same bytes', `1:${encoded().replace('=', '')}`],
    ['version 0', `0:${encoded()}`],
    ['a version twice', `1:${encoded()},1:${encoded()}`],
    ['all the same byte', `1:${encoded(0)}`],
    ['nothing between commas', `1:${encoded()},`],
  ])('are refused with %s, naming the variable and nothing of the value', (_, value) => {
    const read = readConfig({ OPSLOG_MASTER_KEYS: value });
    expect(read.ok).toBe(false);
    const problems = read.ok ? '' : read.problems.join();
    expect(problems).toMatch(/^OPSLOG_MASTER_KEYS: (must be|names version|version 1 is not random)/);
    for (const piece of value.split(/[:,]/).filter((each) => each.length > 3)) expect(problems).not.toContain(piece);
  });
});
