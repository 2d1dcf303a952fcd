import type { EdgeWorkerEvent } from '../../domain/edgeWorker/index.ts';
import { bigint, choice, integer, json, nullable, string, table, text, timestamp } from '../table.ts';

/** Immutable revisions, and what deployments made of them. The queries are in revisions.ts and liveWorkers.ts. */
export const edgeWorkerVersions = table<EdgeWorkerEvent>()({
  name: 'edge_worker_versions',
  version: 3,
  columns: {
    id: string(64),
    company_id: string(64),
    department_id: string(64),
    worker_id: string(64),
    revision: integer(),
    // Fail-closed: a row that some path forgot to give a state cannot be deployed.
    state: choice(
      ['uploading', 'ready', 'deploy_pending', 'deploying', 'deployed', 'superseded', 'failed', 'uncertain'],
      'uploading',
    ),
    language: choice(['javascript', 'typescript'], 'javascript'),
    entry_point: string(1024),
    compatibility_date: string(32),
    compatibility_flags: json(),
    variables: json(),
    secrets: json(),
    schedules: json(),
    environment_digest: string(64),
    source_digest: string(64),
    source_bytes: bigint(),
    source_files: integer(),
    bundle_digest: string(64),
    bundle_bytes: bigint(),
    sbom_digest: string(64),
    sbom: text(),
    build_receipt: text(),
    created_by: string(128),
    created_at: timestamp(),
    deployed_at: nullable(timestamp()),
    /** Its source and bundle are no longer kept; it cannot be deployed. */
    retired_at: nullable(timestamp()),
    updated_at: timestamp(),
  },
  primaryKey: ['id'],
  unique: { uq_edge_worker_version_revision: ['worker_id', 'revision'] },
  indexes: {
    ix_edge_worker_version_tenant: ['company_id', 'department_id', 'worker_id'],
    ix_edge_worker_version_state: ['company_id', 'department_id', 'state'],
    ix_edge_worker_version_source: ['source_digest'],
    ix_edge_worker_version_bundle: ['bundle_digest'],
  },
  checks: { ck_edge_worker_version_language: 'language', ck_edge_worker_version_state: 'state' },
  foreignKeys: {
    fk_edge_worker_version_worker: {
      columns: ['worker_id'],
      references: 'edge_workers',
      to: ['id'],
      onDelete: 'cascade',
      orphans: 'drop',
    },
  },
  on: {
    EdgeWorkerCreated: 'ignored',
    RevisionSubmitted: ({ data, meta }, rows) =>
      rows.insert({
        id: data.versionId,
        company_id: meta.workspaceId,
        department_id: meta.departmentId,
        worker_id: meta.subjectId,
        revision: data.revision,
        state: 'ready',
        language: data.language,
        entry_point: data.entryPoint,
        compatibility_date: data.compatibilityDate,
        compatibility_flags: data.compatibilityFlags,
        variables: data.variables,
        secrets: data.secrets ?? [],
        schedules: data.schedules ?? [],
        environment_digest: data.environmentDigest,
        source_digest: data.sourceDigest,
        source_bytes: data.sourceBytes,
        source_files: data.sourceFiles,
        bundle_digest: data.bundleDigest,
        bundle_bytes: data.bundleBytes,
        sbom_digest: data.sbomDigest,
        sbom: data.sbom,
        build_receipt: data.buildReceipt,
        created_by: meta.actor.id,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    DeploymentAdmitted: ({ data, meta }, rows) =>
      rows.patch(data.versionId, { state: 'deploy_pending', updated_at: meta.recordedAt }),
    DeploymentLeased: ({ data, meta }, rows) =>
      rows.patch(data.versionId, { state: 'deploying', updated_at: meta.recordedAt }),
    DeploymentRetryScheduled: ({ data, meta }, rows) =>
      rows.patch(data.versionId, { state: 'deploy_pending', updated_at: meta.recordedAt }),
    DeploymentBecameUncertain: ({ data, meta }, rows) =>
      rows.patch(data.versionId, { state: 'uncertain', updated_at: meta.recordedAt }),
    DeploymentCompleted: ({ data, meta }, rows) => {
      if (data.supersededVersionId !== '') {
        rows.patch(data.supersededVersionId, { state: 'superseded', updated_at: meta.recordedAt });
      }
      rows.patch(data.versionId, { state: 'deployed', deployed_at: meta.recordedAt, updated_at: meta.recordedAt });
    },
    DeploymentFailed: ({ data, meta }, rows) =>
      rows.patch(data.versionId, { state: data.revisionState, updated_at: meta.recordedAt }),
    DeploymentCancelled: ({ data, meta }, rows) =>
      rows.patch(data.versionId, { state: data.revisionState, updated_at: meta.recordedAt }),
    DeploymentLeaseRenewed: 'ignored',
    DeploymentStepRecorded: 'ignored',
    DeploymentCancelRequested: 'ignored',
    EdgeWorkerPaused: 'ignored',
    EdgeWorkerResumed: 'ignored',
    EdgeWorkerRetired: 'ignored',
    EdgeWorkerScriptRemoved: 'ignored',
    EdgeWorkerDeleted: 'ignored',
    EdgeWorkerDriftFound: 'ignored',
    EdgeWorkerDriftSettled: 'ignored',
    RevisionArtifactsReleased: ({ data, meta }, rows) => {
      for (const versionId of data.versionIds) {
        rows.patch(versionId, { retired_at: meta.recordedAt, updated_at: meta.recordedAt });
      }
    },
  },
});
