import type { EdgeWorkerEvent } from '../../domain/edgeWorker/index.ts';
import type { KnownScript } from '../../domain/reconciliation/plan.ts';
import type { ReadDatabase } from '../schema.ts';
import { choice, integer, type RowOf, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

/** No deployment is alive. */
const settled = { ticket_id: '', ticket_status: '', ticket_due_at: 0 } as const;

/**
 * Every script name that was ever ours, one row per worker, with what should be outside under it. No foreign keys: it is
 * how a script is known as ours after its department or company has gone.
 */
export const edgeWorkerScripts = table<EdgeWorkerEvent>()({
  name: 'edge_worker_scripts',
  version: 1,
  columns: {
    worker_id: string(64),
    script_name: string(63),
    company_id: string(64),
    department_id: string(64),
    status: choice(['draft', 'active', 'paused'], 'draft'),
    owner: choice(['present', 'retired', 'deleted'], 'present'),
    provider: string(32),
    scope: string(64),
    live_revision: integer(),
    live_ticket_id: string(64),
    ticket_id: string(64),
    ticket_status: string(16),
    /** When somebody should look at the ticket; 1970 is at once. */
    ticket_due_at: timestamp(),
    drift: string(255),
    /** When the newest change of what should be outside was recorded: a provider may not show it yet. */
    settled_at: timestamp(),
    created_at: timestamp(),
  },
  primaryKey: ['worker_id'],
  unique: { uq_edge_worker_script_script_name: ['script_name'] },
  indexes: { ix_edge_worker_script_company: ['company_id', 'worker_id'] },
  checks: { ck_edge_worker_script_status: 'status', ck_edge_worker_script_owner: 'owner' },
  on: {
    EdgeWorkerCreated: ({ data, meta }, rows) =>
      rows.insert({
        worker_id: meta.subjectId,
        script_name: data.scriptName,
        company_id: data.companyId,
        department_id: data.departmentId,
        ticket_due_at: 0,
        settled_at: meta.recordedAt,
        created_at: meta.recordedAt,
      }),
    DeploymentAdmitted: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { ticket_id: data.ticketId, ticket_status: 'pending', ticket_due_at: 0 }),
    DeploymentLeased: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { ticket_status: 'leased', ticket_due_at: data.leasedUntil }),
    DeploymentLeaseRenewed: ({ data, meta }, rows) => rows.patch(meta.subjectId, { ticket_due_at: data.leasedUntil }),
    DeploymentRetryScheduled: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { ticket_status: 'pending', ticket_due_at: data.nextAttemptAt }),
    DeploymentBecameUncertain: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { ticket_status: 'uncertain', ticket_due_at: data.nextAttemptAt }),
    DeploymentCompleted: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...settled,
        status: data.workerStatus,
        provider: data.provider ?? 'workerd',
        scope: data.scope ?? '',
        live_revision: data.revision,
        live_ticket_id: data.ticketId,
        drift: '',
        settled_at: meta.recordedAt,
      }),
    DeploymentFailed: ({ meta }, rows) => rows.patch(meta.subjectId, { ...settled, settled_at: meta.recordedAt }),
    DeploymentCancelled: ({ meta }, rows) => rows.patch(meta.subjectId, { ...settled, settled_at: meta.recordedAt }),
    EdgeWorkerPaused: ({ meta }, rows) => rows.patch(meta.subjectId, { status: 'paused', settled_at: meta.recordedAt }),
    EdgeWorkerResumed: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'active', settled_at: meta.recordedAt }),
    EdgeWorkerRetired: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { owner: 'retired', drift: '', settled_at: meta.recordedAt }),
    EdgeWorkerDeleted: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { owner: 'deleted', drift: '', settled_at: meta.recordedAt }),
    EdgeWorkerScriptRemoved: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { provider: '', scope: '', settled_at: meta.recordedAt }),
    EdgeWorkerDriftFound: ({ data, meta }, rows) => rows.patch(meta.subjectId, { drift: cut(data.found, 255) }),
    EdgeWorkerDriftSettled: ({ meta }, rows) => rows.patch(meta.subjectId, { drift: '' }),
    RevisionSubmitted: 'ignored',
    DeploymentStepRecorded: 'ignored',
    DeploymentCancelRequested: 'ignored',
    RevisionArtifactsReleased: 'ignored',
  },
});

const answerOf = (row: RowOf<typeof edgeWorkerScripts>): KnownScript => ({
  workerId: row.worker_id,
  scriptName: row.script_name,
  companyId: row.company_id,
  departmentId: row.department_id,
  status: row.status,
  owner: row.owner,
  provider: row.provider,
  scope: row.scope,
  liveRevision: row.live_revision,
  liveTicketId: row.live_ticket_id,
  ticketId: row.ticket_id,
  ticketStatus: row.ticket_status,
  ticketDueAt: row.ticket_due_at,
  drift: row.drift,
  settledAt: row.settled_at,
});

/** Of one company, or with '' across all of them, in the order of worker ids. */
export const listScripts = async (
  db: ReadDatabase,
  { companyId }: { readonly companyId: string },
): Promise<readonly KnownScript[]> => {
  const rows = await db
    .selectFrom('edge_worker_scripts')
    .selectAll()
    .$if(companyId !== '', (query) => query.where('company_id', '=', companyId))
    .orderBy('worker_id')
    .execute();
  return rows.map(answerOf);
};

/** Providers that some deployment of this worker was admitted for: where something of it may be. */
export const listProvidersUsed = async (
  db: ReadDatabase,
  { workerId }: { readonly workerId: string },
): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('edge_worker_outbox')
    .select('provider')
    .distinct()
    .where('worker_id', '=', workerId)
    .where('operation', '=', 'deploy')
    .where('provider', '!=', '')
    .orderBy('provider')
    .execute();
  return rows.map((row) => row.provider);
};
