import { createHmac, type KeyObject } from 'node:crypto';
import { joinParts, toUtf8 } from './encoding.ts';

/**
 * First 32 hex digits of HMAC-SHA-256 over the joined parts and the secret. Keyed, since a plain hash of a short secret in an
 * event could be searched for offline, for ever.
 */
export const secretDigest = (vaultKey: Uint8Array | KeyObject, parts: readonly string[], plaintext: string): string => {
  const secret = toUtf8(plaintext);
  const digest = createHmac('sha256', vaultKey)
    .update(joinParts([String(parts.length), ...parts]))
    .update(secret)
    .digest('hex');
  secret.fill(0);
  return digest.slice(0, 32);
};
