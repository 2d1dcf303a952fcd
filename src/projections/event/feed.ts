import { type Expression, type SqlBool, sql } from 'kysely';
import { type PublicEvent, publicEvent } from '../../domain/publicEvent.ts';
import type { DepartmentScope } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import type { RowOf } from '../table.ts';
import { parseAny } from '../values.ts';
import type { events } from './events.ts';

export type FeedFilter = {
  readonly type?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
};

export type FeedArgs = FeedFilter &
  DepartmentScope & {
    readonly workspaceId: string;
    /** Categories that the reader is not told of. */
    readonly hidden: readonly string[];
    /** Position; exclusive. */
    readonly after: number;
    readonly limit: number;
  };

export type FeedPage = {
  /** In log order. */
  readonly events: readonly PublicEvent[];
  /** Everything up to here was looked at: read on after it. */
  readonly next: number;
  /** There may be more at once. */
  readonly more: boolean;
};

/** Rows looked at by one query, so that a filter that fits nothing costs no more than one that fits all. */
const windowRows = 1_000;

/**
 * The events of a workspace after a position. One statement answers what fits and how far it looked: between two of them
 * a rebuilt table may take the place of this one, and a position from the one must not be taken for one of the other.
 */
export const readFeed = async (db: ReadDatabase, args: FeedArgs): Promise<FeedPage> => {
  const { workspaceId, after, limit } = args;
  const fits = fitting(args);
  const size = fits === undefined ? limit + 1 : Math.max(windowRows, limit + 1);
  const whenFits = <Value>(column: string) =>
    fits === undefined ? sql<Value>`${sql.ref(column)}` : sql<Value>`case when ${fits} then ${sql.ref(column)} end`;
  const rows = await db
    .selectFrom('events')
    .select(['position', 'created_at'])
    .select([
      whenFits<string | null>('id').as('id'),
      whenFits<string>('department_id').as('department_id'),
      whenFits<string>('event_type').as('event_type'),
      whenFits<string>('resource_type').as('resource_type'),
      whenFits<string>('resource_id').as('resource_id'),
      whenFits<number>('revision').as('revision'),
      whenFits<string>('actor_type').as('actor_type'),
      whenFits<string>('actor_id').as('actor_id'),
      whenFits<string>('correlation_id').as('correlation_id'),
      whenFits<string>('causation_id').as('causation_id'),
      whenFits<string | null>('payload').as('payload'),
    ])
    .where('workspace_id', '=', workspaceId)
    .where('position', '>', after)
    .orderBy('position')
    .limit(size)
    .execute();
  const found = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id, workspace_id: workspaceId }]));
  const shown = found.slice(0, limit);
  const isCut = found.length > limit;
  const last = isCut ? shown.at(-1) : rows.at(-1);
  return { events: shown.map(eventOf), next: last?.position ?? after, more: isCut || rows.length === size };
};

/** Undefined: everything does. */
const fitting = ({ type, resourceType, resourceId, departmentIds, hidden }: FeedArgs) => {
  const conditions: Expression<SqlBool>[] = [];
  const equals = (column: string, value: string) => sql<SqlBool>`${sql.ref(column)} = ${value}`;
  if (type !== undefined) conditions.push(equals('event_type', type));
  if (resourceType !== undefined) conditions.push(equals('resource_type', resourceType));
  if (resourceId !== undefined) conditions.push(equals('resource_id', resourceId));
  if (departmentIds !== undefined) conditions.push(isIn('department_id', departmentIds));
  if (hidden.length > 0) conditions.push(sql<SqlBool>`not ${isIn('resource_type', hidden)}`);
  return conditions.length === 0 ? undefined : sql<SqlBool>`${sql.join(conditions, sql` and `)}`;
};

const isIn = (column: string, values: readonly string[]): Expression<SqlBool> =>
  values.length === 0 ? sql<SqlBool>`1 = 0` : sql<SqlBool>`(${sql.ref(column)} in (${sql.join([...values])}))`;

const eventOf = (row: RowOf<typeof events>): PublicEvent =>
  publicEvent({
    ...{ eventId: row.id, category: row.resource_type, subjectId: row.resource_id, type: row.event_type },
    ...{ revision: row.revision, position: row.position, recordedAt: row.created_at },
    ...{ workspaceId: row.workspace_id, departmentId: row.department_id },
    ...{ correlationId: row.correlation_id, causationId: row.causation_id },
    ...{ actor: { kind: row.actor_type, id: row.actor_id }, data: parseAny(row.payload) },
  });

/** The newest position of a workspace, 0 when it has none: where a reader begins who wants nothing of before. */
export const findFeedEnd = async (
  db: ReadDatabase,
  { workspaceId }: { readonly workspaceId: string },
): Promise<number> => {
  const row = await db
    .selectFrom('events')
    .select('position')
    .where('workspace_id', '=', workspaceId)
    .orderBy('position', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.position ?? 0;
};

export type FeedChanges = { readonly workspaceIds: readonly string[]; readonly position: number };

/** Whose events came after a position, and the newest position there is: asked once for all who wait. */
export const listFeedChanges = async (
  db: ReadDatabase,
  { after }: { readonly after: number },
): Promise<FeedChanges> => {
  const rows = await db
    .selectFrom('events')
    .select(({ fn }) => ['workspace_id', fn.max<number | bigint | string>('position').as('newest')])
    .where('position', '>', after)
    .groupBy('workspace_id')
    .execute();
  const position = rows.reduce((newest, row) => Math.max(newest, Number(row.newest)), after);
  return { workspaceIds: rows.map((row) => row.workspace_id), position };
};

/** The newest position of all workspaces, 0 when there is none. */
export const findNewestEvent = async (db: ReadDatabase): Promise<number> => {
  const row = await db.selectFrom('events').select('position').orderBy('position', 'desc').limit(1).executeTakeFirst();
  return row?.position ?? 0;
};
