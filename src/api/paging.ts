import { z } from 'zod';
import type { Cursor, Page, PageArgs } from '../projections/answers.ts';

const cursorShape = z.tuple([z.number(), z.string().max(200)]);

const encode = ({ key, id }: Cursor): string => Buffer.from(JSON.stringify([key, id])).toString('base64url');

const decode = (text: string): Cursor | undefined => {
  try {
    const read = cursorShape.safeParse(JSON.parse(Buffer.from(text, 'base64url').toString('utf8')));
    return read.success && !read.data[1].includes('\0') ? { key: read.data[0], id: read.data[1] } : undefined;
  } catch {
    return undefined;
  }
};

/** Parameters of every list. A cursor is opaque: it comes from the `next` of the page before. */
export const pagingFields = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'A number from 1 to 200.')
    .transform(Number)
    .pipe(z.number().int().min(1).max(200))
    .default(50)
    .meta({ description: 'Items per page, 200 at most.' }),
  cursor: z
    .string()
    .max(512)
    .transform((text, context) => {
      const cursor = decode(text);
      if (cursor) return cursor;
      context.addIssue({ code: 'custom', message: 'Not a cursor of this API.' });
      return z.NEVER;
    })
    .optional()
    .meta({ description: '`next` of the page before.' }),
};

export const paging = z.strictObject(pagingFields);

export const pageArgs = (query: z.output<typeof paging>): PageArgs => ({ limit: query.limit, after: query.cursor });

export const pageReply = <Row, Item>({ rows, next }: Page<Row>, show: (row: Row) => Item) => ({
  status: 200,
  body: { items: rows.map(show), next: next && encode(next) },
});
