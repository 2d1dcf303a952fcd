import { z } from 'zod';
import { derivedId } from '../domain/identifiers.ts';
import type { InvitationRejection } from '../domain/invitation/index.ts';
import type { Rights } from '../domain/roles.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { emailField, idField, passwordField, roleField, secretInput } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import { nameField } from './texts.ts';
import { mintToken } from './tokens.ts';

export const inviteMemberSchema = z.strictObject({
  email: emailField,
  role: roleField,
  departmentIds: z.array(idField).max(100).default([]).meta({ description: 'Limits the member; empty: everywhere.' }),
  expiresInDays: z.number().int().min(1).max(30).default(7),
});
export type InviteMember = z.output<typeof inviteMemberSchema>;

const tokenField = z
  .string()
  .max(200)
  .meta({ ...secretInput, description: 'The token of the invitation.' });
export const acceptInvitationSchema = z.strictObject({ token: tokenField });
export const registerByInvitationSchema = z.strictObject({
  token: tokenField,
  displayName: nameField,
  password: passwordField,
});
export type RegisterByInvitation = z.output<typeof registerByInvitationSchema>;

type Deps = {
  readonly aggregates: Aggregates;
  readonly secretKey: Uint8Array;
  readonly clock: { now(): number };
};

const dayMs = 24 * 60 * 60 * 1000;

export type IssuedInvitation = Rights & {
  readonly invitationId: string;
  readonly email: string;
  readonly expiresAt: number;
  readonly token: string;
};

/** The token is in the answer and nowhere else. Only its holder can find out whether the address has an account. */
export const inviteMember = async (
  { aggregates, secretKey, clock }: Deps,
  workspaceId: string,
  { email, role, departmentIds: given, expiresInDays }: InviteMember,
  envelope: Envelope,
): Promise<Outcome<IssuedInvitation, InvitationRejection>> => {
  const invitationId = derivedId(sha256, 'invitation', envelope.commandId);
  const { token, digest } = mintToken(secretKey, 'invitation', invitationId);
  const departmentIds = [...new Set(given)].sort();
  const expiresAt = clock.now() + expiresInDays * dayMs;
  const issuedBy = envelope.actor;
  const data = { workspaceId, email, role, departmentIds, digest, expiresAt, issuedBy };
  const command = { type: 'IssueInvitation', data } as const;
  const sent = await aggregates.invitation.send(invitationId, command, onNewStream(envelope));
  if (!sent.ok) return sent;
  const issued = sent.state.status === 'absent' ? expiresAt : sent.state.expiresAt;
  return done({ invitationId, email, role, departmentIds, expiresAt: issued, token }, sent, sent);
};
