import type { SqlDatabase } from '../../platform/database/port.ts';
import type { StoredEvent } from '../../platform/eventLog/port.ts';
import type { AnyTable } from '../table.ts';
import { fewestToCopy } from './appended.ts';
import type { ChainHeads } from './chain.ts';
import { moveCheckpoints } from './checkpoints.ts';
import { type FlushContext, flush } from './flush.ts';
import { type Decode, type Folded, fold, foldInSlices, type Participant } from './fold.ts';
import { cascadingTables, parentsFirst } from './topology.ts';

/** Another projector, or a rebuild, moved a checkpoint first. Nothing was written. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

/** What a batch means for some tables, worked out ahead. Good for one try: writing it gives chained rows their numbers. */
export type Prepared = { readonly tables: readonly AnyTable[]; readonly folded: Folded };

export type Applied = {
  readonly rows: number;
  /** Names of the tables that were written. */
  readonly changed: ReadonlySet<string>;
};

export type Apply = {
  /** Undefined when a handler failed: `write` will find out where. */
  prepare(tables: readonly AnyTable[], events: readonly StoredEvent[]): Promise<Prepared | undefined>;
  /**
   * Writes what the events mean for the participants and moves their checkpoints, in one transaction. Throws
   * CheckpointMoved, TableFailure, or the database's error; then nothing was written, unless the commit itself went
   * unanswered: the checkpoints tell.
   */
  write(
    participants: readonly Participant[],
    events: readonly StoredEvent[],
    to: bigint,
    prepared?: Prepared,
  ): Promise<Applied>;
};

export const createApply = (options: {
  readonly database: SqlDatabase;
  readonly tables: readonly AnyTable[];
  readonly decode: Decode;
  readonly onOrphans: FlushContext['onOrphans'];
}): Apply => {
  const { database, decode, onOrphans } = options;
  const tables = parentsFirst(options.tables);
  const folding = { database, cascading: cascadingTables(tables), decode };
  // True as long as our own moves succeed one after the other: nobody else has written then.
  const heads: ChainHeads = new Map();
  const context: FlushContext = { database, tables, suffix: '', heads, headsInTable: true, onOrphans };
  // While little comes at a time, what takes long is waiting for answers; much at a time is copied, which cannot be piped.
  const { pipelined } = database;
  const piped: FlushContext = { ...context, database: { ...database, copy: undefined }, isPipelined: true };
  const howFor = (events: readonly StoredEvent[]) =>
    pipelined && events.length < fewestToCopy
      ? { transaction: pipelined, how: piped }
      : { transaction: database.transaction, how: context };
  return {
    prepare: async (wanted, events) => {
      const participants = wanted.map((table) => ({ table, position: -1n }));
      const folded = await foldInSlices(events, participants, folding).catch(() => undefined);
      return folded && { tables: wanted, folded };
    },
    write: async (participants, events, to, prepared) => {
      try {
        const folded = fits(prepared, participants, events) ? prepared.folded : fold(events, participants, folding);
        const { transaction, how } = howFor(events);
        return await transaction(async (session) => {
          const moves = participants.map(({ table, position }) => ({ table, from: position }));
          if (!(await moveCheckpoints(session, moves, to)))
            throw new CheckpointMoved('A checkpoint was moved elsewhere');
          return { rows: await flush(session, how, folded), changed: changedBy(folded) };
        });
      } catch (error) {
        heads.clear();
        throw error;
      }
    },
  };
};

/** Worked out for these very tables, all of which need all of the events. */
const fits = (
  prepared: Prepared | undefined,
  participants: readonly Participant[],
  events: readonly StoredEvent[],
): prepared is Prepared => {
  const first = events[0];
  return (
    prepared !== undefined &&
    first !== undefined &&
    prepared.tables.length === participants.length &&
    participants.every(({ table, position }) => position < first.position && prepared.tables.includes(table))
  );
};

const changedBy = ({ stages, appended }: Folded): Set<string> => {
  const names = new Set<string>();
  for (const [table, added] of appended) if (added.rows() > 0) names.add(table.name);
  for (const { changes, barrier } of stages) {
    for (const table of changes.keys()) names.add(table.name);
    if (barrier !== undefined) names.add(barrier.table.name);
  }
  return names;
};
