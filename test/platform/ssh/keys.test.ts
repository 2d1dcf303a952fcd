import { execFileSync } from 'node:child_process';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import ssh2 from 'ssh2';
import { afterAll, describe, expect, test } from 'vitest';
import { createSshKeys } from '../../../src/platform/ssh/keys.ts';
import { generateSshKey, parseSshKey } from '../../../src/platform/ssh/parseKey.ts';
import { anSshPair } from '../../support/sshPair.ts';

const keys = createSshKeys();
const folder = mkdtempSync(join(tmpdir(), 'opslog-ssh-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

type Pair = { readonly private: string; readonly public: string };
const pairOf = (type: 'ed25519' | 'ecdsa' | 'rsa', options: object = {}): Pair => {
  const { utils } = ssh2;
  if (type === 'ed25519') return anSshPair(options);
  if (type === 'ecdsa') return utils.generateKeyPairSync('ecdsa', { bits: 256, ...options });
  return utils.generateKeyPairSync('rsa', { bits: 2_048, ...options });
};
const passphrase = 'correct horse battery staple';
const encrypted = (rounds = 2) => pairOf('ed25519', { passphrase, cipher: 'aes256-ctr', rounds }).private;

test('Every key that is generated can be read', () => {
  // One in 256 begins with a byte that the library drops: without looking, seven would be missed here.
  for (let made = 0; made < 2_000; made += 1) {
    const { privateKey, facts } = generateSshKey();
    expect(parseSshKey(privateKey, undefined)).toEqual({ ok: true, facts });
  }
}, 60_000);

describe('A private key', () => {
  test.each(['ed25519', 'ecdsa', 'rsa'] as const)('of type %s is read with its public half', async (type) => {
    const pair = pairOf(type);
    const read = await keys.read({ privateKey: pair.private });
    expect(read).toMatchObject({ ok: true, facts: { publicKey: pair.public.split(' ').slice(0, 2).join(' ') } });
  });

  test('is read in PEM form, with stray white space around it', async () => {
    const { privateKey } = generateKeyPairSync('rsa', {
      modulusLength: 2_048,
      privateKeyEncoding: { type: 'pkcs1', format: 'pem' },
      publicKeyEncoding: { type: 'spki', format: 'pem' },
    });
    expect(await keys.read({ privateKey: `\n\n  ${privateKey}\r\n ` })).toMatchObject({
      ok: true,
      facts: { keyType: 'ssh-rsa' },
    });
  });

  test('with a passphrase needs exactly that one', async () => {
    const privateKey = encrypted();
    expect(await keys.read({ privateKey, passphrase })).toMatchObject({ ok: true });
    for (const wrong of [undefined, 'another'])
      expect(await keys.read({ privateKey, passphrase: wrong })).toMatchObject({ ok: false, field: 'passphrase' });
    const plain = pairOf('ed25519').private;
    expect(await keys.read({ privateKey: plain, passphrase })).toMatchObject({ ok: false, field: 'passphrase' });
  });

  test('that would keep the server busy for days is refused before it is opened', async () => {
    const text = encrypted();
    const lines = text.split('\n');
    const bytes = Buffer.from(lines.slice(1, -2).join(''), 'base64');
    // The rounds follow the salt of 16 bytes, which follows its own length.
    const at = bytes.indexOf(Buffer.from('bcrypt')) + 'bcrypt'.length + 4 + 4 + 16;
    expect(bytes.readUInt32BE(at)).toBe(2);
    bytes.writeUInt32BE(0xffff_ffff, at);
    const slow = `${lines[0]}\n${bytes.toString('base64')}\n${lines.at(-2)}\n`;
    expect(await keys.read({ privateKey: slow, passphrase })).toMatchObject({ ok: false, field: 'privateKey' });
  });

  test('opening one leaves the server free for others', async () => {
    let ticks = 0;
    const ticking = setInterval(() => {
      ticks += 1;
    }, 1);
    await keys.read({ privateKey: encrypted(16), passphrase });
    clearInterval(ticking);
    expect(ticks).toBeGreaterThan(5);
  });

  test('that is too weak, of a kind that nobody takes any more, or a public one is refused', async () => {
    const weak = ssh2.utils.generateKeyPairSync('rsa', { bits: 1_024 }).private;
    const parts = { publicKeyEncoding: { type: 'spki', format: 'pem' } } as const;
    const { privateKey: curve } = generateKeyPairSync('ed25519', {
      ...parts,
      privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
    });
    for (const privateKey of [weak, curve, pairOf('ed25519').public, 'no key', '']) {
      expect(await keys.read({ privateKey })).toMatchObject({ ok: false, field: 'privateKey' });
    }
  });

  test('whose halves do not belong together is refused', async () => {
    const [one, other] = [pairOf('rsa').private, pairOf('rsa').private];
    const bytesOf = (text: string) => Buffer.from(text.split('\n').slice(1, -2).join(''), 'base64');
    const [head, tail] = [bytesOf(one), bytesOf(other)];
    const cut = Math.floor(head.length / 2);
    const mixed = Buffer.concat([head.subarray(0, cut), tail.subarray(cut)]).toString('base64');
    const text = `-----BEGIN OPENSSH PRIVATE KEY-----\n${mixed}\n-----END OPENSSH PRIVATE KEY-----\n`;
    expect(await keys.read({ privateKey: text })).toMatchObject({ ok: false });
  });

  test('of a file that says it holds none is refused', async () => {
    const lines = pairOf('ed25519').private.split('\n');
    const bytes = Buffer.from(lines.slice(1, -2).join(''), 'base64');
    // The number of keys follows the names of no cipher and no stretching, and no options.
    const at = 'openssh-key-v1\0'.length + 3 * 4 + 2 * 'none'.length;
    expect(bytes.readUInt32BE(at)).toBe(1);
    bytes.writeUInt32BE(0, at);
    const empty = `${lines[0]}\n${bytes.toString('base64')}\n${lines.at(-2)}\n`;
    expect(await keys.read({ privateKey: empty })).toMatchObject({ ok: false, field: 'privateKey' });
  });

  test('never makes the reader throw, and no reason repeats it', async () => {
    const good = pairOf('ed25519').private;
    await fc.assert(
      fc.asyncProperty(
        fc.nat({ max: good.length - 1 }),
        fc.string({ minLength: 1, maxLength: 12 }),
        async (at, junk) => {
          const read = await keys.read({ privateKey: good.slice(0, at) + junk + good.slice(at + junk.length) });
          const body = good.split('\n')[2] ?? '';
          if (!read.ok) expect(read.reason).not.toContain(body);
        },
      ),
      { numRuns: 300 },
    );
  });
});

describe('A key that is made here', () => {
  test('is Ed25519, reads as what it was said to be, and no two are alike', async () => {
    const [one, two] = [keys.generate(), keys.generate()];
    expect(one.facts.keyType).toBe('ssh-ed25519');
    expect(await keys.read({ privateKey: one.privateKey })).toEqual({ ok: true, facts: one.facts });
    expect(one.facts.publicKey).not.toBe(two.facts.publicKey);
  });
});

const hasKeygen = (() => {
  try {
    execFileSync('ssh-keygen', ['-Q', 'key'], { stdio: 'ignore' });
    return true;
  } catch (error) {
    return !(error instanceof Error && 'code' in error && error.code === 'ENOENT');
  }
})();

describe.skipIf(!hasKeygen)('What OpenSSH itself makes', () => {
  test.each([
    ['ed25519', []],
    ['rsa', ['-b', '3072']],
    ['ecdsa', ['-b', '384']],
  ] as const)('is read with the fingerprint that it shows: %s', async (type, more) => {
    const file = join(folder, type);
    execFileSync('ssh-keygen', ['-q', '-t', type, ...more, '-N', passphrase, '-f', file]);
    const shown = execFileSync('ssh-keygen', ['-l', '-f', file], { encoding: 'utf8' });
    const read = await keys.read({ privateKey: readFileSync(file, 'utf8'), passphrase });
    expect(read.ok && shown.includes(read.facts.fingerprint)).toBe(true);
  });
});
