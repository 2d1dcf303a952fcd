import type { ApiTokenEvent } from '../../domain/apiToken/index.ts';
import type { ApiTokenAnswer, DepartmentScope, Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { choice, nullable, type RowOf, string, table, timestamp } from '../table.ts';
import { cut, orNull } from '../text.ts';

/** Tokens for services by id. Neither the token nor its digest: the guard folds the token's stream. */
export const apiTokens = table<ApiTokenEvent>()({
  name: 'api_tokens',
  version: 2,
  columns: {
    id: string(64),
    workspace_id: string(64),
    name: string(255),
    role: choice(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER'], 'VIEWER'),
    department_id: string(64),
    issued_by: string(64),
    expires_at: nullable(timestamp()),
    used_at: nullable(timestamp()),
    revoked_at: nullable(timestamp()),
    created_at: timestamp(),
  },
  primaryKey: ['id'],
  indexes: { ix_api_token_workspace: ['workspace_id', 'created_at'] },
  checks: { ck_api_token_role: 'role' },
  foreignKeys: {
    fk_api_token_workspace: {
      columns: ['workspace_id'],
      references: 'workspaces',
      to: ['id'],
      onDelete: 'cascade',
      orphans: 'drop',
    },
  },
  on: {
    ApiTokenIssued: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        workspace_id: data.workspaceId,
        name: cut(data.name, 255),
        role: data.role,
        department_id: data.departmentId,
        issued_by: meta.actor.id,
        expires_at: data.expiresAt === 0 ? null : data.expiresAt,
        created_at: meta.recordedAt,
      }),
    ApiTokenUsed: ({ data, meta }, rows) => rows.patch(meta.subjectId, { used_at: data.usedAt }),
    ApiTokenRevoked: ({ meta }, rows) => rows.patch(meta.subjectId, { revoked_at: meta.recordedAt }),
  },
});

const answerOf = (row: RowOf<typeof apiTokens>): ApiTokenAnswer => ({
  id: row.id,
  workspaceId: row.workspace_id,
  name: row.name,
  role: row.role,
  departmentId: orNull(row.department_id),
  expiresAt: row.expires_at,
  usedAt: row.used_at,
  revokedAt: row.revoked_at,
  createdAt: row.created_at,
});

export const listApiTokens = async (
  db: ReadDatabase,
  { workspaceId, departmentIds, limit, after }: PageArgs & DepartmentScope & { workspaceId: string },
): Promise<Page<ApiTokenAnswer>> => {
  if (departmentIds?.length === 0) return { rows: [], next: null };
  const rows = await db
    .selectFrom('api_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .$if(departmentIds !== undefined, (query) => query.where('department_id', 'in', [...(departmentIds ?? [])]))
    .$if(after !== undefined, (query) => query.where(afterCursor('created_at', 'id', after)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
};

export const findApiToken = async (
  db: ReadDatabase,
  { workspaceId, tokenId }: { workspaceId: string; tokenId: string },
): Promise<ApiTokenAnswer | undefined> => {
  const row = await db
    .selectFrom('api_tokens')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', tokenId)
    .executeTakeFirst();
  return row && answerOf(row);
};

/** Ids of the tokens that this user issued in this workspace and nobody has revoked. */
export const listTokensIssuedBy = async (
  db: ReadDatabase,
  { workspaceId, userId }: { readonly workspaceId: string; readonly userId: string },
): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('api_tokens')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('issued_by', '=', userId)
    .where('revoked_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
};
