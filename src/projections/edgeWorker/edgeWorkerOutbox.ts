import type { ArtifactCleanupEvent } from '../../domain/artifactCleanup/index.ts';
import type { ControlAuditEvent } from '../../domain/controlAudit/index.ts';
import type { EdgeWorkerEvent } from '../../domain/edgeWorker/index.ts';
import { maskText } from '../../domain/masking.ts';
import { bigint, boolean, choice, integer, json, nullable, string, table, text, timestamp } from '../table.ts';
import { cut } from '../text.ts';

/** No lease is in force. */
const unleased = { lease_id: '', lease_holder: '', leased_until: null } as const;

/**
 * Intents that the log admitted, and public tickets. No foreign keys: rows outlive worker, department and company on
 * purpose. `next_attempt_at` is when somebody should look at a row that is alive: 1970 is at once, and for a leased one
 * it is the end of the lease, so that one index serves the runner's scan. The queries are in tickets.ts and dueTickets.ts.
 */
export const edgeWorkerOutbox = table<EdgeWorkerEvent | ArtifactCleanupEvent | ControlAuditEvent>()({
  name: 'edge_worker_outbox',
  version: 2,
  columns: {
    id: string(64),
    ticket_id: string(64),
    operation: choice(['deploy', 'delete', 'artifact_cleanup', 'control_audit'], 'control_audit'),
    dedupe_key: string(400),
    company_id: string(64),
    department_id: string(64),
    worker_id: string(64),
    version_id: string(64),
    revision: integer(),
    kind: string(16),
    scope: string(64),
    provider: string(32),
    steps: json(),
    status: choice(['pending', 'leased', 'completed', 'failed', 'cancelled', 'uncertain'], 'pending'),
    attempt_count: integer(),
    max_attempts: integer(),
    lease_id: string(64),
    lease_holder: string(255),
    leased_until: nullable(timestamp()),
    next_attempt_at: timestamp(),
    admission_sequence: bigint(),
    cancel_requested: boolean(),
    reason_code: string(64),
    error_message: text(),
    url: string(1024),
    request_id: string(128),
    correlation_id: string(128),
    causation_id: string(64),
    created_at: timestamp(),
    updated_at: timestamp(),
    completed_at: nullable(timestamp()),
  },
  primaryKey: ['id'],
  generated: {
    active_deployment_worker_id: {
      column: 'worker_id',
      when: { operation: ['deploy'], status: ['pending', 'leased', 'uncertain'] },
    },
  },
  unique: {
    uq_edge_worker_outbox_dedupe: ['operation', 'dedupe_key'],
    uq_edge_worker_outbox_ticket: ['ticket_id'],
    uq_edge_worker_outbox_active_deployment_worker: ['active_deployment_worker_id'],
  },
  indexes: {
    ix_edge_worker_outbox_pending: ['status', 'next_attempt_at'],
    ix_edge_worker_outbox_tenant: ['company_id', 'department_id', 'status'],
    ix_edge_worker_outbox_worker_operation_sequence: ['worker_id', 'operation', 'admission_sequence'],
  },
  checks: { ck_edge_worker_outbox_operation: 'operation', ck_edge_worker_outbox_status: 'status' },
  on: {
    EdgeWorkerCreated: 'ignored',
    RevisionSubmitted: 'ignored',
    EdgeWorkerPaused: 'ignored',
    EdgeWorkerResumed: 'ignored',
    EdgeWorkerRetired: 'ignored',
    EdgeWorkerScriptRemoved: 'ignored',
    EdgeWorkerDeleted: 'ignored',
    EdgeWorkerDriftFound: 'ignored',
    EdgeWorkerDriftSettled: 'ignored',
    RevisionArtifactsReleased: 'ignored',
    DeploymentStepRecorded: 'ignored',
    DeploymentAdmitted: ({ data, meta }, rows) =>
      rows.insert({
        id: data.ticketId,
        ticket_id: data.ticketId,
        operation: 'deploy',
        // A key is its caller's own choice: two tenants may choose the same one.
        dedupe_key: `${meta.subjectId}:${data.dedupeKey}`,
        company_id: meta.workspaceId,
        department_id: meta.departmentId,
        worker_id: meta.subjectId,
        version_id: data.versionId,
        revision: data.revision,
        kind: data.kind,
        scope: data.scope,
        provider: data.provider,
        steps: data.steps,
        max_attempts: data.maxAttempts,
        next_attempt_at: 0,
        admission_sequence: data.admissionSequence,
        request_id: cut(meta.requestId, 128),
        correlation_id: cut(meta.correlationId, 128),
        causation_id: meta.eventId,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    DeploymentLeased: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        status: 'leased',
        attempt_count: data.attempt,
        lease_id: data.leaseId,
        lease_holder: cut(data.holder, 255),
        leased_until: data.leasedUntil,
        next_attempt_at: data.leasedUntil,
        updated_at: meta.recordedAt,
      }),
    DeploymentLeaseRenewed: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        leased_until: data.leasedUntil,
        next_attempt_at: data.leasedUntil,
        updated_at: meta.recordedAt,
      }),
    DeploymentRetryScheduled: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        ...unleased,
        status: 'pending',
        next_attempt_at: data.nextAttemptAt,
        error_message: maskText(data.reason),
        updated_at: meta.recordedAt,
      }),
    DeploymentBecameUncertain: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        ...unleased,
        status: 'uncertain',
        next_attempt_at: data.nextAttemptAt,
        error_message: maskText(data.reason),
        updated_at: meta.recordedAt,
      }),
    DeploymentCompleted: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        ...unleased,
        status: 'completed',
        error_message: null,
        url: data.url,
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    DeploymentFailed: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        ...unleased,
        status: 'failed',
        reason_code: cut(data.reasonCode, 64),
        error_message: maskText(data.reason),
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    DeploymentCancelRequested: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, { cancel_requested: true, updated_at: meta.recordedAt }),
    DeploymentCancelled: ({ data, meta }, rows) =>
      rows.patch(data.ticketId, {
        ...unleased,
        status: 'cancelled',
        reason_code: 'cancelled',
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    // Nothing is left to do: the intent and its audit row are committed together.
    ControlActionRefused: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        ticket_id: meta.subjectId,
        operation: 'control_audit',
        dedupe_key: meta.subjectId,
        company_id: meta.workspaceId,
        department_id: meta.departmentId,
        worker_id: data.resourceType === 'edgeWorker' ? data.resourceId : '',
        status: 'completed',
        reason_code: cut(data.reasonCode, 64),
        request_id: cut(meta.requestId, 128),
        correlation_id: cut(meta.correlationId, 128),
        causation_id: meta.eventId,
        next_attempt_at: 0,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    ControlRefusalsOmitted: 'ignored',
    ArtifactCleanupRequested: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        ticket_id: meta.subjectId,
        operation: 'artifact_cleanup',
        dedupe_key: meta.subjectId,
        company_id: meta.workspaceId,
        department_id: meta.departmentId,
        worker_id: data.workerId,
        next_attempt_at: data.dueAt,
        request_id: cut(meta.requestId, 128),
        correlation_id: cut(meta.correlationId, 128),
        causation_id: meta.eventId,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    ArtifactCleanupLeased: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        status: 'leased',
        attempt_count: data.attempt,
        lease_id: data.leaseId,
        lease_holder: cut(data.holder, 255),
        leased_until: data.leasedUntil,
        next_attempt_at: data.leasedUntil,
        updated_at: meta.recordedAt,
      }),
    ArtifactCleanupRetryScheduled: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'pending',
        next_attempt_at: data.nextAttemptAt,
        error_message: maskText(data.reason),
        updated_at: meta.recordedAt,
      }),
    ArtifactCleanupCompleted: ({ meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'completed',
        error_message: null,
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
  },
});
