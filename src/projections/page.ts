import { type Expression, type SqlBool, sql } from 'kysely';
import type { Cursor, Page } from './answers.ts';
import { at } from './table.ts';

/** One row more than the page was read: whether it is there says whether there is a next page. */
export const pageOf = <Row>(rows: readonly Row[], limit: number, cursorOf: (row: Row) => Cursor): Page<Row> => {
  const last = rows.length > limit ? rows[limit - 1] : undefined;
  return { rows: rows.slice(0, limit), next: last === undefined ? null : cursorOf(last) };
};

/** Rows after the cursor, where rows are in ascending order of a time and then an id. */
export const afterCursor = (time: string, id: string, after: Cursor | undefined): Expression<SqlBool> => {
  if (after === undefined) return sql<SqlBool>`1 = 1`;
  const key = at(after.key);
  return sql<SqlBool>`(${sql.ref(time)} > ${key} or (${sql.ref(time)} = ${key} and ${sql.ref(id)} > ${after.id}))`;
};

/** Rows after the cursor, where rows are in descending order of a number and then an id. */
export const beforeCursor = (number: string, id: string, after: Cursor | undefined): Expression<SqlBool> => {
  if (after === undefined) return sql<SqlBool>`1 = 1`;
  const { key } = after;
  return sql<SqlBool>`(${sql.ref(number)} < ${key} or (${sql.ref(number)} = ${key} and ${sql.ref(id)} < ${after.id}))`;
};
