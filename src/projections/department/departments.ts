import type { DepartmentEvent } from '../../domain/department/index.ts';
import type { DepartmentAnswer, DepartmentScope, Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { choice, nullable, type RowOf, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

export const departments = table<DepartmentEvent>()({
  name: 'departments',
  version: 2,
  columns: {
    id: string(64),
    workspace_id: string(64),
    name: string(255),
    slug: string(255),
    status: choice(['active', 'removed'], 'active'),
    removed_at: nullable(timestamp()),
    created_at: timestamp(),
  },
  primaryKey: ['id'],
  // A removed department keeps its row and its slug; another one may have the slug then.
  generated: { active_slug: { column: 'slug', when: { status: ['active'] } } },
  unique: { uq_department_workspace_slug: ['workspace_id', 'active_slug'] },
  checks: { ck_department_status: 'status' },
  foreignKeys: {
    fk_department_workspace: {
      columns: ['workspace_id'],
      references: 'workspaces',
      to: ['id'],
      onDelete: 'cascade',
      orphans: 'drop',
    },
  },
  on: {
    DepartmentClaimForfeited: 'ignored',
    DepartmentCreated: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        workspace_id: data.workspaceId,
        name: cut(data.name, 255),
        slug: data.slug,
        created_at: meta.recordedAt,
      }),
    DepartmentRemoved: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'removed', removed_at: meta.recordedAt }),
  },
});

const answerOf = (row: RowOf<typeof departments>): DepartmentAnswer => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  slug: row.slug,
  createdAt: row.created_at,
});

export const listDepartments = async (
  db: ReadDatabase,
  { workspaceId, departmentIds, limit, after }: PageArgs & DepartmentScope & { workspaceId: string },
): Promise<Page<DepartmentAnswer>> => {
  if (departmentIds?.length === 0) return { rows: [], next: null };
  const rows = await db
    .selectFrom('departments')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('status', '=', 'active')
    .$if(departmentIds !== undefined, (query) => query.where('id', 'in', [...(departmentIds ?? [])]))
    .$if(after !== undefined, (query) => query.where(afterCursor('created_at', 'id', after)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
};

export const findDepartment = async (
  db: ReadDatabase,
  { workspaceId, departmentId }: { workspaceId: string; departmentId: string },
): Promise<DepartmentAnswer | undefined> => {
  const row = await db
    .selectFrom('departments')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', departmentId)
    .where('status', '=', 'active')
    .executeTakeFirst();
  return row && answerOf(row);
};
