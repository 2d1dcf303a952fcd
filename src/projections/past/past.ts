import type { Queries } from '../queries.ts';
import { HistoryTooLong, PastLost } from './errors.ts';
import { createPool, type PoolLimits } from './pool.ts';
import type { PastPosition } from './position.ts';
import type { OpenPastTables, PastTables, Replayed } from './replay.ts';

export type PastLimits = PoolLimits & {
  /** Events of a workspace that are replayed for a question. */
  readonly events: number;
};

export const pastLimits: PastLimits = {
  ...{ open: 2, waitingPerOwner: 4, waiting: 16, waitMs: 15_000, idleMs: 60_000, turnMs: 5_000 },
  events: 20_000,
};

export type HeldPast = { readonly queries: Queries; release(): void };

/** A workspace as it was. Its own streams are replayed, so that a question costs what the workspace is, not what the log is. */
export type Past = {
  /** Undefined: nothing of it had happened yet. The tables must have everything up to that time. */
  positionAt(workspaceId: string, at: number): Promise<PastPosition | undefined>;
  /** Its tables as of a position that `positionAt` gave. Throws PastBusy, PastLost and HistoryTooLong. */
  open(workspaceId: string, at: PastPosition): Promise<HeldPast>;
  /** Whoever waits for tables, uses some or asks for some later gets PastLost. */
  close(): Promise<void>;
};

export type PastOptions = {
  /** Of the present: they say where the workspace is in the log. */
  readonly queries: Pick<Queries, 'pastPosition' | 'pastStreams'>;
  readonly openTables: OpenPastTables;
  readonly onReplayed?: (what: ReplayedPast) => void;
  readonly limits?: Partial<PastLimits>;
};

export type ReplayedPast = Replayed & {
  readonly workspaceId: string;
  readonly position: number;
  readonly ms: number;
};

export const createPast = ({ queries, openTables, onReplayed, ...options }: PastOptions): Past => {
  const limits = { ...pastLimits, ...options.limits };
  const pool = createPool<PastTables>(limits);
  const closing = new AbortController();

  const make = async (workspaceId: string, { position }: PastPosition): Promise<PastTables> => {
    const started = performance.now();
    const pages = streamPages(queries, workspaceId, position);
    const opened = await openTables({ position, pages }, closing.signal);
    const ms = Math.round(performance.now() - started);
    onReplayed?.({ workspaceId, position, ...opened.replayed, ms });
    return opened;
  };

  return {
    positionAt: (workspaceId, at) => queries.pastPosition({ workspaceId, at }),
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
      closing.abort(new PastLost('Looks back are closed.'));
      await pool.close();
    },
  };
};

/** Rows that are read at a time, in the thread that answers: some milliseconds of it. */
const pageSize = 1_000;

async function* streamPages(
  queries: PastOptions['queries'],
  workspaceId: string,
  position: number,
): AsyncGenerator<readonly string[]> {
  for (let after = 0; ; ) {
    const { streams, next } = await queries.pastStreams({ workspaceId, position, after, limit: pageSize });
    yield streams.map(({ category, id }) => `${category}-${id}`);
    if (next === undefined) return;
    after = next;
  }
}
