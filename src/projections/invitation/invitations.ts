import type { InvitationEvent } from '../../domain/invitation/index.ts';
import type { DepartmentScope, InvitationAnswer, Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { choice, json, nullable, type RowOf, string, table, timestamp } from '../table.ts';
import { parseStrings, withinDepartments } from '../values.ts';

/** Who was invited, and what became of it. Neither the token nor its digest: redeeming folds the invitation's stream. */
export const invitations = table<InvitationEvent>()({
  name: 'invitations',
  version: 1,
  columns: {
    id: string(64),
    workspace_id: string(64),
    email: string(320),
    role: choice(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'], 'VIEWER'),
    department_ids: json(),
    status: choice(['open', 'accepted', 'revoked'], 'open'),
    issued_by: string(64),
    user_id: string(64),
    expires_at: timestamp(),
    settled_at: nullable(timestamp()),
    created_at: timestamp(),
  },
  primaryKey: ['id'],
  indexes: { ix_invitation_workspace: ['workspace_id', 'created_at'] },
  checks: { ck_invitation_role: 'role', ck_invitation_status: 'status' },
  foreignKeys: {
    fk_invitation_workspace: {
      columns: ['workspace_id'],
      references: 'workspaces',
      to: ['id'],
      onDelete: 'cascade',
      orphans: 'drop',
    },
  },
  on: {
    InvitationIssued: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        workspace_id: data.workspaceId,
        email: data.email,
        role: data.role,
        department_ids: data.departmentIds,
        issued_by: data.issuedBy.id,
        expires_at: data.expiresAt,
        created_at: meta.recordedAt,
      }),
    InvitationAccepted: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'accepted', user_id: data.userId, settled_at: meta.recordedAt }),
    InvitationRevoked: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'revoked', settled_at: meta.recordedAt }),
  },
});

const answerOf = (row: RowOf<typeof invitations>): InvitationAnswer => ({
  id: row.id,
  workspaceId: row.workspace_id,
  email: row.email,
  role: row.role,
  departmentIds: parseStrings(row.department_ids),
  status: row.status,
  expiresAt: row.expires_at,
  settledAt: row.settled_at,
  createdAt: row.created_at,
});

export const listInvitations = async (
  db: ReadDatabase,
  { workspaceId, departmentIds, limit, after }: PageArgs & DepartmentScope & { workspaceId: string },
): Promise<Page<InvitationAnswer>> => {
  const rows = await db
    .selectFrom('invitations')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(departmentIds !== undefined, (query) => query.where(withinDepartments('department_ids', departmentIds ?? [])))
    .$if(after !== undefined, (query) => query.where(afterCursor('created_at', 'id', after)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
};
