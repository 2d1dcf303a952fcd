import { sql } from 'kysely';
import type { ReadDatabase } from '../schema.ts';
import { at as timeOf } from '../table.ts';

export type PastPosition = {
  /** Of the newest event of the workspace that was recorded by then. */
  readonly position: number;
  /** How many events the workspace had by then. */
  readonly events: number;
};

/** Undefined: the workspace had no event yet. The audit trail numbers all of them, so that nothing is counted. */
export const findPastPosition = async (
  db: ReadDatabase,
  { workspaceId, at }: { readonly workspaceId: string; readonly at: number },
): Promise<PastPosition | undefined> => {
  const row = await db
    .selectFrom('audit_logs')
    .select(['position', 'seq'])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`${sql.ref('created_at')} <= ${timeOf(at)}`)
    .orderBy('created_at', 'desc')
    .orderBy('seq', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row && { position: row.position, events: row.seq };
};

export type TimeSpan = { readonly workspaceId: string; readonly fromMs: number; readonly toMs: number };

/**
 * Where to begin to read, exclusive, and the last position of what a workspace recorded in a time, whose end is exclusive;
 * undefined when that is nothing. Asked of all of it, as a clock that was set back gives later positions earlier times. A
 * log is read from positions that it gave out: the beginning is that of the event before, whosever it is, or 0.
 */
export const findPositionsBetween = async (
  db: ReadDatabase,
  { workspaceId, fromMs, toMs }: TimeSpan,
): Promise<{ readonly after: bigint; readonly last: bigint } | undefined> => {
  const row = await db
    .selectFrom('audit_logs')
    .select(({ fn }) => [fn.min<number | null>('position').as('first'), fn.max<number | null>('position').as('last')])
    .where('workspace_id', '=', workspaceId)
    .where(sql<boolean>`created_at >= ${timeOf(fromMs)} and created_at < ${timeOf(toMs)}`)
    .executeTakeFirst();
  if (row === undefined || row.first === null || row.last === null) return undefined;
  const before = await db
    .selectFrom('events')
    .select(({ fn }) => fn.max<number | null>('position').as('position'))
    .where('position', '<', Number(row.first))
    .executeTakeFirst();
  return { after: BigInt(before?.position ?? 0), last: BigInt(row.last) };
};

export type PastStreamsArgs = {
  readonly workspaceId: string;
  readonly position: number;
  /** Position of the last event that was looked at. */
  readonly after: number;
  readonly limit: number;
};

export type PastStreamsPage = {
  readonly streams: readonly { readonly category: string; readonly id: string }[];
  /** What to go on after; undefined at the end. */
  readonly next: number | undefined;
};

/**
 * Streams that events of a workspace are in, up to a position, page by page of its events, so that no page costs more than
 * another. A host name's may hold those of others before or after it.
 */
export const listPastStreams = async (
  db: ReadDatabase,
  { workspaceId, position, after, limit }: PastStreamsArgs,
): Promise<PastStreamsPage> => {
  const rows = await db
    .selectFrom('events')
    .select(['position', 'resource_type', 'resource_id'])
    .where('workspace_id', '=', workspaceId)
    .where('position', '>', after)
    .where('position', '<=', position)
    .orderBy('position')
    .limit(limit)
    .execute();
  const streams = new Map(
    rows.map((row) => [
      `${row.resource_type}-${row.resource_id}`,
      { category: row.resource_type, id: row.resource_id },
    ]),
  );
  return { streams: [...streams.values()], next: rows.length < limit ? undefined : rows.at(-1)?.position };
};
