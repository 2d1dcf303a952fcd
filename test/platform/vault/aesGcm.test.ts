import { createSecretKey } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { systemRandom } from '../../../src/platform/clock/system.ts';
import { open, seal } from '../../../src/platform/vault/aesGcm.ts';

const hex = z.string().transform((text) => Buffer.from(text, 'hex'));
const vector = z.object({
  ...{ tcId: z.int(), key: hex, iv: hex, aad: hex, msg: hex, ct: hex, tag: hex },
  result: z.enum(['valid', 'invalid']),
});
const vectors = readFileSync(join(import.meta.dirname, 'vectors/aesGcm.jsonl'), 'utf8')
  .trimEnd()
  .split('\n')
  .map((line) => vector.parse(JSON.parse(line)));
type Vector = (typeof vectors)[number];

const isOurKey = ({ key }: Vector) => key.length === 32;
const isOurs = (each: Vector) => isOurKey(each) && each.iv.length === 12;
const sealedOf = ({ iv, tag, ct }: Vector) => ({
  iv: iv.toString('base64'),
  tag: tag.toString('base64'),
  data: ct.toString('base64'),
});
const names = (some: readonly Vector[]) => some.map(({ tcId }) => tcId);

describe('AES-256-GCM on the Wycheproof vectors', () => {
  test('opens every valid case with our key and iv lengths, and gives the plaintext', () => {
    const valid = vectors.filter((each) => isOurs(each) && each.result === 'valid');
    expect(valid.length).toBe(39);
    const wrong = valid.filter((each) => {
      const opened = open(each.key, sealedOf(each), each.aad);
      return opened === 'not authentic' || !opened.equals(each.msg);
    });
    expect(names(wrong)).toEqual([]);
  });

  test('makes the ciphertext and tag of every such case from its plaintext and iv', () => {
    const valid = vectors.filter((each) => isOurs(each) && each.result === 'valid');
    for (const each of valid) {
      const random = { bytes: () => each.iv };
      expect([each.tcId, seal(each.key, each.msg, each.aad, random)]).toEqual([each.tcId, sealedOf(each)]);
      expect(seal(createSecretKey(each.key), each.msg, each.aad, random)).toEqual(sealedOf(each));
    }
  });

  test('refuses every invalid case, and every iv that is not 96 bits long even when it is valid', () => {
    const refused = vectors.filter((each) => isOurKey(each) && (each.result === 'invalid' || each.iv.length !== 12));
    expect(refused.length).toBe(66);
    const opened = refused.filter((each) => open(each.key, sealedOf(each), each.aad) !== 'not authentic');
    expect(names(opened)).toEqual([]);
  });

  test('throws for keys of other lengths before it looks at anything', () => {
    const others = vectors.filter((each) => !isOurKey(each));
    expect(others.length).toBe(211);
    for (const each of others) {
      expect(() => open(each.key, sealedOf(each), each.aad)).toThrow('32 bytes');
      expect(() => seal(each.key, each.msg, each.aad, systemRandom)).toThrow('32 bytes');
    }
  });
});

describe('AES-256-GCM', () => {
  const key = Buffer.alloc(32, 7);
  const aad = Buffer.from('aad');

  test('refuses truncated tags of every length, which the standard would let pass', () => {
    const sealed = seal(key, Buffer.from('text'), aad, systemRandom);
    for (let length = 0; length < 16; length += 1) {
      const tag = Buffer.from(sealed.tag, 'base64').subarray(0, length).toString('base64');
      expect(open(key, { ...sealed, tag }, aad)).toBe('not authentic');
    }
  });

  test('takes a new iv for every call', () => {
    const ivs = Array.from({ length: 100 }, () => seal(key, Buffer.from('text'), aad, systemRandom).iv);
    expect(new Set(ivs).size).toBe(100);
  });

  test('throws when the source of randomness gives another number of bytes than asked', () => {
    expect(() => seal(key, Buffer.from('text'), aad, { bytes: () => new Uint8Array(8) })).toThrow('randomness');
  });
});
