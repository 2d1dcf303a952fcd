import type { Database } from '../../platform/database/port.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import { type Decode, replayInto } from '../engine/index.ts';
import { createQueries, type Queries } from '../queries.ts';
import type { ReadTables } from '../schema.ts';
import { tables } from '../tables.ts';
import { HistoryTooLong } from './errors.ts';
import { logOf, readStreamsUpTo } from './pastLog.ts';
import { createPool, type PoolLimits } from './pool.ts';
import type { PastPosition } from './position.ts';

export type PastLimits = PoolLimits & {
  /** Events of a workspace that are replayed for a question. */
  readonly events: number;
};

export const pastLimits: PastLimits = {
  ...{ open: 2, waitingPerOwner: 4, waiting: 16, waitMs: 15_000, idleMs: 60_000 },
  events: 20_000,
};

export type PastTables = { readonly queries: Queries; release(): void };

/** A workspace as it was. Its own streams are replayed, so that a question costs what the workspace is, not what the log is. */
export type Past = {
  /** Undefined: nothing of it had happened yet. The tables must have everything up to that time. */
  positionAt(workspaceId: string, at: number): Promise<PastPosition | undefined>;
  /** Its tables as of a position that `positionAt` gave. Throws PastBusy and HistoryTooLong. */
  open(workspaceId: string, at: PastPosition): Promise<PastTables>;
  close(): Promise<void>;
};

export type PastOptions = {
  readonly log: EventLog;
  /** Of the present: they say where the workspace is in the log. */
  readonly queries: Pick<Queries, 'pastPosition' | 'pastStreams'>;
  readonly decode: Decode;
  /** An empty database that is gone when it is closed. */
  readonly openScratch: () => Promise<Database<ReadTables>>;
  readonly onReplayed?: (what: ReplayedPast) => void;
  readonly limits?: Partial<PastLimits>;
};

export type ReplayedPast = {
  readonly workspaceId: string;
  readonly position: number;
  readonly streams: number;
  readonly events: number;
  readonly rows: number;
  readonly ms: number;
};

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

export const createPast = (options: PastOptions): Past => {
  const limits = { ...pastLimits, ...options.limits };
  const pool = createPool<{ readonly queries: Queries; close(): Promise<void> }>(limits);
  const closing = new AbortController();

  const make = async (workspaceId: string, { position }: PastPosition) => {
    const started = performance.now();
    const found = await options.queries.pastStreams({ workspaceId, position });
    const streams = found.map(({ category, id }) => `${category}-${id}`);
    const events = await readStreamsUpTo(options.log, streams, BigInt(position), closing.signal);
    const database = await options.openScratch();
    try {
      const { decode } = options;
      const { rows } = await replayInto(database, {
        ...{ log: logOf(events), tables: pastTables, decode, signal: closing.signal },
      });
      const ms = Math.round(performance.now() - started);
      options.onReplayed?.({ workspaceId, position, streams: streams.length, events: events.length, rows, ms });
      return { queries: createQueries(database), close: () => database.close() };
    } catch (error) {
      await database.close();
      throw error;
    }
  };

  return {
    positionAt: (workspaceId, at) => options.queries.pastPosition({ workspaceId, at }),
    open: async (workspaceId, at) => {
      if (at.events > limits.events) {
        throw new HistoryTooLong(`${at.events} events; no more than ${limits.events} are replayed for a question.`);
      }
      const { thing, release } = await pool.take(workspaceId, `${workspaceId}@${at.position}`, () =>
        make(workspaceId, at),
      );
      return { queries: thing.queries, release };
    },
    close: async () => {
      closing.abort();
      await pool.close();
    },
  };
};
