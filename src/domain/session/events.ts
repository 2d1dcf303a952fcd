import type { Message } from '../kernel.ts';

/** `tokenDigest` is the SHA-256 of the bearer token, hex. */
export type SessionEvent =
  | Message<'SessionOpened', { userId: string; tokenDigest: string; expiresAt: number }>
  | Message<'SessionRevoked', Record<never, never>>;
