import type { DepartmentScope, Page, PageArgs, TicketAnswer, TicketWithSteps, WorkerWithLatest } from '../answers.ts';
import { afterCursor, beforeCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import type { RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parseStrings } from '../values.ts';
import { listSteps } from './edgeWorkerDeploymentSteps.ts';
import type { edgeWorkerOutbox } from './edgeWorkerOutbox.ts';
import { workerAnswerOf } from './edgeWorkers.ts';

type TenantDepartment = { readonly companyId: string; readonly departmentId: string };

const kindOf = (kind: string): TicketAnswer['kind'] => (kind === 'deploy' || kind === 'rollback' ? kind : null);

const waiting = (status: TicketAnswer['status']): boolean => status === 'pending' || status === 'uncertain';

const answerOf = (row: RowOf<typeof edgeWorkerOutbox>): TicketAnswer => ({
  ticketId: row.ticket_id,
  operation: row.operation,
  companyId: row.company_id,
  departmentId: row.department_id,
  workerId: row.worker_id,
  versionId: orNull(row.version_id),
  revision: row.revision === 0 ? null : row.revision,
  kind: kindOf(row.kind),
  scope: orNull(row.scope),
  provider: orNull(row.provider),
  status: row.status,
  attemptCount: row.attempt_count,
  maxAttempts: row.max_attempts,
  steps: parseStrings(row.steps),
  leaseHolder: orNull(row.lease_holder),
  leasedUntil: row.leased_until,
  nextAttemptAt: waiting(row.status) && row.next_attempt_at > 0 ? row.next_attempt_at : null,
  admissionSequence: row.admission_sequence,
  cancelRequested: row.cancel_requested,
  reasonCode: orNull(row.reason_code),
  errorMessage: orNull(row.error_message ?? ''),
  url: orNull(row.url),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  completedAt: row.completed_at,
});

/** Newest admission first; those from before admissions were counted (0) last; the raw id breaks ties. */
export const listDeployments = async (
  db: ReadDatabase,
  { companyId, departmentId, limit, after }: PageArgs & TenantDepartment,
): Promise<Page<TicketAnswer>> => {
  const rows = await db
    .selectFrom('edge_worker_outbox')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .where('operation', '=', 'deploy')
    .$if(after !== undefined, (query) => query.where(beforeCursor('admission_sequence', 'id', after)))
    .orderBy('admission_sequence', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.admissionSequence, id: row.ticketId }));
};

export const findLiveDeployment = async (
  db: ReadDatabase,
  { companyId, departmentId }: TenantDepartment,
): Promise<TicketAnswer | undefined> => {
  const row = await db
    .selectFrom('edge_worker_outbox')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .where('active_deployment_worker_id', 'is not', null)
    .executeTakeFirst();
  return row && answerOf(row);
};

export const findTicket = async (
  db: ReadDatabase,
  { ticketId }: { ticketId: string },
): Promise<TicketWithSteps | undefined> => {
  const row = await db
    .selectFrom('edge_worker_outbox')
    .selectAll()
    .where('ticket_id', '=', ticketId)
    .executeTakeFirst();
  return row && { ...answerOf(row), records: await listSteps(db, ticketId) };
};

/** The company view: its workers, oldest first, each with its latest deployment. */
export const listWorkers = async (
  db: ReadDatabase,
  { companyId, departmentIds, limit, after }: PageArgs & DepartmentScope & { companyId: string },
): Promise<Page<WorkerWithLatest>> => {
  if (departmentIds?.length === 0) return { rows: [], next: null };
  const rows = await db
    .selectFrom('edge_workers')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', 'in', (query) =>
      query.selectFrom('departments').select('id').where('workspace_id', '=', companyId).where('status', '=', 'active'),
    )
    .$if(departmentIds !== undefined, (query) => query.where('department_id', 'in', [...(departmentIds ?? [])]))
    .$if(after !== undefined, (query) => query.where(afterCursor('created_at', 'id', after)))
    .orderBy('created_at')
    .orderBy('id')
    .limit(limit + 1)
    .execute();
  const page = pageOf(rows.map(workerAnswerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
  const ids = page.rows.map((worker) => worker.id);
  const latest = await latestDeployments(db, companyId, ids);
  return { ...page, rows: page.rows.map((worker) => ({ ...worker, latestDeployment: latest.get(worker.id) ?? null })) };
};

const latestDeployments = async (
  db: ReadDatabase,
  companyId: string,
  workerIds: readonly string[],
): Promise<ReadonlyMap<string, TicketAnswer>> => {
  if (workerIds.length === 0) return new Map();
  const ranked = db
    .selectFrom('edge_worker_outbox')
    .select((build) => [
      'id',
      build.fn
        .agg<number>('row_number')
        .over((over) =>
          over.partitionBy('worker_id').orderBy('admission_sequence', 'desc').orderBy('edge_worker_outbox.id', 'desc'),
        )
        .as('place'),
    ])
    .where('company_id', '=', companyId)
    .where('operation', '=', 'deploy')
    .where('worker_id', 'in', [...workerIds]);
  const rows = await db
    .selectFrom('edge_worker_outbox as ticket')
    .innerJoin(ranked.as('ranked'), 'ranked.id', 'ticket.id')
    .selectAll('ticket')
    .where('ranked.place', '=', 1)
    .where('ticket.company_id', '=', companyId)
    .execute();
  return new Map(rows.map((row) => [row.worker_id, answerOf(row)]));
};
