import { type RawBuilder, type SqlBool, sql } from 'kysely';
import { type PublicEvent, publicEvent } from '../../domain/publicEvent.ts';
import type { Reader } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import type { RowOf } from '../table.ts';
import { parseAny } from '../values.ts';
import type { events } from './events.ts';
import { knownUpTo, toldTo } from './told.ts';

export type FeedFilter = {
  readonly type?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
};

export type FeedArgs = FeedFilter &
  Reader & {
    readonly workspaceId: string;
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
  const conditions = fitting(args);
  const size = conditions.length === 0 ? limit + 1 : Math.max(windowRows, limit + 1);
  const fits = sql<number>`case when ${sql.join([sql`1 = 1`, ...conditions], sql` and `)} then 1 else 0 end`;
  const looked = db
    .selectFrom('events')
    .select(['position', fits.as('fits')])
    .where('workspace_id', '=', workspaceId)
    .where('position', '>', after)
    .where(knownUpTo(args))
    .orderBy('position')
    .limit(size);
  const rows = await db
    .selectFrom(looked.as('looked'))
    .innerJoin('events', 'events.position', 'looked.position')
    .select('looked.position')
    .select([
      ...[ifFits<string | null>('id').as('id'), ifFits<string>('department_id').as('department_id')],
      ifFits<string>('event_type').as('event_type'),
      ifFits<string>('resource_type').as('resource_type'),
      ifFits<string>('resource_id').as('resource_id'),
      ifFits<number>('revision').as('revision'),
      ifFits<string>('actor_type').as('actor_type'),
      ifFits<string>('actor_id').as('actor_id'),
      ifFits<string>('correlation_id').as('correlation_id'),
      ifFits<string>('causation_id').as('causation_id'),
      ifFits<string | null>('payload').as('payload'),
      'created_at',
    ])
    .orderBy('looked.position')
    .execute();
  const found = rows.flatMap((row) => (row.id === null ? [] : [{ ...row, id: row.id, workspace_id: workspaceId }]));
  const told = found.slice(0, limit);
  const isCut = found.length > limit;
  const last = isCut ? told.at(-1) : rows.at(-1);
  return { events: told.map(eventOf), next: last?.position ?? after, more: isCut || rows.length === size };
};

/** What was looked at for nothing is not brought along. */
const ifFits = <Value>(column: string) => sql<Value>`case when looked.fits = 1 then ${sql.ref(`events.${column}`)} end`;

const fitting = ({ type, resourceType, resourceId, ...reader }: FeedArgs): readonly RawBuilder<SqlBool>[] => {
  const equal = (column: string, value: string | undefined) =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`];
  return [
    ...equal('event_type', type),
    ...equal('resource_type', resourceType),
    ...equal('resource_id', resourceId),
    ...toldTo(reader),
  ];
};

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
