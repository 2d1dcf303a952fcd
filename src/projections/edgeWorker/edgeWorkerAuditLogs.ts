import type { ArtifactCleanupEvent } from '../../domain/artifactCleanup/index.ts';
import type { ControlAuditEvent } from '../../domain/controlAudit/index.ts';
import type { EdgeMaintenanceEvent } from '../../domain/edgeMaintenance/index.ts';
import type { EdgeSecretEvent } from '../../domain/edgeSecret/index.ts';
import type { EdgeWorkerEvent } from '../../domain/edgeWorker/index.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

type AuditedEvent = EdgeWorkerEvent | EdgeSecretEvent | EdgeMaintenanceEvent | ArtifactCleanupEvent | ControlAuditEvent;

/**
 * Append-only, bounded facts about edge workers: never source, bundle or credential, only digests. Words are cut to fit,
 * an id never is.
 */
export const edgeWorkerAuditLogs = table<AuditedEvent>()({
  name: 'edge_worker_audit_logs',
  version: 3,
  columns: {
    audit_id: string(64),
    company_id: string(64),
    department_id: string(64),
    actor_type: string(32),
    actor_id: string(128),
    auth_method: string(32),
    action: string(128),
    resource_type: string(64),
    resource_id: string(128),
    ticket_id: string(64),
    result: string(32),
    reason_code: string(64),
    digest: string(64),
    request_id: string(128),
    created_at: timestamp(),
  },
  primaryKey: ['audit_id'],
  appendOnly: true,
  indexes: {
    ix_edge_worker_audit_tenant_created: ['company_id', 'department_id', 'created_at'],
    ix_edge_worker_audit_resource: ['resource_type', 'resource_id'],
  },
  categories: ['edgeWorker', 'edgeSecret', 'edgeMaintenance', 'artifactCleanup', 'controlAudit'],
  onAny: (event, rows) => {
    if (isMechanics(event)) return;
    const { meta } = event;
    const { result, reasonCode = '', digest = '' } = verdictOf(event);
    rows.insert({
      audit_id: meta.eventId,
      company_id: meta.workspaceId,
      department_id: meta.departmentId,
      actor_type: cut(meta.actor.kind, 32),
      actor_id: meta.actor.id,
      auth_method: cut(meta.authMethod, 32),
      ...subjectOf(event),
      result: cut(result, 32),
      reason_code: cut(reasonCode, 64),
      digest: cut(digest, 64),
      request_id: cut(meta.requestId, 128),
      created_at: meta.recordedAt,
    });
  },
});

/** How a runner goes about it is in edge_worker_deployment_steps and audit_logs; here is what was asked and what came of it. */
const isMechanics = ({ type }: AuditedEvent): boolean =>
  type === 'DeploymentLeased' ||
  type === 'DeploymentLeaseRenewed' ||
  type === 'DeploymentStepRecorded' ||
  type === 'ArtifactCleanupLeased';

type Verdict = { readonly result: string; readonly reasonCode?: string; readonly digest?: string };

const verdictOf = (event: AuditedEvent): Verdict => {
  switch (event.type) {
    case 'RevisionSubmitted':
      return { result: 'success', digest: event.data.bundleDigest };
    case 'EdgeSecretStored':
      return { result: 'success', digest: event.data.digest };
    case 'DeploymentFailed':
      return { result: 'failure', reasonCode: event.data.reasonCode };
    case 'DeploymentRetryScheduled':
    case 'ArtifactCleanupRetryScheduled':
      return { result: 'retry' };
    case 'DeploymentBecameUncertain':
      return { result: 'uncertain', reasonCode: event.data.step };
    case 'DeploymentCancelled':
      return { result: 'cancelled' };
    case 'ControlActionRefused':
      return event.data;
    case 'ControlRefusalsOmitted':
      return { result: 'refused', reasonCode: `omitted:${event.data.count}` };
    case 'ArtifactCleanupRequested':
      return { result: 'success', reasonCode: event.data.reason, digest: event.data.digests[0] ?? '' };
    default:
      return { result: 'success' };
  }
};

/** A refusal is about what was asked for, not about the note that was made of it. */
const subjectOf = (event: Recorded<AuditedEvent>) => {
  if (event.type === 'ControlActionRefused') {
    const { action, resourceType, resourceId } = event.data;
    const ticketId = resourceType === 'deployment' ? resourceId : '';
    return { ...named(action, resourceType), resource_id: resourceId, ticket_id: ticketId };
  }
  const { category, subjectId } = event.meta;
  return { ...named(event.type, category), resource_id: subjectId, ticket_id: ticketOf(event, subjectId) };
};

const named = (action: string, type: string) => ({ action: cut(action, 128), resource_type: cut(type, 64) });

const ticketOf = (event: AuditedEvent, subjectId: string): string => {
  if (event.type.startsWith('ArtifactCleanup')) return subjectId;
  return 'ticketId' in event.data ? event.data.ticketId : '';
};
