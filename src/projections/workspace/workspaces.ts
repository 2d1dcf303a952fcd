import type { WorkspaceEvent } from '../../domain/workspace/index.ts';
import type { Page, PageArgs, WorkspaceAnswer, WorkspaceOfUser } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { type RowOf, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';
import { parseStrings } from '../values.ts';

/** The tenants; the edge half calls them companies. */
export const workspaces = table<WorkspaceEvent>()({
  name: 'workspaces',
  version: 2,
  columns: { id: string(64), name: string(255), slug: string(255), created_at: timestamp() },
  primaryKey: ['id'],
  unique: { uq_workspace_slug: ['slug'] },
  on: {
    WorkspaceCreated: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        name: cut(data.name, 255),
        slug: data.slug,
        created_at: meta.recordedAt,
      }),
    WorkspaceClaimForfeited: 'ignored',
    WorkspaceDeleted: ({ meta }, rows) => rows.remove(meta.subjectId),
    MemberAdded: 'ignored',
    MemberRoleAssigned: 'ignored',
    MemberInvitationRedeemed: 'ignored',
    MemberRemoved: 'ignored',
  },
});

const answerOf = (row: RowOf<typeof workspaces>): WorkspaceAnswer => ({
  id: row.id,
  name: row.name,
  slug: row.slug,
  createdAt: row.created_at,
});

export const findWorkspace = async (
  db: ReadDatabase,
  { workspaceId }: { workspaceId: string },
): Promise<WorkspaceAnswer | undefined> => {
  const row = await db.selectFrom('workspaces').selectAll().where('id', '=', workspaceId).executeTakeFirst();
  return row && answerOf(row);
};

export const listWorkspacesOfUser = async (
  db: ReadDatabase,
  { userId, limit, after }: PageArgs & { userId: string },
): Promise<Page<WorkspaceOfUser>> => {
  const rows = await db
    .selectFrom('workspace_members')
    .innerJoin('workspaces', 'workspaces.id', 'workspace_members.workspace_id')
    .selectAll('workspaces')
    .select(['workspace_members.role', 'workspace_members.department_ids'])
    .where('workspace_members.user_id', '=', userId)
    .$if(after !== undefined, (query) => query.where(afterCursor('workspaces.created_at', 'workspaces.id', after)))
    .orderBy('workspaces.created_at')
    .orderBy('workspaces.id')
    .limit(limit + 1)
    .execute();
  const page = pageOf(rows, limit, (row) => ({ key: row.created_at, id: row.id }));
  return {
    ...page,
    rows: page.rows.map((row) => ({
      ...answerOf(row),
      role: row.role,
      departmentIds: parseStrings(row.department_ids),
    })),
  };
};
