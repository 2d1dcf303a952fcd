import { createHash } from 'node:crypto';
import { ArtifactDigestInvalid } from './errors.ts';

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

export const isDigest = (text: string): boolean => /^[0-9a-f]{64}$/.test(text);

/** The digest itself, or ArtifactDigestInvalid. */
export const checkedDigest = (text: string): string => {
  if (!isDigest(text)) throw new ArtifactDigestInvalid('An artifact is named by 64 lower-case hex digits.');
  return text;
};
