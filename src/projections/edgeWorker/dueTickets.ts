import { type ExpressionBuilder, sql } from 'kysely';
import type { DueTicket } from '../answers.ts';
import type { ReadDatabase, ReadTables } from '../schema.ts';
import { at } from '../table.ts';
import { orNull } from '../text.ts';

const alive = ['pending', 'leased', 'uncertain'] as const;
type Alive = (typeof alive)[number];
const isAlive = (status: string): status is Alive => alive.some((each) => each === status);

export type DueArgs = {
  readonly now: number;
  readonly limit: number;
  readonly node?: { readonly name: string; readonly holder: string };
  /** What nobody holds yet and the gate keeps waiting; nothing when not given. */
  readonly gate?: {
    /** On-prem scopes whose deployments may begin. One that is not named is closed. */
    readonly open: readonly string[];
    readonly mayRemoveArtifacts: boolean;
  };
};

/**
 * Rows that somebody should look at now, the most overdue first, across tenants. They are read without row locks: the log
 * grants the lease, so a lock here would only make the projector wait for the runner.
 */
export const listDueTickets = async (db: ReadDatabase, args: DueArgs): Promise<readonly DueTicket[]> => {
  const { now, limit, node, gate } = args;
  const rows = await db
    .selectFrom('edge_worker_outbox')
    .select([
      ...(['ticket_id', 'operation', 'worker_id', 'company_id', 'department_id', 'status'] as const),
      ...(['lease_id', 'lease_holder', 'leased_until', 'next_attempt_at', 'attempt_count'] as const),
      ...(['cancel_requested', 'request_id', 'correlation_id', 'causation_id'] as const),
    ])
    .where('status', 'in', alive)
    .where((build) => {
      const due = build('next_attempt_at', '<=', at(now));
      return node === undefined ? due : build.or([due, heldByEarlier(build, node)]);
    })
    .where((build) => (gate === undefined ? build.and([]) : passes(build, gate)))
    .orderBy('next_attempt_at')
    .orderBy('ticket_id')
    .limit(limit)
    .execute();
  return rows.flatMap((row) =>
    isAlive(row.status)
      ? {
          ticketId: row.ticket_id,
          operation: row.operation,
          workerId: row.worker_id,
          companyId: row.company_id,
          departmentId: row.department_id,
          status: row.status,
          leaseId: orNull(row.lease_id),
          leaseHolder: orNull(row.lease_holder),
          leasedUntil: row.leased_until,
          nextAttemptAt: row.status !== 'leased' && row.next_attempt_at > 0 ? row.next_attempt_at : null,
          attemptCount: row.attempt_count,
          cancelRequested: row.cancel_requested,
          requestId: orNull(row.request_id),
          correlationId: row.correlation_id,
          causationId: row.causation_id,
        }
      : [],
  );
};

/** What is leased goes on to its end; of the rest, what is for an open scope, or for none on-prem. */
const passes = (
  build: ExpressionBuilder<ReadTables, 'edge_worker_outbox'>,
  { open, mayRemoveArtifacts }: NonNullable<DueArgs['gate']>,
) =>
  build.or([
    build('status', '=', 'leased'),
    build.and([
      build('operation', '=', 'deploy'),
      build.or([build('scope', 'not like', 'onprem:%'), ...(open.length > 0 ? [build('scope', 'in', open)] : [])]),
    ]),
    build.and([build('operation', '!=', 'deploy'), ...(mayRemoveArtifacts ? [] : [sql<boolean>`1 = 0`])]),
  ]);

/** The lease belongs to a process of this node that is no more. Text is compared from the left: no pattern to escape. */
const heldByEarlier = (
  build: ExpressionBuilder<ReadTables, 'edge_worker_outbox'>,
  { name, holder }: { readonly name: string; readonly holder: string },
) => {
  const prefix = `${name}/`;
  const start = sql<string>`left(${sql.ref('lease_holder')}, ${sql.lit([...prefix].length)})`;
  return build.and([build('status', '=', 'leased'), build(start, '=', prefix), build('lease_holder', '!=', holder)]);
};

/** When the earliest row that is not due yet becomes due; undefined when nothing waits. */
export const findNextDueAt = async (db: ReadDatabase, { now }: { now: number }): Promise<number | undefined> => {
  const row = await db
    .selectFrom('edge_worker_outbox')
    .select('next_attempt_at')
    .where('status', 'in', alive)
    .where('next_attempt_at', '>', at(now))
    .orderBy('next_attempt_at')
    .limit(1)
    .executeTakeFirst();
  return row?.next_attempt_at;
};
