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
  /** Left out: what is about these has as many hands as it may have. */
  readonly notSubjects?: readonly string[];
  /** Kinds that wait while the webhook that they are about is paused or disabled. */
  readonly heldKinds?: readonly string[];
  readonly node?: { readonly name: string; readonly holder: string };
};

/**
 * Jobs that somebody should look at now, across tenants, fairly: no workspace gets its second job before every other has
 * had its first, and what runs counts. Where that decides nothing, the workspace whose last turn is longest ago comes
 * first. Within a workspace the more urgent comes first, then the more overdue. Read without row locks: the log grants.
 * Each workspace is asked for its first few only, so that a long backlog costs little.
 */
export const listDueJobs = async (db: ReadDatabase, args: DueJobsArgs): Promise<readonly DueJobAnswer[]> => {
  const { limit, kinds } = args;
  if (kinds.length === 0 || limit <= 0) return [];
  const running = await listRunning(db);
  const occupied = new Map<string, number>();
  const reclaimed: Row[] = [];
  for (const row of running) {
    if (isReclaimable(row, args)) reclaimed.push(row);
    else occupied.set(row.workspace_id, (occupied.get(row.workspace_id) ?? 0) + 1);
  }
  const occupiedBy = (id: string): number => occupied.get(id) ?? 0;
  const waiting = await listWaiting(db, args, Math.min(limit, maxWorkspaces) + occupied.size);
  const nearest = [...waiting.keys()]
    .map((id, place) => ({ id, place }))
    .sort((one, other) => occupiedBy(one.id) - occupiedBy(other.id) || one.place - other.place)
    .slice(0, Math.min(limit, maxWorkspaces));
  const heads = await listHeads(
    db,
    { ...args, limit: headsOf(limit, nearest.length, waiting.size) },
    nearest.map(({ id }) => id),
  );
  const turns = new Map<string, number>(occupied);
  return [...reclaimed, ...heads]
    .sort(byUrgency)
    .map((row) => {
      const turn = occupiedTurn(turns, row.workspace_id);
      return { row, turn, last: waiting.get(row.workspace_id) ?? 0 };
    })
    .sort((one, other) => one.turn - other.turn || one.last - other.last || byUrgency(one.row, other.row))
    .slice(0, limit)
    .map(({ row }) => answerOf(row));
};

/** No look takes in more of them. */
const maxWorkspaces = 64;

/**
 * How many jobs of each of the workspaces are looked at. All that could have a turn when few are asked for. When many are,
 * several times what each would get if all had enough; and only the first of each when more workspaces wait than the look
 * takes in, as theirs come before any second one.
 */
const headsOf = (limit: number, workspaces: number, waiting: number): number => {
  if (limit <= maxWorkspaces) return limit;
  return waiting > workspaces ? 1 : Math.min(limit, Math.ceil((4 * limit) / Math.max(1, workspaces)));
};

const occupiedTurn = (turns: Map<string, number>, workspaceId: string): number => {
  const turn = (turns.get(workspaceId) ?? 0) + 1;
  turns.set(workspaceId, turn);
  return turn;
};

const columns = [
  ...(['id', 'kind', 'workspace_id', 'department_id', 'lease_holder', 'priority', 'run_at'] as const),
  ...(['subject_id', 'request_id', 'correlation_id', 'causation_id'] as const),
] as const;

/** No more than the nodes have hands: as many as they run at once, all of them together. */
const listRunning = (db: ReadDatabase) =>
  db.selectFrom('jobs').select(columns).where('status', '=', 'RUNNING').execute();

type Row = Awaited<ReturnType<typeof listRunning>>[number];

/** The lease ran out, or an earlier, dead run of this node holds it. */
const isReclaimable = (row: Row, { now, kinds, node }: DueJobsArgs): boolean => {
  if (!kinds.includes(row.kind)) return false;
  if (row.run_at <= now) return true;
  return node !== undefined && row.lease_holder.startsWith(`${node.name}/`) && row.lease_holder !== node.holder;
};

const byUrgency = (one: Row, other: Row): number =>
  one.priority - other.priority || one.run_at - other.run_at || (one.id < other.id ? -1 : 1);

/** They wait without being looked at. A scalar, where EXISTS would say the same: see below. */
const isHeld = sql`coalesce((select webhooks.status from webhooks where webhooks.id = subject_id), '') in ('paused', 'disabled')`;

const isDue = ({ now, kinds, notSubjects = [], heldKinds = [] }: DueJobsArgs): Expression<SqlBool> => {
  const others = notSubjects.length === 0 ? sql`` : sql` and subject_id not in (${sql.join([...notSubjects])})`;
  const awake =
    heldKinds.length === 0 ? sql`` : sql` and (kind not in (${sql.join([...heldKinds])}) or not (${isHeld}))`;
  return sql<SqlBool>`(status = 'PENDING' and run_at <= ${at(now)} and kind in (${sql.join([...kinds])})${others}${awake})`;
};

/**
 * Workspaces where something is due, with the time of their last turn, longest ago first. Only the first step looks at
 * everything that waits, and in an index alone. A subquery with a limit, where EXISTS would say the same: MariaDB turns
 * EXISTS into a join with all that is due.
 */
const listWaiting = async (
  db: ReadDatabase,
  args: DueJobsArgs,
  limit: number,
): Promise<ReadonlyMap<string, number>> => {
  const { rows } = await sql<{ workspace_id: string; leased_at: number | null }>`
    select waiting.workspace_id, turn.leased_at
    from (select distinct workspace_id from jobs where status = 'PENDING') as waiting
    left join job_turns as turn on turn.workspace_id = waiting.workspace_id
    where (select id from jobs where jobs.workspace_id = waiting.workspace_id and ${isDue(args)} limit 1) is not null
    order by case when turn.leased_at is null then 0 else 1 end, turn.leased_at, waiting.workspace_id
    limit ${sql.lit(limit)}`.execute(db);
  return new Map(rows.map((row) => [row.workspace_id, row.leased_at === null ? 0 : Number(row.leased_at)]));
};

/** The first few of each of the workspaces, in one question. */
const listHeads = async (
  db: ReadDatabase,
  args: DueJobsArgs,
  workspaceIds: readonly string[],
): Promise<readonly Row[]> => {
  const headOf = (workspaceId: string) =>
    db
      .selectFrom(
        db
          .selectFrom('jobs')
          .select(columns)
          .where('workspace_id', '=', workspaceId)
          .where(isDue(args))
          .orderBy('priority')
          .orderBy('run_at')
          .orderBy('id')
          .limit(args.limit)
          .as('head'),
      )
      .select(columns);
  const [first, ...others] = workspaceIds.map(headOf);
  if (first === undefined) return [];
  return others.reduce((all, each) => all.unionAll(each), first).execute();
};

const answerOf = (row: Row): DueJobAnswer => ({
  jobId: row.id,
  kind: row.kind,
  subjectId: row.subject_id,
  workspaceId: row.workspace_id,
  departmentId: row.department_id,
  leaseHolder: orNull(row.lease_holder),
  requestId: orNull(row.request_id),
  correlationId: row.correlation_id,
  causationId: row.causation_id,
});
