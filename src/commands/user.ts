import { z } from 'zod';
import type { UserRejection } from '../domain/user/index.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { Aggregates } from './aggregates.ts';
import type { Envelope } from './envelope.ts';
import { knownPasswordField, passwordField } from './fields.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import { isExpired, objectionTo, passwordExpired } from './passwordRules.ts';

export const changePasswordSchema = z.strictObject({
  currentPassword: knownPasswordField,
  newPassword: passwordField,
});
export type ChangePassword = z.output<typeof changePasswordSchema>;

/**
 * Whoever holds a session proves once more who he is before the password changes. Every other session ends with it; API
 * tokens stay: they belong to the workspace, and are revoked there.
 */
export const changePassword = async (
  {
    aggregates,
    passwords,
    clock,
  }: { readonly aggregates: Aggregates; readonly passwords: Passwords; readonly clock: { now(): number } },
  { userId, sessionId: keepSessionId }: { readonly userId: string; readonly sessionId: string },
  { currentPassword, newPassword }: ChangePassword,
  envelope: Envelope,
): Promise<Outcome<null, UserRejection | 'CredentialsInvalid' | 'PasswordExpired' | 'PasswordRefused'>> => {
  const { state } = await aggregates.user.load(userId);
  if (state.status === 'absent') return notSent('UserNotFound', 'There is no such user.');
  // On a retry the new password is the current one already: look for the first attempt before asking for the old one.
  const unchanged = { type: 'ChangeUserPassword', data: { passwordHash: state.passwordHash, keepSessionId } } as const;
  const earlier = await aggregates.user.send(userId, unchanged, { ...envelope, dryRun: true });
  if (!earlier.ok) return earlier;
  if (earlier.replayed) return done(null, earlier, earlier);
  if (!(await passwords.verify(state.passwordHash, currentPassword))) {
    return notSent('CredentialsInvalid', 'The current password is wrong.', { field: 'currentPassword' });
  }
  if (isExpired(state.initialUntil, clock.now())) return passwordExpired;
  const isSame = newPassword === currentPassword;
  const objection = isSame ? 'The new password must be another one.' : objectionTo(newPassword, state.email);
  if (objection !== undefined) return notSent('PasswordRefused', objection, { field: 'newPassword' });
  const passwordHash = await passwords.hash(newPassword);
  const command = { type: 'ChangeUserPassword', data: { passwordHash, keepSessionId } } as const;
  const sent = await aggregates.user.send(userId, command, envelope);
  return sent.ok ? done(null, sent, sent) : sent;
};
