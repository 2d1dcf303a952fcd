import { type Expression, type SqlBool, sql } from 'kysely';
import { toJobData } from '../../domain/job/index.ts';
import type { Role } from '../../domain/roles.ts';
import type { Cursor, Page, PageArgs, Reader } from '../answers.ts';
import { pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { at, type RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parseAny } from '../values.ts';
import type { JobAnswer, JobCount, JobFilter } from './answers.ts';
import { jobsFor } from './audience.ts';
import type { jobs } from './jobs.ts';

const isAlive = (status: JobAnswer['status']): boolean => status === 'PENDING' || status === 'RUNNING';

const answerOf = (row: RowOf<typeof jobs>): JobAnswer => ({
  jobId: row.id,
  workspaceId: row.workspace_id,
  departmentId: orNull(row.department_id),
  kind: row.kind,
  subjectId: row.subject_id,
  payload: toJobData(parseAny(row.payload)),
  status: row.status,
  uncertain: row.uncertain,
  cancelRequested: row.cancel_requested,
  priority: row.priority,
  attempts: row.attempts,
  failures: row.failures,
  maxAttempts: row.max_attempts,
  redrives: row.redrives,
  runAt: isAlive(row.status) ? row.run_at : null,
  steps: row.steps,
  progress: row.progress,
  note: orNull(row.note ?? ''),
  leaseHolder: orNull(row.lease_holder),
  reasonCode: orNull(row.reason_code),
  lastError: orNull(row.last_error ?? ''),
  detail: orNull(row.detail ?? ''),
  result: row.result === null ? null : toJobData(parseAny(row.result)),
  requestId: orNull(row.request_id),
  correlationId: orNull(row.correlation_id),
  createdAt: row.created_at,
  updatedAt: row.updated_at,
  startedAt: row.started_at,
  completedAt: row.completed_at,
});

type InWorkspace = { readonly workspaceId: string };

/** A message to a webhook tells what its receiver answered: that is for those who keep webhooks. */
const isFor = (role: Role): Expression<SqlBool> => jobsFor(role, 'kind') ?? sql<SqlBool>`1 = 1`;

/** Newest first. */
export const listJobs = async (
  db: ReadDatabase,
  {
    workspaceId,
    departmentIds,
    role,
    limit,
    after,
    status,
    kind,
    subjectId,
  }: PageArgs & JobFilter & Reader & InWorkspace,
): Promise<Page<JobAnswer>> => {
  if (departmentIds?.length === 0) return { rows: [], next: null };
  let query = db.selectFrom('jobs').selectAll().where('workspace_id', '=', workspaceId).where(isFor(role));
  if (departmentIds !== undefined) query = query.where('department_id', 'in', [...departmentIds]);
  if (status !== undefined) query = query.where('status', '=', status);
  if (kind !== undefined) query = query.where('kind', 'in', typeof kind === 'string' ? [kind] : [...kind]);
  if (subjectId !== undefined) query = query.where('subject_id', '=', subjectId);
  if (after !== undefined) query = query.where(olderThan(after));
  const rows = await query
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.createdAt, id: row.jobId }));
};

const olderThan = ({ key, id }: Cursor): Expression<SqlBool> => {
  const time = at(key);
  return sql<SqlBool>`(created_at < ${time} or (created_at = ${time} and id < ${id}))`;
};

export const findJob = async (
  db: ReadDatabase,
  { workspaceId, departmentIds, role, jobId }: InWorkspace & Reader & { readonly jobId: string },
): Promise<JobAnswer | undefined> => {
  if (departmentIds?.length === 0) return undefined;
  const row = await db
    .selectFrom('jobs')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', jobId)
    .where(isFor(role))
    .$if(departmentIds !== undefined, (query) => query.where('department_id', 'in', [...(departmentIds ?? [])]))
    .executeTakeFirst();
  return row && answerOf(row);
};

const counted = ['PENDING', 'RUNNING', 'DEAD'] as const;

/** For metrics, across tenants. */
export const countJobs = async (db: ReadDatabase): Promise<readonly JobCount[]> => {
  const rows = await db
    .selectFrom('jobs')
    .select((build) => ['kind', 'status', build.fn.countAll<number | string>().as('found')])
    .where('status', 'in', counted)
    .groupBy(['kind', 'status'])
    .orderBy('kind')
    .orderBy('status')
    .execute();
  return rows.flatMap(({ kind, status, found }) =>
    status === 'PENDING' || status === 'RUNNING' || status === 'DEAD' ? [{ kind, status, count: Number(found) }] : [],
  );
};
