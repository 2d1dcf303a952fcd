import type { CredentialKind } from '../../domain/credential/index.ts';
import type { DepartmentScope, Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import type { RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parseAny } from '../values.ts';
import type { credentials } from './credentials.ts';

/** Never with the sealed value: no question asks for it. */
export type CredentialAnswer = {
  readonly id: string;
  readonly workspaceId: string;
  readonly departmentId: string | null;
  readonly name: string;
  readonly description: string;
  readonly kind: CredentialKind;
  readonly details: unknown;
  readonly version: number;
  readonly digest: string;
  readonly storedBy: string | null;
  readonly storedAt: number;
  readonly lastUse: { readonly at: number; readonly purpose: string; readonly subjectId: string } | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

const shown = [
  ...(['id', 'workspace_id', 'department_id', 'name', 'description', 'kind', 'details', 'version', 'digest'] as const),
  ...(['stored_by', 'stored_at', 'last_used_at', 'last_used_for', 'last_used_on', 'created_at', 'updated_at'] as const),
] as const;

const answerOf = (row: Pick<RowOf<typeof credentials>, (typeof shown)[number]>): CredentialAnswer => ({
  ...{ id: row.id, workspaceId: row.workspace_id, departmentId: orNull(row.department_id) },
  ...{ name: row.name, description: row.description, kind: row.kind, details: parseAny(row.details) },
  ...{ version: row.version, digest: row.digest, storedBy: orNull(row.stored_by), storedAt: row.stored_at },
  lastUse:
    row.last_used_at === null
      ? null
      : { at: row.last_used_at, purpose: row.last_used_for, subjectId: row.last_used_on },
  ...{ createdAt: row.created_at, updatedAt: row.updated_at },
});

type InWorkspace = { readonly workspaceId: string };
export type CredentialFilter = {
  readonly kind?: CredentialKind | undefined;
  readonly departmentId?: string | undefined;
};

/** Oldest first, without the deleted ones. */
export const listCredentials = async (
  db: ReadDatabase,
  args: PageArgs & InWorkspace & CredentialFilter & DepartmentScope,
): Promise<Page<CredentialAnswer>> => {
  const { workspaceId, kind, departmentId, departmentIds, limit, after } = args;
  if (departmentIds?.length === 0) return { rows: [], next: null };
  let query = db
    .selectFrom('credentials')
    .select(shown)
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'active');
  if (kind !== undefined) query = query.where('kind', '=', kind);
  if (departmentId !== undefined) query = query.where('department_id', '=', departmentId);
  if (departmentIds !== undefined) query = query.where('department_id', 'in', [...departmentIds]);
  const rows = await query
    .where(afterCursor('created_at', 'id', after))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
};

export const findCredential = async (
  db: ReadDatabase,
  { workspaceId, credentialId, departmentIds }: InWorkspace & DepartmentScope & { readonly credentialId: string },
): Promise<CredentialAnswer | undefined> => {
  if (departmentIds?.length === 0) return undefined;
  const row = await db
    .selectFrom('credentials')
    .select(shown)
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', credentialId)
    .where('status', '=', 'active')
    .$if(departmentIds !== undefined, (query) => query.where('department_id', 'in', [...(departmentIds ?? [])]))
    .executeTakeFirst();
  return row && answerOf(row);
};

/** Those that can be used, of a workspace or bound to one department of it: for whoever deletes them with their owner. */
export const listActiveCredentials = async (
  db: ReadDatabase,
  { workspaceId, departmentId }: InWorkspace & { readonly departmentId?: string | undefined },
): Promise<readonly { readonly credentialId: string; readonly departmentId: string }[]> => {
  const rows = await db
    .selectFrom('credentials')
    .select(['id', 'department_id'])
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'active')
    .$if(departmentId !== undefined, (query) => query.where('department_id', '=', departmentId ?? ''))
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ credentialId: row.id, departmentId: row.department_id }));
};
