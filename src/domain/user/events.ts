import type { Message } from '../kernel.ts';

/**
 * `passwordHash` is a self-describing hash string ($argon2id$…), never a password. `initialUntil` is there when the program
 * made the password: its owner must change it, and after this time (ms since the epoch) it is worth nothing.
 */
export type UserEvent =
  | Message<
      'UserRegistered',
      { email: string; displayName: string; passwordHash: string; initialUntil?: number | undefined }
    >
  | Message<'UserPasswordReplaced', { passwordHash: string; initialUntil?: number | undefined }>
  /** The same password under a better hash. */
  | Message<'UserPasswordRehashed', { passwordHash: string }>
  /** Sessions of an earlier epoch are over, but for the one that is kept ('': none). */
  | Message<'UserSessionsEnded', { epoch: number; keptSessionId: string }>;
