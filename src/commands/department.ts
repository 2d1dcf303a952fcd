import { z } from 'zod';
import type { DepartmentCommand, DepartmentRejection } from '../domain/department/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { nameField, slugField } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import { reserve, slugTaken } from './workspace.ts';

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
  if (!rehearsed.ok) return rehearsed;
  const reserved = await reserve(aggregates, 'department', `${workspaceId}/${slug}`, departmentId, envelope);
  if (!reserved.ok) return reserved.rejection.rejected === 'NameTaken' ? slugTaken : reserved;
  const created = await aggregates.department.send(departmentId, command, creating);
  return created.ok ? done({ departmentId, workspaceId, name, slug }, created, reserved, created) : created;
};
