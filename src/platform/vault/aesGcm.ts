import { createCipheriv, createDecipheriv, type KeyObject } from 'node:crypto';
import type { Random } from '../clock/port.ts';
import { fromBase64 } from './encoding.ts';
import type { Sealed } from './port.ts';

const algorithm = 'aes-256-gcm';
const keyBytes = 32;
const ivBytes = 12;
const tagBytes = 16;

/** AES-256-GCM (NIST SP 800-38D) with a random 96-bit iv and a 128-bit tag. Throws for a key of another length. */
export const seal = (
  key: Uint8Array | KeyObject,
  plaintext: Uint8Array,
  aad: Uint8Array,
  random: Pick<Random, 'bytes'>,
): Sealed => {
  expectLength(key);
  const iv = random.bytes(ivBytes);
  if (iv.length !== ivBytes) throw new Error('The source of randomness gave a wrong number of bytes.');
  const cipher = createCipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(aad);
  const data = Buffer.concat([cipher.update(plaintext), cipher.final()]);
  return {
    iv: Buffer.from(iv).toString('base64'),
    tag: cipher.getAuthTag().toString('base64'),
    data: data.toString('base64'),
  };
};

/** One answer for whatever is wrong with the sealed parts, so that nothing is learned from it. Throws for a key of another length. */
export const open = (key: Uint8Array | KeyObject, sealed: Sealed, aad: Uint8Array): Buffer | 'not authentic' => {
  expectLength(key);
  const iv = fromBase64(sealed.iv);
  const tag = fromBase64(sealed.tag);
  const data = fromBase64(sealed.data);
  if (iv?.length !== ivBytes || tag?.length !== tagBytes || data === undefined) return 'not authentic';
  const decipher = createDecipheriv(algorithm, key, iv, { authTagLength: tagBytes }).setAAD(aad).setAuthTag(tag);
  const plaintext = decipher.update(data);
  try {
    decipher.final();
    return plaintext;
  } catch {
    // What was deciphered before the tag was found wrong belongs to nobody.
    plaintext.fill(0);
    return 'not authentic';
  }
};

const expectLength = (key: Uint8Array | KeyObject): void => {
  const length = key instanceof Uint8Array ? key.length : key.symmetricKeySize;
  if (length !== keyBytes) throw new RangeError('An AES-256 key has 32 bytes.');
};
