import { stat } from 'node:fs/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { NotText } from '../../../src/platform/vault/encoding.ts';
import type { SealedSecret, Vault } from '../../../src/platform/vault/port.ts';
import { createMemoryVault } from '../../support/memoryVault.ts';
import { filesBelow, flipBit, keysFolder, vaultIn } from './support.ts';

const anyText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 200 }),
  fc.string({ unit: 'grapheme', maxLength: 50 }),
  fc.constantFrom('', '\0', 'é', 'é', '😀'.repeat(20_000), 'x'.repeat(65_536)),
);
const parts = fc.array(fc.string({ maxLength: 8 }), { maxLength: 4 });
const runs = { numRuns: 60 };

const kinds: readonly (readonly [string, () => Promise<Vault>])[] = [
  ['in a folder', async () => (await vaultIn(await keysFolder())).vault],
  ['in memory', async () => createMemoryVault()],
];

describe.each(kinds)('A vault %s', (_, openOne) => {
  test('gives back any text to whoever binds the same parts', async () => {
    const vault = await openOne();
    const roundTrip = fc.asyncProperty(anyText, parts, async (plaintext, aad) => {
      expect(await vault.open(await vault.seal(plaintext, aad), aad)).toEqual({ ok: true, plaintext });
    });
    await fc.assert(roundTrip, runs);
  });

  test('opens nothing under other parts, however the same letters are divided among them', async () => {
    const vault = await openOne();
    const sealed = await vault.seal('secret', ['workspace-1', 'ab', 'c']);
    const others = [
      ['workspace-2', 'ab', 'c'],
      ['workspace-1', 'a', 'bc'],
      ['workspace-1', 'ab', 'c', ''],
      ['workspace-1abc'],
      [],
    ];
    for (const other of others) {
      expect(await vault.open(sealed, other)).toEqual({ ok: false, code: 'not_authentic' });
    }
    const divided = fc.asyncProperty(parts, parts, async (one, other) => {
      const opened = await vault.open(await vault.seal('secret', one), other);
      expect(opened.ok).toBe(JSON.stringify(one) === JSON.stringify(other));
    });
    await fc.assert(divided, runs);
  });

  test('uses a new key for every secret, and opens none with that of another', async () => {
    const vault = await openOne();
    const [one, other] = [await vault.seal('same', ['w']), await vault.seal('same', ['w'])];
    expect(one.keyId).not.toBe(other.keyId);
    expect(await vault.open({ ...one, keyId: other.keyId }, ['w'])).toEqual({ ok: false, code: 'not_authentic' });
  });

  test('tells a destroyed key from one that never was, and destroys twice as well as once', async () => {
    const vault = await openOne();
    const [kept, lost] = [await vault.seal('kept', ['w']), await vault.seal('lost', ['w'])];
    await vault.destroy(lost.keyId);
    await vault.destroy(lost.keyId);
    expect(await vault.open(lost, ['w'])).toEqual({ ok: false, code: 'destroyed' });
    expect(await vault.open({ ...lost, keyId: '0'.repeat(32) }, ['w'])).toEqual({ ok: false, code: 'missing' });
    expect(await vault.open({ ...lost, keyId: '../../master/1' }, ['w'])).toEqual({ ok: false, code: 'missing' });
    expect(await vault.open(kept, ['w'])).toMatchObject({ ok: true, plaintext: 'kept' });
  });

  test('gives equal secrets of different tenants different digests, and the same one each time', async () => {
    const vault = await openOne();
    expect(vault.digest('hunter2', ['w1', 'NAME'])).toMatch(/^[0-9a-f]{32}$/);
    expect(vault.digest('hunter2', ['w1', 'NAME'])).toBe(vault.digest('hunter2', ['w1', 'NAME']));
    const all = [
      vault.digest('hunter2', ['w1', 'NAME']),
      vault.digest('hunter2', ['w2', 'NAME']),
      vault.digest('hunter2', ['w1NAME']),
      vault.digest('NAMEhunter2', ['w1']),
      vault.digest('hunter3', ['w1', 'NAME']),
    ];
    expect(new Set(all).size).toBe(all.length);
  });
});

