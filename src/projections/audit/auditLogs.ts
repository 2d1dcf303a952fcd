import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { maskJson } from '../../domain/masking.ts';
import type { AuditAnswer } from '../answers.ts';
import { bigint, choice, json, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';
import { riskOf } from './risk.ts';

/** Longer texts of an event, such as an SBOM, are evidence of their own and stay out of its audit row. */
const maxStringLength = 1024;

/**
 * One row per event, in log order, hash-chained per workspace: an edited, removed, inserted or reordered row breaks the
 * chain. What belongs to no workspace is chained under ''.
 */
export const auditLogs = table<OpslogEvent>()({
  name: 'audit_logs',
  version: 4,
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
  // Positions rise, so the key grows at one end.
  primaryKey: ['position'],
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
      metadata: maskJson(event.data, { maxStringLength }),
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
