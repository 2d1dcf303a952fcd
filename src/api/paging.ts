import { createHmac, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import type { Cursor, Page, PageArgs } from '../projections/answers.ts';
import { refuse } from './problem.ts';
import type { ApiRequest } from './request.ts';

/** Parameters of every list. */
export const pagingFields = {
  limit: z
    .string()
    .regex(/^\d{1,3}$/, 'A number from 1 to 200.')
    .transform(Number)
    .pipe(z.number().int().min(1).max(200))
    .default(50)
    .meta({ description: 'Items per page, from 1 to 200.' }),
  cursor: z.string().max(512).optional().meta({ description: '`next` of the page before.' }),
};

export const paging = z.strictObject(pagingFields);

const cursorShape = z.tuple([z.number(), z.string().max(200)]);
const sealBytes = 9;

/** A cursor belongs to one list: sealed with its address, so that no caller can make one up or carry it elsewhere. */
const sealOf = ({ deps, path }: ApiRequest, content: Buffer): Buffer =>
  createHmac('sha256', deps.secretKey).update(`cursor\0${path}\0`).update(content).digest().subarray(0, sealBytes);

const encode = (request: ApiRequest, { key, id }: Cursor): string => {
  const content = Buffer.from(JSON.stringify([key, id]));
  return Buffer.concat([sealOf(request, content), content]).toString('base64url');
};

const decode = (request: ApiRequest, text: string): Cursor | undefined => {
  const bytes = Buffer.from(text, 'base64url');
  const content = bytes.subarray(sealBytes);
  const sealed = bytes.length > sealBytes && timingSafeEqual(bytes.subarray(0, sealBytes), sealOf(request, content));
  if (!sealed) return undefined;
  const [key, id] = cursorShape.parse(JSON.parse(content.toString('utf8')));
  return { key, id };
};

/** A page of a list: checks the cursor, asks for the rows, shows them. */
export const pageReply = async <Row, Item>(
  request: ApiRequest,
  { limit, cursor }: z.output<typeof paging>,
  ask: (page: PageArgs) => Promise<Page<Row>>,
  show: (row: Row) => Item,
) => {
  const after = cursor === undefined ? undefined : decode(request, cursor);
  if (cursor !== undefined && !after) {
    return refuse('RequestInvalid', 'This is no cursor of this list.', { field: 'cursor' });
  }
  const { rows, next } = await ask({ limit, after });
  return { status: 200, body: { items: rows.map(show), next: next && encode(request, next) } };
};
