import type { Message } from '../kernel.ts';

/** `passwordHash` is a self-describing hash string ($argon2id$…), never a password. */
export type UserEvent =
  | Message<'UserRegistered', { email: string; displayName: string; passwordHash: string }>
  | Message<'UserPasswordReplaced', { passwordHash: string }>
  /** The same password under a better hash. */
  | Message<'UserPasswordRehashed', { passwordHash: string }>
  /** Sessions of an earlier epoch are over, but for the one that is kept ('': none). */
  | Message<'UserSessionsEnded', { epoch: number; keptSessionId: string }>;
