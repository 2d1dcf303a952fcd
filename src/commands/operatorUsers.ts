import { z } from 'zod';
import { derivedId, reservationId } from '../domain/identifiers.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { emailField } from './fields.ts';
import { initialPasswordMs } from './passwordRules.ts';
import { nameField } from './texts.ts';
import { generatePassword } from './tokens.ts';
import { reserve } from './workspace.ts';

// What only whoever runs the machine does with accounts.

type Deps = { readonly aggregates: Pick<Aggregates, 'user' | 'reservation'> };

export const importedUserSchema = z.strictObject({
  email: emailField,
  displayName: nameField,
  passwordHash: z.string().max(256),
});
export type ImportedUser = z.output<typeof importedUserSchema>;

const operatorEnvelope = (commandId: string): Envelope => ({
  ...{ commandId, commandDigest: '', actor: { kind: 'system', id: 'operator' }, authMethod: 'system' },
  ...{ workspaceId: '', departmentId: '', requestId: '', correlationId: commandId, causationId: '' },
});

/** An account with a hash from elsewhere. Once more it is the same account; one that is here already is left as it is. */
export const importUser = async (
  { aggregates }: Deps,
  { email, displayName, passwordHash }: ImportedUser,
): Promise<'imported' | 'present'> => {
  const envelope = operatorEnvelope(derivedId(sha256, 'import-user', email));
  const { state } = await aggregates.reservation.load(reservationId(sha256, 'email', email));
  const userId = state.status === 'reserved' ? state.ownerId : derivedId(sha256, 'user', 'import', email);
  const reserved = await reserve(aggregates, 'email', email, userId, envelope);
  // Somebody registered it a moment ago.
  if (!reserved.ok) return 'present';
  const command = { type: 'RegisterUser', data: { email, displayName, passwordHash } } as const;
  const sent = await aggregates.user.send(userId, command, envelope);
  return sent.ok && sent.events.length > 0 ? 'imported' : 'present';
};

/**
 * A new password for whoever lost his, to be changed at the next sign-in, and the end of every session of the account.
 * Undefined: nobody has the address.
 */
export const resetPassword = async (
  {
    aggregates,
    passwords,
    secretKey,
    clock,
  }: Deps & { readonly passwords: Passwords; readonly secretKey: Uint8Array; readonly clock: { now(): number } },
  email: string,
  commandId: string,
): Promise<{ readonly userId: string; readonly password: string } | undefined> => {
  const { state } = await aggregates.reservation.load(reservationId(sha256, 'email', email));
  if (state.status !== 'reserved') return undefined;
  const userId = state.ownerId;
  const password = generatePassword(secretKey, commandId);
  const passwordHash = await passwords.hash(password);
  const initialUntil = clock.now() + initialPasswordMs;
  const command = { type: 'ChangeUserPassword', data: { passwordHash, keepSessionId: '', initialUntil } } as const;
  const sent = await aggregates.user.send(userId, command, operatorEnvelope(commandId));
  return sent.ok ? { userId, password } : undefined;
};
