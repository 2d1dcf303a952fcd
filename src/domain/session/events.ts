import type { Message } from '../kernel.ts';

/**
 * `tokenDigest` is the SHA-256 of the bearer token, hex. `epoch` is that of the user when it began (0 when absent);
 * `userAgent` is what the client called itself, cut and masked.
 */
export type SessionEvent =
  | Message<
      'SessionOpened',
      {
        userId: string;
        tokenDigest: string;
        expiresAt: number;
        epoch?: number | undefined;
        userAgent?: string | undefined;
      }
    >
  /** At most once an hour. */
  | Message<'SessionUsed', { usedAt: number }>
  | Message<'SessionRevoked', Record<never, never>>;
