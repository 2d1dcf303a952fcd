import { commonPasswordDigests } from './commonPasswordDigests.ts';
import { sha256 } from './envelope.ts';

/** Hexadecimal digits of the five bytes that are kept of each digest. */
const digits = 10;

let known: ReadonlySet<string> | undefined;

/** Decoded at its first use: most processes never ask. */
const digests = (): ReadonlySet<string> => {
  if (known) return known;
  const text = Buffer.from(commonPasswordDigests, 'base64').toString('hex');
  known = new Set(text.match(/.{10}/g) ?? []);
  return known;
};

/** Is it one of the 10,000 most common of 12 characters or more? Case makes no difference. */
export const isCommonPassword = (password: string): boolean =>
  digests().has(sha256(password.toLowerCase()).slice(0, digits));

export const commonPasswordCount = (): number => digests().size;
