import type { SqlDatabase } from '../../platform/database/port.ts';
import type { StoredEvent } from '../../platform/eventLog/port.ts';
import type { AnyTable } from '../table.ts';
import type { ChainHeads } from './chain.ts';
import { moveCheckpoints } from './checkpoints.ts';
import { type FlushContext, flush } from './flush.ts';
import { type Decode, fold, type Participant } from './fold.ts';
import type { Stage } from './pending.ts';
import { cascadingTables, parentsFirst } from './topology.ts';

/** Another projector, or a rebuild, moved a checkpoint first. Nothing was written. */
export class CheckpointMoved extends Error {
  override readonly name = 'CheckpointMoved';
}

/**
 * Writes what the events mean for the participants and moves their checkpoints, in one transaction; answers what
 * was written. Throws CheckpointMoved, TableFailure, or the database's error; then nothing was written, unless the commit
 * itself went unanswered: the checkpoints tell.
 */
export type Apply = (
  participants: readonly Participant[],
  events: readonly StoredEvent[],
  to: bigint,
) => Promise<Applied>;

export type Applied = {
  readonly rows: number;
  /** Names of the tables that were written. */
  readonly changed: ReadonlySet<string>;
};

export const createApply = (options: {
  readonly database: SqlDatabase;
  readonly tables: readonly AnyTable[];
  readonly decode: Decode;
  readonly onOrphans: FlushContext['onOrphans'];
}): Apply => {
  const { database, decode, onOrphans } = options;
  const tables = parentsFirst(options.tables);
  const cascading = cascadingTables(tables);
  // True as long as our own moves succeed one after the other: nobody else has written then.
  const heads: ChainHeads = new Map();
  const context: FlushContext = { database, tables, suffix: '', heads, headsInTable: true, onOrphans };
  return async (participants, events, to) => {
    try {
      const stages = fold(events, participants, cascading, decode);
      return await database.transaction(async (session) => {
        const moves = participants.map(({ table, position }) => ({ table, from: position }));
        if (!(await moveCheckpoints(session, moves, to))) throw new CheckpointMoved('A checkpoint was moved elsewhere');
        return { rows: await flush(session, context, stages), changed: changedBy(stages) };
      });
    } catch (error) {
      heads.clear();
      throw error;
    }
  };
};

const changedBy = (stages: readonly Stage[]): Set<string> => {
  const names = new Set<string>();
  for (const { changes, barrier } of stages) {
    for (const table of changes.keys()) names.add(table.name);
    if (barrier !== undefined) names.add(barrier.table.name);
  }
  return names;
};
