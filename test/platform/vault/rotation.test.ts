import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import type { RotationProgress } from '../../../src/platform/vault/rotation.ts';
import { filesBelow, keysFolder, vaultIn } from './support.ts';

const sealMany = async (folder: string, count: number) => {
  const { vault, keyring } = await vaultIn(folder);
  const sealed = await Promise.all(Array.from({ length: count }, (_, index) => vault.seal(`secret ${index}`, ['w'])));
  return { vault, keyring, sealed };
};

describe('A rotation', () => {
  test('wraps every key anew, tells how far it is, and leaves nothing under the old version', async () => {
    const folder = await keysFolder();
    const { vault, keyring, sealed } = await sealMany(folder, 40);
    const digest = vault.digest('x', ['w']);
    const progress: RotationProgress[] = [];
    const rotated = await keyring.rotate({ onProgress: (each) => void progress.push(each) });
    expect(rotated).toEqual({ version: 2, rewrapped: 41, resumed: false, unreadable: [] });
    expect(progress.at(-1)).toEqual({ version: 2, done: 41, total: 41 });
    expect(progress.map(({ done }) => done)).toEqual(progress.map(({ done }) => done).toSorted((a, b) => a - b));
    expect([...(await filesBelow(join(folder, 'data'))).keys()].filter((path) => !path.endsWith('.2'))).toEqual([]);
    expect(await keyring.list()).toEqual({
      masterKeys: [
        { version: 2, source: 'file', status: 'inUse', wraps: true, dataKeys: 41 },
        { version: 1, source: 'file', status: 'inUse', wraps: false, dataKeys: 0 },
      ],
      destroyedDataKeys: 0,
      unfinishedRotation: null,
    });
    expect(await keyring.retire(1)).toEqual({ ok: true, source: 'file' });
    const another = (await vaultIn(folder)).vault;
    for (const [index, each] of sealed.entries()) {
      expect(await another.open(each, ['w'])).toEqual({ ok: true, plaintext: `secret ${index}` });
    }
    expect(another.digest('x', ['w'])).toBe(digest);
  });

  test('is noticed by nodes that were there before it: they read on, and seal under the new version', async () => {
    const folder = await keysFolder();
    const { vault, sealed } = await sealMany(folder, 3);
    const { keyring } = await vaultIn(folder);
    await keyring.rotate();
    await keyring.retire(1);
    expect(await vault.open(await vault.seal('new', ['w']), ['w'])).toEqual({ ok: true, plaintext: 'new' });
    for (const each of sealed) expect(await vault.open(each, ['w'])).toMatchObject({ ok: true });
    expect((await keyring.list()).masterKeys).toMatchObject([{ version: 2, dataKeys: 5 }]);
  });

  test('ends when asked to, and the next one goes on instead of making yet another version', async () => {
    const folder = await keysFolder();
    const { keyring } = await sealMany(folder, 20);
    const stop = new AbortController();
    await expect(
      keyring.rotate({ signal: stop.signal, onProgress: () => stop.abort(new Error('enough')) }),
    ).rejects.toThrow('enough');
    expect((await keyring.list()).unfinishedRotation).toBe(2);
    expect(await keyring.retire(1)).toMatchObject({ ok: false, code: 'used' });
    expect(await keyring.rotate()).toMatchObject({ version: 2, resumed: true });
    expect(await keyring.rotate()).toMatchObject({ version: 3, resumed: false, rewrapped: 21 });
  });

  test('passes over a key that was changed, names it, and keeps the version that it may need', async () => {
    const folder = await keysFolder();
    const { vault, keyring, sealed } = await sealMany(folder, 3);
    const [broken] = sealed;
    if (!broken) throw new Error('three are sealed');
    await writeFile(join(folder, 'data', broken.keyId.slice(0, 2), `${broken.keyId}.1`), '{"not":"whole');
    expect(await keyring.rotate()).toEqual({ version: 2, rewrapped: 3, resumed: false, unreadable: [broken.keyId] });
    expect(await keyring.retire(1)).toEqual({ ok: false, code: 'used', dataKeys: 1 });
    expect(await vault.open(broken, ['w'])).toEqual({ ok: false, code: 'not_authentic' });
  });

  test('leaves the newest version and unknown ones alone when they are to be retired', async () => {
    const { keyring } = await vaultIn(await keysFolder());
    expect(await keyring.retire(1)).toEqual({ ok: false, code: 'newest' });
    expect(await keyring.retire(7)).toEqual({ ok: false, code: 'unknown' });
  });

  test('moves no destroyed key', async () => {
    const folder = await keysFolder();
    const { vault, keyring, sealed } = await sealMany(folder, 2);
    await vault.destroy(sealed[0]?.keyId ?? '');
    expect(await keyring.rotate()).toMatchObject({ rewrapped: 2 });
    expect(await keyring.list()).toMatchObject({ destroyedDataKeys: 1 });
  });
});

test('no error, listing or file shows a plaintext, a data key or a master key', async () => {
  const folder = await keysFolder();
  const given: Buffer[] = [];
  const random = {
    uuid: () => crypto.randomUUID(),
    fraction: () => 0,
    bytes: (count: number) => {
      const bytes = createHash('sha256').update(`${given.length}`).digest().subarray(0, count);
      given.push(Buffer.from(bytes));
      return bytes;
    },
  };
  const { vault, keyring } = await vaultIn(folder, { random });
  const sealed = await vault.seal('canary-plaintext', ['w']);
  const shown: unknown[] = [
    sealed,
    vault,
    keyring,
    await keyring.rotate(),
    await keyring.list(),
    await keyring.retire(2),
  ];
  shown.push(await vault.open(sealed, ['other']));
  await writeFile(join(folder, 'master/2.key'), 'canary-master');
  shown.push(await vaultIn(folder).catch((error: unknown) => error));
  shown.push(await vault.seal('canary-\ud800', ['w']).catch((error: unknown) => error));
  const text = shown.map((each) => inspect(each, { depth: 9, showHidden: true })).join('\n');
  expect(text).not.toContain('canary');
  const secrets = given.filter(({ length }) => length === 32);
  expect(secrets.length).toBeGreaterThan(3);
  const files = [...(await filesBelow(folder))].filter(([path]) => !path.includes('/master/'));
  for (const secret of secrets) {
    for (const form of ['hex', 'base64', 'latin1'] as const) {
      expect(text).not.toContain(secret.toString(form));
      const holding = files.filter(([, bytes]) => bytes.includes(secret.toString(form), 0, 'latin1'));
      expect(holding.map(([path]) => path)).toEqual([]);
    }
  }
});
