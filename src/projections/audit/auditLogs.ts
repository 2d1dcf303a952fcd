import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { maskSecrets } from '../../domain/masking.ts';
import type { AuditAnswer, AuditFilter, DepartmentScope, Page, PageArgs } from '../answers.ts';
import { beforeCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { at, bigint, choice, json, type RowOf, string, table, timestamp } from '../table.ts';
import { cut, orNull } from '../text.ts';
import { parseAny } from '../values.ts';
import { riskOf } from './risk.ts';

/** Longer texts of an event, such as an SBOM, are evidence of their own and stay out of its audit row. */
const maxStringLength = 1024;

/**
 * One row per event, in log order, hash-chained per workspace: an edited, removed, inserted or reordered row breaks the
 * chain. What belongs to no workspace is chained under ''.
 */
export const auditLogs = table<OpslogEvent>()({
  name: 'audit_logs',
  version: 3,
  columns: {
    id: string(64),
    workspace_id: string(64),
    seq: bigint(),
    department_id: string(64),
    actor_type: string(32),
    actor_id: string(128),
    auth_method: string(32),
    action: string(128),
    resource_type: string(64),
    resource_id: string(128),
    resource_revision: bigint(),
    risk_level: choice(['low', 'medium', 'high'], 'high'),
    status: choice(['success', 'failure', 'refused'], 'success'),
    request_id: string(128),
    correlation_id: string(128),
    causation_id: string(128),
    command_id: string(128),
    /** Where the caller called from; nothing more personal is kept. */
    ip: string(64),
    metadata: json(),
    position: bigint(),
    created_at: timestamp(),
    previous_hash: string(64),
    hash: string(64),
  },
  primaryKey: ['id'],
  unique: { uq_audit_log_workspace_seq: ['workspace_id', 'seq'] },
  indexes: {
    ix_audit_log_workspace_created: ['workspace_id', 'created_at'],
    ix_audit_log_resource: ['resource_type', 'resource_id'],
    ix_audit_log_actor: ['workspace_id', 'actor_id', 'seq'],
    ix_audit_log_action: ['workspace_id', 'action', 'seq'],
    ix_audit_log_outcome: ['workspace_id', 'status', 'risk_level', 'seq'],
    ix_audit_log_request: ['request_id'],
    ix_audit_log_correlation: ['correlation_id'],
  },
  checks: { ck_audit_log_risk_level: 'risk_level', ck_audit_log_status: 'status' },
  chain: { by: 'workspace_id', sequence: 'seq', previous: 'previous_hash', hash: 'hash' },
  onAny: (event, rows) => {
    const { meta } = event;
    rows.insert({
      id: meta.eventId,
      workspace_id: meta.workspaceId,
      department_id: meta.departmentId,
      actor_type: meta.actor.kind,
      actor_id: meta.actor.id,
      auth_method: meta.authMethod,
      action: `${meta.category}.${event.type}`,
      ...resourceOf(event),
      resource_revision: meta.revision,
      risk_level: riskOf(event.type),
      status: statusOf(event),
      request_id: cut(meta.requestId, 128),
      correlation_id: cut(meta.correlationId, 128),
      causation_id: cut(meta.causationId, 128),
      command_id: cut(meta.commandId, 128),
      ip: cut(meta.ip ?? '', 64),
      metadata: maskSecrets(event.data, { maxStringLength }),
      position: meta.position,
      created_at: meta.recordedAt,
    });
  },
});

/** A refusal is about what was asked for, a use about what was used, not about the note that was made of it. */
const resourceOf = (event: Recorded<OpslogEvent>) => {
  switch (event.type) {
    case 'ControlActionRefused':
      return { resource_type: event.data.resourceType, resource_id: event.data.resourceId };
    case 'CredentialUsed':
      return { resource_type: 'credential', resource_id: event.data.credentialId };
    default:
      return { resource_type: event.meta.category, resource_id: event.meta.subjectId };
  }
};

const statusOf = ({ type }: OpslogEvent): AuditAnswer['status'] => {
  switch (type) {
    case 'DeploymentFailed':
      return 'failure';
    case 'ControlActionRefused':
    case 'ControlRefusalsOmitted':
      return 'refused';
    default:
      return 'success';
  }
};

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

/** Looks for the event first, by key; only for one that is not there is the position searched. */
export const findAuditedAt = async (
  db: ReadDatabase,
  { eventId, position }: { readonly eventId: string; readonly position: bigint },
): Promise<'same' | 'other' | 'none'> => {
  const same = await db.selectFrom('audit_logs').select('id').where('id', '=', eventId).executeTakeFirst();
  if (same !== undefined) return 'same';
  const other = await db
    .selectFrom('audit_logs')
    .select('id')
    .where('position', '=', Number(position))
    .executeTakeFirst();
  return other === undefined ? 'none' : 'other';
};

type AuditArgs = PageArgs & AuditFilter & DepartmentScope & { readonly workspaceId: string };

/** Newest first. */
export const listAudit = async (db: ReadDatabase, args: AuditArgs): Promise<Page<AuditAnswer>> => {
  const { workspaceId, departmentIds, limit, after, from, to } = args;
  if (departmentIds?.length === 0) return { rows: [], next: null };
  let query = db.selectFrom('audit_logs').selectAll().where('workspace_id', '=', workspaceId);
  if (departmentIds !== undefined) query = query.where('department_id', 'in', [...departmentIds]);
  if (args.actorId !== undefined) query = query.where('actor_id', '=', args.actorId);
  if (args.action !== undefined) query = query.where('action', '=', args.action);
  if (args.resourceType !== undefined) query = query.where('resource_type', '=', args.resourceType);
  if (args.resourceId !== undefined) query = query.where('resource_id', '=', args.resourceId);
  if (args.status !== undefined) query = query.where('status', '=', args.status);
  if (from !== undefined) query = query.where('created_at', '>=', at(from));
  if (to !== undefined) query = query.where('created_at', '<', at(to));
  if (after !== undefined) query = query.where(beforeCursor('seq', 'id', after));
  const rows = await query
    .orderBy('seq', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.seq, id: row.id }));
};
