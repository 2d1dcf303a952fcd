import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page, PageArgs, Reader } from '../answers.ts';
import { isIn, toldTo } from '../event/told.ts';
import { pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';

/** Positions: after `since`, up to and including `upTo`. What is undefined is not asked for. */
export type ChangeFilter = Reader & {
  readonly workspaceId: string;
  readonly since: number;
  readonly upTo: number;
  /** Categories that are told of to nobody. */
  readonly hidden: readonly string[];
  readonly type?: string | undefined;
  readonly actorId?: string | undefined;
  readonly departmentId?: string | undefined;
};

/** Something that changed: its id, and the categories of its facts; none when only relations of it did. */
export type ChangedThing = { readonly id: string; readonly first: number; readonly categories: readonly string[] };

const told = (filter: ChangeFilter): RawBuilder<SqlBool> => {
  const { workspaceId, since, upTo, hidden, type, actorId, departmentId } = filter;
  const equal = (column: string, value: string | undefined): readonly RawBuilder<SqlBool>[] =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(column)} = ${value}`];
  return sql.join(
    [
      sql<SqlBool>`workspace_id = ${workspaceId} and position > ${since} and position <= ${upTo}`,
      sql<SqlBool>`not (${isIn('resource_type', hidden)})`,
      ...equal('resource_type', type),
      ...equal('actor_id', actorId),
      ...equal('department_id', departmentId),
      ...toldTo(filter),
    ],
    sql` and `,
  );
};

/** Ends of the relations that began or ended meanwhile. Whether they may be seen is for the graph to say. */
const relatedAnew = ({ workspaceId, since, upTo }: ChangeFilter): RawBuilder<unknown> => {
  const began = sql`valid_from > ${since} and valid_from <= ${upTo}`;
  const ended = sql`valid_to > ${since} and valid_to <= ${upTo}`;
  return sql.join(
    ['source_id', 'target_id'].map(
      (end) => sql`union all
        select ${sql.ref(end)}, case when ${began} then valid_from else valid_to end from resource_relation_versions
        where workspace_id = ${workspaceId} and ((${began}) or (${ended}))`,
    ),
    sql` `,
  );
};

/** In the order in which they changed first. A filter that is about facts leaves out what only relations tell of. */
export const listChanged = async (
  db: ReadDatabase,
  { limit, after, ...filter }: PageArgs & ChangeFilter,
): Promise<Page<ChangedThing>> => {
  const isNarrow = [filter.type, filter.actorId, filter.departmentId].some((each) => each !== undefined);
  const later =
    after === undefined
      ? sql<SqlBool>`1 = 1`
      : sql<SqlBool>`(min(position) > ${after.key} or (min(position) = ${after.key} and id > ${after.id}))`;
  const { rows } = await sql<{ id: string; first: number | string }>`
    select id, min(position) as first from (
      select resource_id as id, position from events where ${told(filter)}
      ${isNarrow ? sql`` : relatedAnew(filter)}
    ) as changed
    group by id having ${later} order by min(position), id limit ${sql.lit(limit + 1)}`.execute(db);
  const page = pageOf(rows, limit, ({ first, id }) => ({ key: Number(first), id }));
  const ids = page.rows.map(({ id }) => id);
  if (ids.length === 0) return { rows: [], next: null };
  const found = await sql<{ id: string; category: string }>`
    select distinct resource_id as id, resource_type as category from events
    where ${told(filter)} and ${isIn('resource_id', ids)}`.execute(db);
  const categoriesOf = (id: string) => found.rows.filter((row) => row.id === id).map(({ category }) => category);
  return {
    rows: page.rows.map(({ id, first }) => ({ id, first: Number(first), categories: categoriesOf(id).sort() })),
    next: page.next,
  };
};
