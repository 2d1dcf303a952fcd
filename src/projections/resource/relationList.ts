import { type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Page, PageArgs } from '../answers.ts';
import { afterCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import { type EdgeRow, type RelationAnswer, relationAnswerOf } from './answers.ts';
import { edgeColumns, edgeInView, edgesOf, type GraphView, nodeInView, nodesOf } from './view.ts';

export type RelationFilter = {
  /** At either end. */
  readonly resourceId?: string | undefined;
  readonly type?: string | undefined;
};

/** Edges of which the caller may see both ends. */
const selectEdges = (view: GraphView, where: RawBuilder<SqlBool>, tail: RawBuilder<unknown>): RawBuilder<EdgeRow> =>
  sql<EdgeRow>`
    select ${edgeColumns('e')} from ${edgesOf(view, 'e')}
    join ${nodesOf(view, 's')} on s.id = e.source_id and ${nodeInView(view, 's')}
    join ${nodesOf(view, 't')} on t.id = e.target_id and ${nodeInView(view, 't')}
    where ${edgeInView(view, 'e')} and ${where} ${tail}`;

/** Oldest first. */
export const listRelations = async (
  db: ReadDatabase,
  { limit, after, resourceId, type, ...view }: PageArgs & GraphView & RelationFilter,
): Promise<Page<RelationAnswer>> => {
  const where = sql.join<SqlBool>(
    [
      afterCursor('e.created_at', 'e.id', after),
      ...(type === undefined ? [] : [sql<SqlBool>`e.type = ${type}`]),
      ...(resourceId === undefined ? [] : [sql<SqlBool>`(e.source_id = ${resourceId} or e.target_id = ${resourceId})`]),
    ],
    sql` and `,
  );
  const tail = sql`order by e.created_at, e.id limit ${sql.lit(limit + 1)}`;
  const { rows } = await selectEdges(view, sql<SqlBool>`${where}`, tail).execute(db);
  return pageOf(rows.map(relationAnswerOf), limit, (row) => ({ key: row.createdAt, id: row.id }));
};

export const findRelation = async (
  db: ReadDatabase,
  { relationId, ...view }: GraphView & { readonly relationId: string },
): Promise<RelationAnswer | undefined> => {
  const { rows } = await selectEdges(view, sql<SqlBool>`e.id = ${relationId}`, sql``).execute(db);
  const [row] = rows;
  return row && relationAnswerOf(row);
};
