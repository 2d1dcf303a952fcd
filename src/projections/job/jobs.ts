import type { JobEvent } from '../../domain/job/index.ts';
import { maskSecrets, maskText } from '../../domain/masking.ts';
import { boolean, choice, integer, json, nullable, string, table, text, timestamp } from '../table.ts';
import { cut } from '../text.ts';

export const jobStatuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD'] as const;

/** No lease is in force. */
const unleased = { lease_id: '', lease_holder: '', leased_until: null } as const;

/**
 * One row per job. No foreign keys: what was done outlives whom it was done for. `run_at` is when somebody should look at
 * a row that is alive: for a running one it is the end of the lease, so that one index serves the runner's scan. An
 * uncertain job is PENDING with `uncertain` set: somebody will look whether it happened. The queries are beside this file.
 */
export const jobs = table<JobEvent>()({
  name: 'jobs',
  version: 3,
  columns: {
    id: string(64),
    workspace_id: string(64),
    department_id: string(64),
    kind: string(64),
    subject_id: string(128),
    dedupe_key: string(400),
    payload: json(),
    status: choice(jobStatuses, 'PENDING'),
    uncertain: boolean(),
    cancel_requested: boolean(),
    priority: integer(),
    /** Since it was enqueued or redriven: those that were begun, and those that failed. */
    attempts: integer(),
    failures: integer(),
    max_attempts: integer(),
    redrives: integer(),
    run_at: timestamp(),
    /** Recorded, of those that it has. */
    steps: integer(),
    progress: integer(),
    note: text(),
    lease_id: string(64),
    lease_holder: string(255),
    leased_until: nullable(timestamp()),
    reason_code: string(64),
    last_error: text(),
    detail: text(),
    result: json(),
    actor_type: string(32),
    actor_id: string(128),
    request_id: string(128),
    correlation_id: string(128),
    causation_id: string(64),
    created_at: timestamp(),
    updated_at: timestamp(),
    started_at: nullable(timestamp()),
    completed_at: nullable(timestamp()),
  },
  primaryKey: ['id'],
  indexes: {
    ix_job_due: ['status', 'run_at'],
    ix_job_waiting: ['status', 'workspace_id', 'priority', 'run_at'],
    ix_job_workspace_created: ['workspace_id', 'created_at'],
    ix_job_subject: ['workspace_id', 'subject_id', 'created_at'],
  },
  checks: { ck_job_status: 'status' },
  on: {
    JobEnqueued: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        workspace_id: data.workspaceId,
        department_id: data.departmentId,
        kind: data.kind,
        subject_id: data.subjectId,
        dedupe_key: data.dedupeKey,
        payload: maskSecrets(data.payload),
        priority: data.priority,
        max_attempts: data.maxAttempts,
        run_at: data.runAt,
        actor_type: meta.actor.kind,
        actor_id: cut(meta.actor.id, 128),
        request_id: cut(meta.requestId, 128),
        correlation_id: cut(meta.correlationId, 128),
        causation_id: meta.eventId,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    JobLeased: ({ data, meta }, rows) => {
      rows.increment(meta.subjectId, 'attempts', 1);
      rows.patch(meta.subjectId, {
        status: 'RUNNING',
        lease_id: data.leaseId,
        lease_holder: cut(data.holder, 255),
        leased_until: data.leasedUntil,
        run_at: data.leasedUntil,
        started_at: data.leasedAt,
        updated_at: meta.recordedAt,
      });
    },
    JobLeaseRenewed: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        leased_until: data.leasedUntil,
        run_at: data.leasedUntil,
        updated_at: meta.recordedAt,
      }),
    JobProgressRecorded: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        progress: data.percent,
        note: maskText(data.note),
        updated_at: meta.recordedAt,
      }),
    JobStepRecorded: ({ meta }, rows) => {
      rows.increment(meta.subjectId, 'steps', 1);
      rows.patch(meta.subjectId, { updated_at: meta.recordedAt });
    },
    JobAttemptRecorded: ({ data, meta }, rows) => {
      const uncertain = data.outcome === 'uncertain' || data.outcome === 'lost';
      rows.patch(meta.subjectId, { uncertain, updated_at: meta.recordedAt });
      if (uncertain) rows.patch(meta.subjectId, { last_error: maskText(data.detail) });
      if (data.outcome === 'retry') rows.increment(meta.subjectId, 'failures', 1);
    },
    JobRetryScheduled: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'PENDING',
        run_at: data.nextAttemptAt,
        last_error: maskText(data.reason),
      }),
    JobBecameUncertain: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { ...unleased, status: 'PENDING', run_at: data.nextAttemptAt }),
    JobSucceeded: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'SUCCEEDED',
        uncertain: false,
        progress: 100,
        last_error: null,
        detail: maskText(data.detail),
        result: maskSecrets(data.result),
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    JobFailed: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'FAILED',
        reason_code: cut(data.reasonCode, 64),
        last_error: maskText(data.reason),
        completed_at: meta.recordedAt,
      }),
    JobDied: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'DEAD',
        reason_code: cut(data.reasonCode, 64),
        last_error: maskText(data.reason),
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    JobCancelRequested: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { cancel_requested: true, updated_at: meta.recordedAt }),
    JobCancelled: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...unleased,
        status: 'CANCELLED',
        reason_code: 'cancelled',
        detail: maskText(data.detail),
        updated_at: meta.recordedAt,
        completed_at: meta.recordedAt,
      }),
    JobRedriven: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        status: 'PENDING',
        cancel_requested: false,
        attempts: 0,
        failures: 0,
        progress: 0,
        note: null,
        reason_code: '',
        redrives: data.redrives,
        run_at: data.runAt,
        updated_at: meta.recordedAt,
        completed_at: null,
      }),
  },
});
