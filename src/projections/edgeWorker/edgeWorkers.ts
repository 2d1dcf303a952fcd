import type { EdgeWorkerEvent } from '../../domain/edgeWorker/index.ts';
import type { WorkerAnswer } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import { boolean, choice, integer, type RowOf, string, table, timestamp } from '../table.ts';
import { cut, orNull } from '../text.ts';

/** One worker per department. */
export const edgeWorkers = table<EdgeWorkerEvent>()({
  name: 'edge_workers',
  version: 2,
  columns: {
    id: string(64),
    company_id: string(64),
    department_id: string(64),
    script_name: string(63),
    status: choice(['draft', 'active', 'paused'], 'draft'),
    current_version_id: string(64),
    current_revision: integer(),
    provider: string(32),
    scope: string(64),
    retired: boolean(),
    drift: string(255),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  primaryKey: ['id'],
  unique: { uq_edge_worker_department: ['department_id'], uq_edge_worker_script_name: ['script_name'] },
  indexes: { ix_edge_worker_company_department: ['company_id', 'department_id'] },
  checks: { ck_edge_worker_status: 'status' },
  foreignKeys: {
    fk_edge_worker_company: {
      columns: ['company_id'],
      references: 'workspaces',
      to: ['id'],
      onDelete: 'cascade',
      orphans: 'drop',
    },
    fk_edge_worker_department: {
      columns: ['department_id'],
      references: 'departments',
      to: ['id'],
      onDelete: 'cascade',
      orphans: 'drop',
    },
  },
  on: {
    EdgeWorkerCreated: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        company_id: data.companyId,
        department_id: data.departmentId,
        script_name: data.scriptName,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    DeploymentCompleted: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        status: data.workerStatus,
        current_version_id: data.versionId,
        current_revision: data.revision,
        provider: data.provider ?? 'workerd',
        scope: data.scope ?? '',
        drift: '',
        updated_at: meta.recordedAt,
      }),
    EdgeWorkerPaused: ({ meta }, rows) => rows.patch(meta.subjectId, { status: 'paused', updated_at: meta.recordedAt }),
    EdgeWorkerResumed: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'active', updated_at: meta.recordedAt }),
    EdgeWorkerRetired: ({ meta }, rows) => rows.patch(meta.subjectId, { retired: true, updated_at: meta.recordedAt }),
    EdgeWorkerScriptRemoved: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { provider: '', scope: '', updated_at: meta.recordedAt }),
    EdgeWorkerDeleted: ({ meta }, rows) => rows.remove(meta.subjectId),
    EdgeWorkerDriftFound: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { drift: cut(data.found, 255), updated_at: meta.recordedAt }),
    EdgeWorkerDriftSettled: ({ meta }, rows) => rows.patch(meta.subjectId, { drift: '', updated_at: meta.recordedAt }),
    RevisionSubmitted: 'ignored',
    RevisionArtifactsReleased: 'ignored',
    DeploymentAdmitted: 'ignored',
    DeploymentLeased: 'ignored',
    DeploymentLeaseRenewed: 'ignored',
    DeploymentStepRecorded: 'ignored',
    DeploymentRetryScheduled: 'ignored',
    DeploymentBecameUncertain: 'ignored',
    DeploymentFailed: 'ignored',
    DeploymentCancelRequested: 'ignored',
    DeploymentCancelled: 'ignored',
  },
});

export const workerAnswerOf = (row: RowOf<typeof edgeWorkers>): WorkerAnswer => ({
  id: row.id,
  companyId: row.company_id,
  departmentId: row.department_id,
  scriptName: row.script_name,
  status: row.status,
  currentVersionId: orNull(row.current_version_id),
  currentRevision: row.current_revision === 0 ? null : row.current_revision,
  drift: orNull(row.drift),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
});

export const findWorker = async (
  db: ReadDatabase,
  { companyId, departmentId }: { companyId: string; departmentId: string },
): Promise<WorkerAnswer | undefined> => {
  const row = await db
    .selectFrom('edge_workers')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .executeTakeFirst();
  return row && workerAnswerOf(row);
};

/** Ids of the workers that have ever been deployed, across tenants. */
export const listDeployedWorkers = async (db: ReadDatabase): Promise<readonly string[]> => {
  const rows = await db.selectFrom('edge_workers').select('id').where('status', '!=', 'draft').orderBy('id').execute();
  return rows.map((row) => row.id);
};
