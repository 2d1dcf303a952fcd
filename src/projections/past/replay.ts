import type { Database } from '../../platform/database/port.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import { type Decode, replayInto } from '../engine/index.ts';
import { createQueries, type Queries } from '../queries.ts';
import type { ReadTables } from '../schema.ts';
import { tables } from '../tables.ts';
import { logOf, readStreamsUpTo } from './pastLog.ts';

/** What is replayed: streams of a workspace, in pages that may name one more than once, up to a position. */
export type PastStreams = { readonly position: number; readonly pages: AsyncIterable<readonly string[]> };

export type Replayed = { readonly streams: number; readonly events: number; readonly rows: number };

/** The tables of then, wherever they are. */
export type PastTables = {
  readonly queries: Queries;
  readonly replayed: Replayed;
  close(): Promise<void>;
  /** Resolves when they are there no more without having been closed. */
  readonly gone?: Promise<void>;
};

/** Throws HistoryTooLong, PastLost, and when the signal aborts. */
export type OpenPastTables = (streams: PastStreams, signal: AbortSignal) => Promise<PastTables>;

/** What nobody asks for as of a time: it tells of times itself, or is nothing of a workspace. */
const leftOut = new Set([
  'users',
  'sessions',
  'edge_worker_maintenance',
  'edge_worker_audit_logs',
  'audit_logs',
  'events',
]);
const pastTables = tables.filter(({ name }) => !leftOut.has(name));

export type ReplayParts = {
  readonly log: Pick<EventLog, 'readStream'>;
  readonly decode: Decode;
  /** An empty database that is gone when it is closed. */
  readonly openScratch: () => Promise<Database<ReadTables>>;
};

/** Replays in this thread, which does nothing else meanwhile for hundreds of milliseconds at a time. */
export const replayHere =
  ({ log, decode, openScratch }: ReplayParts): OpenPastTables =>
  async ({ position, pages }, signal) => {
    const { streams, events } = await readStreamsUpTo(log, pages, BigInt(position), signal);
    const database = await openScratch();
    try {
      const { rows } = await replayInto(database, { log: logOf(events), tables: pastTables, decode, signal });
      return {
        queries: createQueries(database),
        replayed: { streams, events: events.length, rows },
        close: () => database.close(),
      };
    } catch (error) {
      await database.close();
      throw error;
    }
  };