describe('What is sealed', () => {
  test('is refused when any bit of it is changed', async () => {
    const { vault } = await vaultIn(await keysFolder());
    const sealed = await vault.seal('a secret of some length', ['w']);
    const part = fc.constantFrom('iv' as const, 'tag' as const, 'data' as const);
    const changed = fc.asyncProperty(part, fc.nat(1_000), async (name, bit) => {
      const encryptedData = { ...sealed.encryptedData, [name]: flipBit(sealed.encryptedData[name], bit) };
      expect(await vault.open({ ...sealed, encryptedData }, ['w'])).toEqual({ ok: false, code: 'not_authentic' });
    });
    await fc.assert(changed, { numRuns: 200 });
  });

  test('has one spelling: other base64 of the same bytes is refused', async () => {
    const { vault } = await vaultIn(await keysFolder());
    const sealed = await vault.seal('secret', ['w']);
    const { iv, tag, data } = sealed.encryptedData;
    const spellings = [
      `${tag}\n`,
      ` ${tag}`,
      tag.replace('==', ''),
      `${tag}=`,
      tag.replace(/.==$/, '_=='),
      `${tag.slice(0, -3)}${nextLetter(tag.at(-3))}==`,
    ];
    for (const spelling of spellings) {
      const encryptedData = { iv, tag: spelling, data };
      expect(await vault.open({ ...sealed, encryptedData }, ['w'])).toEqual({ ok: false, code: 'not_authentic' });
    }
  });

  test('is refused, not misread, when parts are cut or exchanged', async () => {
    const { vault } = await vaultIn(await keysFolder());
    const sealed = await vault.seal('secret', ['w']);
    const { iv, tag, data } = sealed.encryptedData;
    const short = Buffer.from(tag, 'base64').subarray(0, 4).toString('base64');
    for (const encryptedData of [
      { iv, tag: short, data },
      { iv, tag: '', data },
      { iv: tag, tag, data },
      { iv: '', tag, data },
      { iv, tag, data: '' },
    ]) {
      expect(await vault.open({ ...sealed, encryptedData }, ['w'])).toEqual({ ok: false, code: 'not_authentic' });
    }
  });

  test('half a surrogate pair is not text, and is refused rather than replaced', async () => {
    const { vault } = await vaultIn(await keysFolder());
    await expect(vault.seal('canary-\ud800', ['w'])).rejects.toThrow(NotText);
    await expect(vault.seal('canary-\ud800', ['w'])).rejects.not.toThrow(/canary/);
    await expect(vault.seal('text', ['\udc00'])).rejects.toThrow(NotText);
  });
});

/** The last letter before the padding has bits that no byte uses: the next letter stands for the same bytes. */
const nextLetter = (letter = 'A'): string => {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return letters[letters.indexOf(letter) + 1] ?? '/';
};

describe('A folder of keys', () => {
  test('is opened by another process on what the first sealed, and by many that start at once', async () => {
    const folder = await keysFolder();
    const vaults = await Promise.all(Array.from({ length: 8 }, () => vaultIn(folder)));
    const sealed = await Promise.all(vaults.map(({ vault }, index) => vault.seal(`secret ${index}`, ['w'])));
    for (const { vault } of vaults) {
      const opened = await Promise.all(sealed.map((each) => vault.open(each, ['w'])));
      expect(opened).toEqual(sealed.map((_, index) => ({ ok: true, plaintext: `secret ${index}` })));
    }
    expect(new Set(vaults.map(({ vault }) => vault.digest('x', ['w']))).size).toBe(1);
  });

  test('has files for its owner alone, and no plaintext', async () => {
    const folder = await keysFolder();
    const { vault } = await vaultIn(folder);
    await vault.destroy((await vault.seal('canary-plaintext', ['w'])).keyId);
    await vault.seal('canary-plaintext', ['w']);
    for (const [path, bytes] of await filesBelow(folder)) {
      expect([path, (await stat(path)).mode & 0o077]).toEqual([path, 0]);
      expect(bytes.includes('canary')).toBe(false);
    }
  });

  test('has nothing left of a destroyed key but a tombstone', async () => {
    const folder = await keysFolder();
    const { vault } = await vaultIn(folder);
    const { keyId } = await vault.seal('secret', ['w']);
    await vault.destroy(keyId);
    const left = [...(await filesBelow(folder))].filter(([path]) => path.includes(keyId));
    expect(left.map(([path, bytes]) => [path.split('/').at(-1), bytes.length])).toEqual([[`${keyId}.destroyed`, 0]]);
  });

  test('a destroyed key stays destroyed when an old copy of its file is put back', async () => {
    const folder = await keysFolder();
    const { vault } = await vaultIn(folder);
    const sealed: SealedSecret = await vault.seal('secret', ['w']);
    const before = await filesBelow(folder);
    await vault.destroy(sealed.keyId);
    const { writeFile } = await import('node:fs/promises');
    for (const [path, bytes] of before) if (path.includes(sealed.keyId)) await writeFile(path, bytes);
    expect(await vault.open(sealed, ['w'])).toEqual({ ok: false, code: 'destroyed' });
  });
});
