import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import { crc32 } from 'node:zlib';

/**
 * A bearer token: prefix, 32 hex digits of an id, 40 of a secret (160 bits), 8 of a checksum. The id leads to the stream
 * that holds the digest; the checksum lets scanners and typing mistakes be told from real tokens without a look-up.
 * The secret is a keyed digest of the id: a retried command arrives at the same token, which is stored nowhere.
 */
export type TokenKind = 'session' | 'apiToken' | 'invitation';
export type ParsedToken = { readonly kind: TokenKind; readonly id: string; readonly digest: string };

const prefixes = { session: 'ops_', apiToken: 'opt_', invitation: 'opi_' } as const;
const kinds: ReadonlyMap<string, TokenKind> = new Map([
  [prefixes.session, 'session'],
  [prefixes.apiToken, 'apiToken'],
  [prefixes.invitation, 'invitation'],
]);
const shape = /^(ops_|opt_|opi_)([0-9a-f]{32})([0-9a-f]{40})([0-9a-f]{8})$/;

const checksum = (text: string): string => crc32(text).toString(16).padStart(8, '0');
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** `id` is a UUID. */
export const mintToken = (
  secretKey: Uint8Array,
  kind: TokenKind,
  id: string,
): { readonly token: string; readonly digest: string } => {
  const secret = createHmac('sha256', secretKey).update(`token\0${kind}\0${id}`).digest('hex').slice(0, 40);
  const body = `${prefixes[kind]}${id.replaceAll('-', '')}${secret}`;
  const token = `${body}${checksum(body)}`;
  return { token, digest: sha256(token) };
};

export const parseToken = (token: string): ParsedToken | undefined => {
  const [, prefix, id, secret, sum] = shape.exec(token) ?? [];
  const kind = kinds.get(prefix ?? '');
  if (!kind || !id || !secret || checksum(`${prefix}${id}${secret}`) !== sum) return undefined;
  return { kind, id: toUuid(id), digest: sha256(token) };
};

const toUuid = (hex: string): string =>
  `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;

/** Compares two hex digests in a time that does not depend on where they differ. */
export const sameDigest = (left: string, right: string): boolean =>
  left.length === right.length && timingSafeEqual(Buffer.from(left), Buffer.from(right));

/** 26 characters of 130 bits, derived like tokens so that a retry shows the same one. */
export const generatePassword = (secretKey: Uint8Array, commandId: string): string => {
  const alphabet = 'abcdefghijkmnpqrstuvwxyz23456789';
  const bytes = createHmac('sha256', secretKey).update(`password\0${commandId}`).digest();
  return Array.from(bytes.subarray(0, 26), (byte) => alphabet.charAt(byte % 32)).join('');
};
