import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { searchable } from '../text.ts';
import { type NodeRow, type ResourceAnswer, resourceAnswerOf } from './answers.ts';
import { type GraphView, likeText, nodeColumns, nodeInView, nodesOf } from './view.ts';

/** What is undefined is not asked for. */
export type ResourceFilter = {
  readonly type?: string | undefined;
  readonly kind?: string | undefined;
  readonly status?: string | undefined;
  readonly provider?: string | undefined;
  readonly departmentId?: string | undefined;
  readonly tag?: string | undefined;
  /** In the name, in upper or lower case. */
  readonly text?: string | undefined;
};

const conditionsOf = (view: GraphView, filter: ResourceFilter): RawBuilder<SqlBool> => {
  const equal = (column: string, value: string | undefined): RawBuilder<SqlBool>[] =>
    value === undefined ? [] : [sql<SqlBool>`${sql.ref(`r.${column}`)} = ${value}`];
  const { tag, text } = filter;
  return sql.join(
    [
      nodeInView(view, 'r'),
      ...equal('type', filter.type),
      ...equal('kind', filter.kind),
      ...equal('status', filter.status),
      ...equal('provider', filter.provider),
      ...equal('department_id', filter.departmentId),
      ...(tag === undefined ? [] : [hasTag(view, tag)]),
      ...(text === undefined ? [] : [sql<SqlBool>`r.search_name like ${likeText(searchable(text))} escape '!'`]),
    ],
    sql` and `,
  );
};

/** Versions carry their tags as JSON: of a time that is past, they are found there. */
const hasTag = ({ moment, workspaceId }: GraphView, tag: string): RawBuilder<SqlBool> =>
  moment === undefined
    ? sql<SqlBool>`exists (select 1 from resource_tags t
        where t.workspace_id = ${workspaceId} and t.tag = ${tag} and t.resource_id = r.id)`
    : sql<SqlBool>`r.tags like ${likeText(JSON.stringify(tag))} escape '!'`;

/** Oldest first. */
export const listResources = async (
  db: ReadDatabase,
  { limit, after, ...args }: PageArgs & GraphView & ResourceFilter,
): Promise<Page<ResourceAnswer>> => {
  const { rows } = await sql<NodeRow>`
    select ${nodeColumns(args, 'r')} from ${nodesOf(args, 'r')}
    where ${conditionsOf(args, args)} and ${afterCursor('r.created_at', 'r.id', after)}
    order by r.created_at, r.id limit ${sql.lit(limit + 1)}`.execute(db);
  return pageOf(rows.map(resourceAnswerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
};

export const findResource = async (
  db: ReadDatabase,
  { resourceId, ...view }: GraphView & { readonly resourceId: string },
): Promise<ResourceAnswer | undefined> => {
  const { rows } = await sql<NodeRow>`
    select ${nodeColumns(view, 'r')} from ${nodesOf(view, 'r')}
    where r.id = ${resourceId} and ${nodeInView(view, 'r')}`.execute(db);
  const [row] = rows;
  return row && resourceAnswerOf(row);
};

/** Up to where the log has been followed: a position to look at one graph in many pages. */
export const findGraphPosition = async (db: ReadDatabase): Promise<number> => {
  const names = ['resource_versions', 'resource_relation_versions'];
  const { rows } = await sql<{ position: number | string }>`
    select position from projection_checkpoints where name in (${sql.join(names)}) order by position`.execute(db);
  return Number(rows[0]?.position ?? 0);
};
