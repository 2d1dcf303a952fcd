import { z } from 'zod';
import { derivedId, reservationId } from '../domain/identifiers.ts';
import type { WorkspaceCommand, WorkspaceRejection } from '../domain/workspace/index.ts';
import type { Aggregates } from './aggregates.ts';
import { claimName } from './claimName.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { idField, roleField, slugField } from './fields.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import type { NotSent } from './send.ts';
import { nameField } from './texts.ts';

export const createWorkspaceSchema = z.strictObject({ name: nameField, slug: slugField });
export type CreateWorkspace = z.output<typeof createWorkspaceSchema>;

export const changeMemberSchema = z.strictObject({
  role: roleField,
  departmentIds: z.array(idField).max(100).default([]),
});
export type ChangeMember = z.output<typeof changeMemberSchema>;

type Deps = { readonly aggregates: Aggregates };
export type Owner = { readonly userId: string; readonly email: string; readonly displayName: string };

/** Claims the slug, then creates: each step finds its own earlier work when a crash or a retry repeats it. */
export const createWorkspace = async (
  { aggregates }: Deps,
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
  if (!rehearsed.ok) return forestalled(rehearsed);
  // Its creation comes again after it was deleted: the slug may be somebody else's by now.
  if (rehearsed.state.status === 'deleted') return done({ workspaceId, name, slug }, rehearsed, rehearsed);
  const claim = { kind: 'workspace', name: slug, ownerId: workspaceId } as const;
  const reserved = await claimName(aggregates, claim, (holder, how) => giveUp(aggregates, holder, how), envelope);
  if (!reserved.ok) return reserved.rejection.rejected === 'NameTaken' ? slugTaken : reserved;
  const created = await aggregates.workspace.send(workspaceId, command, creating);
  return created.ok ? done({ workspaceId, name, slug }, created, reserved, created) : forestalled(created);
};

/** The id follows from the command: nobody else has it, but somebody may have been given the slug meanwhile. */
const forestalled = (refused: NotSent<WorkspaceRejection>) =>
  refused.rejection.rejected === 'WorkspaceExists' ? slugTaken : refused;

/** A fact of no workspace: there is none. */
const giveUp = async ({ workspace }: Aggregates, workspaceId: string, envelope: Envelope): Promise<boolean> => {
  const forfeit = { type: 'ForfeitWorkspaceClaim', data: {} } as const;
  const sent = await workspace.send(workspaceId, forfeit, { ...envelope, workspaceId: '' });
  return sent.ok && sent.state.status !== 'active';
};

export const slugTaken = notSent('NameTaken', 'This slug is taken. Choose another one.', { field: 'slug' });

/** Names that are given back. */
export type ReservedKind = 'workspace' | 'department' | 'credential' | 'webhook';

export const reserve = (
  aggregates: Pick<Aggregates, 'reservation'>,
  kind: ReservedKind | 'email' | 'command',
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
  kind: ReservedKind,
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
  { aggregates }: Deps,
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
