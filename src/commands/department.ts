import { z } from 'zod';
import type { DepartmentCommand, DepartmentRejection } from '../domain/department/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { claimName, type GiveUp } from './claimName.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { slugField } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import type { NotSent } from './send.ts';
import { nameField } from './texts.ts';
import { release, slugTaken } from './workspace.ts';

export const createDepartmentSchema = z.strictObject({ name: nameField, slug: slugField });
export type CreateDepartment = z.output<typeof createDepartmentSchema>;

/** A slug is unique within its workspace. */
export const createDepartment = async (
  { aggregates }: { readonly aggregates: Aggregates },
  workspaceId: string,
  { name, slug }: CreateDepartment,
  request: Envelope,
): Promise<
  Outcome<{ departmentId: string; workspaceId: string; name: string; slug: string }, DepartmentRejection | 'NameTaken'>
> => {
  const departmentId = derivedId(sha256, 'department', request.commandId);
  const envelope = { ...request, departmentId };
  const creating = onNewStream(envelope);
  const command: DepartmentCommand = { type: 'CreateDepartment', data: { workspaceId, name, slug } };
  const rehearsed = await aggregates.department.send(departmentId, command, { ...creating, dryRun: true });
  if (!rehearsed.ok) return forestalled(rehearsed);
  // Its creation comes again after it was removed: the name may be somebody else's by now.
  if (rehearsed.state.status === 'removed')
    return done({ departmentId, workspaceId, name, slug }, rehearsed, rehearsed);
  const claim = { kind: 'department', name: `${workspaceId}/${slug}`, ownerId: departmentId } as const;
  const giveUp: GiveUp = async (holder, how) => {
    const forfeit = { type: 'ForfeitDepartmentClaim', data: { workspaceId } } as const;
    const sent = await aggregates.department.send(holder, forfeit, { ...how, departmentId: '' });
    return sent.ok && sent.state.status !== 'active';
  };
  const reserved = await claimName(aggregates, claim, giveUp, envelope);
  if (!reserved.ok) return reserved.rejection.rejected === 'NameTaken' ? slugTaken : reserved;
  const created = await aggregates.department.send(departmentId, command, creating);
  return created.ok
    ? done({ departmentId, workspaceId, name, slug }, created, reserved, created)
    : forestalled(created);
};

/** The id follows from the command: nobody else has it, but somebody may have been given the slug meanwhile. */
const forestalled = (refused: NotSent<DepartmentRejection>) =>
  refused.rejection.rejected === 'DepartmentExists' ? slugTaken : refused;

/** Soft: nobody sees it any more, its worker is retired by a reaction, its slug may be used again. */
export const removeDepartment = async (
  { aggregates }: { readonly aggregates: Aggregates },
  { workspaceId, departmentId }: { readonly workspaceId: string; readonly departmentId: string },
  envelope: Envelope,
): Promise<Outcome<null, DepartmentRejection>> => {
  const command: DepartmentCommand = { type: 'RemoveDepartment', data: { workspaceId } };
  const removed = await aggregates.department.send(departmentId, command, envelope);
  if (!removed.ok) return removed;
  const { state } = removed;
  const slug = state.status === 'absent' ? '' : state.slug;
  const released = await release(aggregates, 'department', `${workspaceId}/${slug}`, departmentId, envelope);
  return released.ok ? done(null, removed, removed, released) : done(null, removed, removed);
};
