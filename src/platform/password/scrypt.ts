import { scrypt, timingSafeEqual } from 'node:crypto';

/** A hash in PHC form, `$scrypt$ln=16,r=8,p=1$<salt>$<hash>`, in base64 without padding. */
export type ScryptHash = {
  readonly ln: number;
  readonly r: number;
  readonly p: number;
  readonly salt: Uint8Array;
  readonly hash: Uint8Array;
};

const shape = /^\$scrypt\$ln=(\d{1,2}),r=(\d{1,2}),p=(\d{1,2})\$([A-Za-z0-9+/]{11,88})\$([A-Za-z0-9+/]{22,88})$/;

/** 128 * N * r bytes at most, and that times p of work: what somebody imports must not take the machine down. */
const maxBytes = 128 * 1024 * 1024;

/** Undefined for what is no such hash, or asks for more memory or work than a sign-in may take. */
export const parseScrypt = (text: string): ScryptHash | undefined => {
  const [, ln = '', r = '', p = '', salt = '', hash = ''] = shape.exec(text) ?? [];
  const [log, block, lanes] = [Number(ln), Number(r), Number(p)];
  if (log < 14 || log > 17 || block < 1 || block > 16 || lanes < 1 || lanes > 4) return undefined;
  if (memoryOf({ ln: log, r: block }) * lanes > maxBytes) return undefined;
  const found = { ln: log, r: block, p: lanes, salt: Buffer.from(salt, 'base64'), hash: Buffer.from(hash, 'base64') };
  return found.salt.length >= 8 && found.hash.length >= 16 ? found : undefined;
};

const memoryOf = ({ ln, r }: Pick<ScryptHash, 'ln' | 'r'>): number => 128 * 2 ** ln * r;

export const isScrypt = (text: string): boolean => text.startsWith('$scrypt$');

export const verifyScrypt = ({ ln, r, p, salt, hash }: ScryptHash, password: string): Promise<boolean> =>
  new Promise((resolve, reject) => {
    const maxmem = memoryOf({ ln, r }) + 1024 * 1024 * p * 2;
    scrypt(password, salt, hash.length, { N: 2 ** ln, r, p, maxmem }, (error, key) => {
      if (error) reject(error);
      else resolve(timingSafeEqual(key, hash));
    });
  });

/** As much work as another hash, and nobody's password. */
export const nobodysScrypt = ({ ln, r, p }: Pick<ScryptHash, 'ln' | 'r' | 'p'>): ScryptHash => ({
  ...{ ln, r, p },
  salt: Buffer.alloc(16),
  hash: Buffer.alloc(32),
});
