import { z } from 'zod';
import { derivedId, reservationId } from '../domain/identifiers.ts';
import type { User } from '../domain/user/index.ts';
import type { WorkspaceCommand, WorkspaceRejection } from '../domain/workspace/index.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { emailField, idField, nameField, passwordField, roleField, slugField } from './fields.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import { generatePassword } from './tokens.ts';

export const createWorkspaceSchema = z.strictObject({ name: nameField, slug: slugField });
export type CreateWorkspace = z.output<typeof createWorkspaceSchema>;

export const addMemberSchema = z.strictObject({
  email: emailField,
  displayName: nameField.optional(),
  role: roleField,
  departmentIds: z.array(idField).max(100).default([]).meta({ description: 'Limits the member; empty: everywhere.' }),
  password: passwordField
    .optional()
    .meta({ description: 'For a person who is new here. Without it one is made and shown once.' }),
});
export type AddMember = z.output<typeof addMemberSchema>;

export const changeMemberSchema = z.strictObject({
  role: roleField,
  departmentIds: z.array(idField).max(100).default([]),
});
export type ChangeMember = z.output<typeof changeMemberSchema>;

type Deps = { readonly aggregates: Aggregates; readonly passwords: Passwords; readonly secretKey: Uint8Array };
export type Owner = { readonly userId: string; readonly email: string; readonly displayName: string };

/** Claims the slug, then creates: each step finds its own earlier work when a crash or a retry repeats it. */
export const createWorkspace = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  { name, slug }: CreateWorkspace,
  owner: Owner,
  request: Envelope,
  workspaceId = derivedId(sha256, 'workspace', request.commandId),
): Promise<Outcome<{ workspaceId: string; name: string; slug: string }, WorkspaceRejection | 'NameTaken'>> => {
  const envelope = { ...request, workspaceId };
  const creating = onNewStream(envelope);
  const command: WorkspaceCommand = { type: 'CreateWorkspace', data: { name, slug, owner } };
  // Decided first without appending: a key that belongs to another request must not claim a name.
  const rehearsed = await aggregates.workspace.send(workspaceId, command, { ...creating, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  // Its creation comes again after it was deleted: the slug may be somebody else's by now.
  if (rehearsed.state.status === 'deleted') return done({ workspaceId, name, slug }, rehearsed, rehearsed);
  const reserved = await reserve(aggregates, 'workspace', slug, workspaceId, envelope);
  if (!reserved.ok) return reserved.rejection.rejected === 'NameTaken' ? slugTaken : reserved;
  const created = await aggregates.workspace.send(workspaceId, command, creating);
  return created.ok ? done({ workspaceId, name, slug }, created, reserved, created) : created;
};

export const slugTaken = notSent('NameTaken', 'This slug is taken. Choose another one.', { field: 'slug' });

export const reserve = (
  aggregates: Aggregates,
  kind: 'email' | 'workspace' | 'department',
  name: string,
  ownerId: string,
  envelope: Envelope,
) => {
  const { expectedRevision: _, ...rest } = envelope;
  const id = reservationId(sha256, kind, name);
  return aggregates.reservation.send(id, { type: 'ReserveName', data: { kind, ownerId } }, rest);
};

/** Gives a name back that this owner holds; one that somebody else holds is left alone. */
export const release = (
  aggregates: Pick<Aggregates, 'reservation'>,
  kind: 'workspace' | 'department',
  name: string,
  ownerId: string,
  envelope: Envelope,
) => {
  const { expectedRevision: _, ...rest } = envelope;
  const id = reservationId(sha256, kind, name);
  return aggregates.reservation.send(id, { type: 'ReleaseName', data: { ownerId } }, rest);
};

export const deleteWorkspaceSchema = z.strictObject({
  confirm: z.string().max(63).meta({ description: 'The slug of the workspace: deleting is for good.' }),
});

/** For good. Its workers are taken down by a reaction; a slug that a crash keeps here is given back by another. */
export const deleteWorkspace = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  workspaceId: string,
  { confirm }: z.output<typeof deleteWorkspaceSchema>,
  envelope: Envelope,
): Promise<Outcome<null, WorkspaceRejection>> => {
  const command: WorkspaceCommand = { type: 'DeleteWorkspace', data: { confirm } };
  const deleted = await aggregates.workspace.send(workspaceId, command, envelope);
  if (!deleted.ok) return deleted;
  const released = await release(aggregates, 'workspace', confirm, workspaceId, envelope);
  return released.ok ? done(null, deleted, deleted, released) : done(null, deleted, deleted);
};

export type AddedMember = {
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly role: AddMember['role'];
  readonly departmentIds: readonly string[];
  /** Shown to whoever added a person that is new here, and never again; null for everybody else. */
  readonly generatedPassword: string | null;
};

/**
 * Who owns the address is the user. Where a crash left an address without its user, whoever comes next registers the user
 * under the id that owns the address. A person who is here already keeps name and password.
 */
export const addMember = async (
  { aggregates, passwords, secretKey }: Deps,
  workspaceId: string,
  input: AddMember,
  envelope: Envelope,
): Promise<Outcome<AddedMember, WorkspaceRejection | 'UserExists' | 'UserNotFound'>> => {
  const { email, role } = input;
  const departmentIds = [...new Set(input.departmentIds)].sort();
  const { userId, known } = await whoHas(aggregates, email, envelope);
  const displayName = known.status === 'absent' ? (input.displayName ?? email) : known.displayName;
  const command: WorkspaceCommand = { type: 'AddMember', data: { userId, email, displayName, role, departmentIds } };
  const rehearsed = await aggregates.workspace.send(workspaceId, command, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;

  const { expectedRevision: _, ...unconditional } = envelope;
  const reserved = await reserve(aggregates, 'email', email, userId, envelope);
  if (!reserved.ok) {
    // Somebody else claimed the address between the look and the claim: begin again, now as their guest.
    if (reserved.rejection.rejected === 'NameTaken')
      return addMember({ aggregates, passwords, secretKey }, workspaceId, input, envelope);
    return { ok: false, rejection: { ...reserved.rejection, rejected: reserved.rejection.rejected } };
  }
  const password = input.password ?? generatePassword(secretKey, envelope.commandId);
  const passwordHash = known.status === 'absent' ? await passwords.hash(password) : known.passwordHash;
  const registration = { type: 'RegisterUser', data: { email, displayName, passwordHash } } as const;
  const registered = await aggregates.user.send(userId, registration, unconditional);
  if (!registered.ok) return registered;
  const added = await aggregates.workspace.send(workspaceId, command, envelope);
  if (!added.ok) return added;
  const isNew = registered.events.length > 0;
  const generatedPassword = isNew && input.password === undefined ? password : null;
  const value = { userId, email, displayName, role, departmentIds, generatedPassword };
  return done(value, added, reserved, registered, added);
};

const whoHas = async (
  aggregates: Aggregates,
  email: string,
  { commandId }: Envelope,
): Promise<{ readonly userId: string; readonly known: User }> => {
  const { state } = await aggregates.reservation.load(reservationId(sha256, 'email', email));
  const userId = state.status === 'reserved' ? state.ownerId : derivedId(sha256, 'user', commandId);
  const { state: known } = await aggregates.user.load(userId);
  return { userId, known };
};
