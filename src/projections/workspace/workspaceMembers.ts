import type { WorkspaceEvent } from '../../domain/workspace/index.ts';
import type { DepartmentScope, MemberAnswer, Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { choice, json, type RowOf, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';
import { parseStrings, withinDepartments } from '../values.ts';

/** Who may do what in a workspace. An empty list of departments means all of them. */
export const workspaceMembers = table<WorkspaceEvent>()({
  name: 'workspace_members',
  version: 1,
  columns: {
    workspace_id: string(64),
    user_id: string(64),
    email: string(320),
    display_name: string(255),
    role: choice(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'], 'VIEWER'),
    department_ids: json(),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  primaryKey: ['workspace_id', 'user_id'],
  indexes: { ix_workspace_member_user: ['user_id'] },
  checks: { ck_workspace_member_role: 'role' },
  foreignKeys: {
    fk_workspace_member_workspace: {
      columns: ['workspace_id'],
      references: 'workspaces',
      to: ['id'],
      onDelete: 'cascade',
    },
  },
  on: {
    WorkspaceCreated: 'ignored',
    WorkspaceClaimForfeited: 'ignored',
    WorkspaceDeleted: 'ignored',
    MemberAdded: ({ data, meta }, rows) =>
      rows.insert({
        workspace_id: meta.subjectId,
        user_id: data.userId,
        email: data.email,
        display_name: cut(data.displayName, 255),
        role: data.role,
        department_ids: data.departmentIds,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    MemberRoleAssigned: ({ data, meta }, rows) =>
      rows.patch(
        { workspace_id: meta.subjectId, user_id: data.userId },
        { role: data.role, department_ids: data.departmentIds, updated_at: meta.recordedAt },
      ),
    MemberInvitationRedeemed: 'ignored',
    MemberRemoved: ({ data, meta }, rows) => rows.remove({ workspace_id: meta.subjectId, user_id: data.userId }),
  },
});

const answerOf = (row: RowOf<typeof workspaceMembers>): MemberAnswer => ({
  workspaceId: row.workspace_id,
  userId: row.user_id,
  email: row.email,
  displayName: row.display_name,
  role: row.role,
  departmentIds: parseStrings(row.department_ids),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const listMembers = async (
  db: ReadDatabase,
  { workspaceId, departmentIds, limit, after }: PageArgs & DepartmentScope & { workspaceId: string },
): Promise<Page<MemberAnswer>> => {
  const rows = await db
    .selectFrom('workspace_members')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    // Whoever is limited sees those who may act where he may, with those who may act everywhere.
    .$if(departmentIds !== undefined, (query) =>
      query.where((is) =>
        is.or([is('department_ids', '=', '[]'), withinDepartments('department_ids', departmentIds ?? [])]),
      ),
    )
    .$if(after !== undefined, (query) => query.where(afterCursor('created_at', 'user_id', after)))
    .orderBy('created_at')
    .orderBy('user_id')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.createdAt, id: row.userId }));
};

export const findMember = async (
  db: ReadDatabase,
  { workspaceId, userId }: { workspaceId: string; userId: string },
): Promise<MemberAnswer | undefined> => {
  const row = await db
    .selectFrom('workspace_members')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('user_id', '=', userId)
    .executeTakeFirst();
  return row && answerOf(row);
};
