import { sql } from 'kysely';
import type { ReadDatabase } from '../schema.ts';
import { at as timeOf } from '../table.ts';

export type PastPosition = {
  /** Of the newest event of the workspace that was recorded by then. */
  readonly position: number;
  /** How many events the workspace had by then. */
  readonly events: number;
};

/** Undefined: the workspace had no event yet. The audit trail numbers all of them, so that nothing is counted. */
export const findPastPosition = async (
  db: ReadDatabase,
  { workspaceId, at }: { readonly workspaceId: string; readonly at: number },
): Promise<PastPosition | undefined> => {
  const row = await db
    .selectFrom('audit_logs')
    .select(['position', 'seq'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`${sql.ref('created_at')} <= ${timeOf(at)}`)
    .orderBy('created_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { position: row.position, events: row.seq };
};

/** Streams that events of a workspace are in, up to a position. A host name's may hold those of others before or after it. */
export const listPastStreams = async (
  db: ReadDatabase,
  { workspaceId, position }: { readonly workspaceId: string; readonly position: number },
): Promise<readonly { readonly category: string; readonly id: string }[]> => {
  const rows = await db
    .selectFrom('events')
    .select(['resource_type', 'resource_id'])
    .distinct()
    .where('workspace_id', '=', workspaceId)
    .where('position', '<=', position)
    .execute();
  return rows.map((row) => ({ category: row.resource_type, id: row.resource_id }));
};
