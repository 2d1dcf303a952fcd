import { type SqlBool, sql } from 'kysely';
import type { AuditAnswer, AuditFilter, DepartmentScope, Page, PageArgs } from '../answers.ts';
import { coveredText } from '../engine/chain.ts';
import { relationSeen } from '../event/told.ts';
import { beforeCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { at, type RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parseAny } from '../values.ts';
import { auditLogs } from './auditLogs.ts';

const answerOf = (row: RowOf<typeof auditLogs>): AuditAnswer => ({
  id: row.id,
  workspaceId: row.workspace_id,
  seq: row.seq,
  actorType: row.actor_type,
  actorId: orNull(row.actor_id),
  authMethod: row.auth_method,
  action: row.action,
  resourceType: row.resource_type,
  resourceId: row.resource_id,
  resourceRevision: row.resource_revision,
  departmentId: orNull(row.department_id),
  riskLevel: row.risk_level,
  status: row.status,
  requestId: orNull(row.request_id),
  correlationId: orNull(row.correlation_id),
  causationId: orNull(row.causation_id),
  commandId: orNull(row.command_id),
  ip: orNull(row.ip),
  metadata: parseAny(row.metadata),
  position: row.position,
  createdAt: row.created_at,
  previousHash: orNull(row.previous_hash),
  hash: row.hash,
});

/** Which event the trail has from a position of the log. */
export const findAuditedAt = async (
  db: ReadDatabase,
  { eventId, position }: { readonly eventId: string; readonly position: bigint },
): Promise<'same' | 'other' | 'none'> => {
  const found = await db
    .selectFrom('audit_logs')
    .select('id')
    .where('position', '=', Number(position))
    .executeTakeFirst();
  if (found === undefined) return 'none';
  return found.id === eventId ? 'same' : 'other';
};

type AuditArgs = PageArgs & AuditFilter & DepartmentScope & { readonly workspaceId: string };

/** The trail is for administrators: one who is limited to departments is not told what these relate to beyond them. */
const relationsWithin = (departmentIds: readonly string[]) =>
  sql<SqlBool>`(audit_logs.resource_type <> 'resourceRelation' or ${relationSeen({ role: 'ADMIN', departmentIds }, 'audit_logs')})`;

/** Entries of a workspace that fit a filter. */
const selected = (db: ReadDatabase, args: AuditFilter & DepartmentScope & { readonly workspaceId: string }) => {
  const { workspaceId, departmentIds, from, to, riskLevel, status } = args;
  let query = db.selectFrom('audit_logs').selectAll().where('workspace_id', '=', workspaceId);
  if (departmentIds !== undefined) {
    query = query.where('department_id', 'in', [...departmentIds]).where(relationsWithin(departmentIds));
  }
  if (args.actorId !== undefined) query = query.where('actor_id', '=', args.actorId);
  if (args.action !== undefined) query = query.where('action', '=', args.action);
  if (args.resourceType !== undefined) query = query.where('resource_type', '=', args.resourceType);
  if (args.resourceId !== undefined) query = query.where('resource_id', '=', args.resourceId);
  if (args.requestId !== undefined) query = query.where('request_id', '=', args.requestId);
  if (args.correlationId !== undefined) query = query.where('correlation_id', '=', args.correlationId);
  if (status !== undefined) query = query.where('status', '=', status);
  // Naming every status lets the index serve that leads with it.
  else if (riskLevel !== undefined) query = query.where('status', 'in', ['success', 'failure', 'refused']);
  if (riskLevel !== undefined) query = query.where('risk_level', '=', riskLevel);
  if (from !== undefined) query = query.where('created_at', '>=', at(from));
  if (to !== undefined) query = query.where('created_at', '<', at(to));
  return query;
};

/** Newest first. */
export const listAudit = async (db: ReadDatabase, args: AuditArgs): Promise<Page<AuditAnswer>> => {
  const { departmentIds, limit, after } = args;
  if (departmentIds?.length === 0) return { rows: [], next: null };
  const rows = await selected(db, args)
    .where(beforeCursor('seq', 'id', after))
    .orderBy('seq', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.seq, id: row.id }));
};

/** An entry with what its hash covers: enough for anybody to compute the hash. */
export type ExportedEntry = AuditAnswer & { readonly covered: string };

export type ExportArgs = AuditFilter &
  DepartmentScope & {
    readonly workspaceId: string;
    readonly limit: number;
    /** Sequences; the first exclusive, the last inclusive. */
    readonly after: number;
    readonly upTo: number;
  };

/** Oldest first, for an export. */
export const listExported = async (db: ReadDatabase, args: ExportArgs): Promise<readonly ExportedEntry[]> => {
  if (args.departmentIds?.length === 0) return [];
  const rows = await selected(db, args)
    .where('seq', '>', args.after)
    .where('seq', '<=', args.upTo)
    .orderBy('seq')
    .limit(args.limit)
    .execute();
  return rows.map((row) => ({ ...answerOf(row), covered: coveredText(auditLogs, row) }));
};
