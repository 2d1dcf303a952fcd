import type { Message } from '../kernel.ts';

/** `passwordHash` is a self-describing hash string ($argon2id$…), never a password. */
export type UserEvent =
  | Message<'UserRegistered', { email: string; displayName: string; passwordHash: string }>
  | Message<'UserPasswordReplaced', { passwordHash: string }>;
