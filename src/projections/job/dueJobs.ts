import { type Expression, type SqlBool, sql } from 'kysely';
import type { ReadDatabase } from '../schema.ts';
import { at } from '../table.ts';
import { orNull } from '../text.ts';
import type { DueJobAnswer } from './answers.ts';

export type DueJobsArgs = {
  readonly now: number;
  readonly limit: number;
  /** What the asking process can do. */
  readonly kinds: readonly string[];
  readonly node?: { readonly name: string; readonly holder: string };
};

/**
 * Jobs that somebody should look at now, across tenants, fairly: no workspace gets its second job before every other has
 * had its first, and what runs counts. Where that decides nothing, the workspace whose last turn is longest ago comes
 * first. Within a workspace the more urgent comes first, then the more overdue. Read without row locks: the log grants.
 */
export const listDueJobs = async (db: ReadDatabase, args: DueJobsArgs): Promise<readonly DueJobAnswer[]> => {
  const { now, limit, kinds } = args;
  if (kinds.length === 0) return [];
  const due = isDue(args);
  const places = db
    .selectFrom('jobs')
    .select((build) => [
      ...(['id', 'workspace_id', 'priority', 'run_at'] as const),
      sql<number>`case when ${due} then 1 else 0 end`.as('is_due'),
      build.fn
        .agg<number>('row_number')
        .over((over) =>
          over
            .partitionBy('workspace_id')
            .orderBy(sql`case when ${due} then 1 else 0 end`)
            .orderBy('priority')
            .orderBy('run_at')
            .orderBy('id'),
        )
        .as('place'),
    ])
    .where((build) =>
      build.or([
        build('status', '=', 'RUNNING'),
        build.and([build('status', '=', 'PENDING'), build('run_at', '<=', at(now)), build('kind', 'in', [...kinds])]),
      ]),
    );
  const rows = await db
    .selectFrom(places.as('placed'))
    .innerJoin('jobs as job', 'job.id', 'placed.id')
    .leftJoin('job_turns as turn', 'turn.workspace_id', 'placed.workspace_id')
    .select([
      ...(['job.id', 'job.kind', 'job.workspace_id', 'job.department_id', 'job.lease_holder'] as const),
      ...(['job.request_id', 'job.correlation_id', 'job.causation_id'] as const),
    ])
    .where('placed.is_due', '=', 1)
    .orderBy('placed.place')
    .orderBy(sql`case when ${sql.ref('turn.leased_at')} is null then 0 else 1 end`)
    .orderBy('turn.leased_at')
    .orderBy('placed.priority')
    .orderBy('placed.run_at')
    .orderBy('placed.id')
    .limit(limit)
    .execute();
  return rows.map((row) => ({
    jobId: row.id,
    kind: row.kind,
    workspaceId: row.workspace_id,
    departmentId: row.department_id,
    leaseHolder: orNull(row.lease_holder),
    requestId: orNull(row.request_id),
    correlationId: row.correlation_id,
    causationId: row.causation_id,
  }));
};

/** Waiting and due, or leased by somebody who let the lease run out or who is an earlier, dead run of this node. */
const isDue = ({ now, kinds, node }: DueJobsArgs): Expression<SqlBool> => {
  const known = sql`${sql.ref('kind')} in (${sql.join([...kinds])})`;
  const overdue = sql`${sql.ref('run_at')} <= ${at(now)}`;
  if (node === undefined) return sql<SqlBool>`(${known} and ${overdue})`;
  const prefix = `${node.name}/`;
  const start = sql`left(${sql.ref('lease_holder')}, ${sql.lit([...prefix].length)})`;
  const ours = sql`(${sql.ref('status')} = 'RUNNING' and ${start} = ${prefix} and ${sql.ref('lease_holder')} <> ${node.holder})`;
  return sql<SqlBool>`(${known} and (${overdue} or ${ours}))`;
};
