import { sql } from 'kysely';
import type { Session } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { bigint, integer, string, table, text, timestamp } from '../table.ts';

/** The registry of read tables: which version is there, and up to where it follows the log. */
export const checkpointTable: AnyTable = table<never>()({
  name: 'projection_checkpoints',
  version: 1,
  columns: {
    name: string(64),
    version: integer(),
    position: bigint(),
    /** `swapping` while a rebuild replaces the table in a database that cannot do so in a transaction. */
    state: string(16),
    stopped: text(),
    updated_at: timestamp(),
  },
  primaryKey: ['name'],
  on: {},
});

export type Checkpoint = {
  readonly name: string;
  readonly version: number;
  readonly position: bigint;
  readonly state: '' | 'swapping';
  /** Why the table does not go on, or ''. */
  readonly stopped: string;
};

type CheckpointRow = {
  name: string;
  version: number;
  position: number | string;
  state: string;
  stopped: string | null;
};

const registry = sql.table(checkpointTable.name);

export const readCheckpoints = async (session: Session): Promise<Map<string, Checkpoint>> => {
  const { rows } = await sql<CheckpointRow>`select name, version, position, state, stopped from ${registry}`.execute(
    session,
  );
  return new Map(
    rows.map((row) => [
      row.name,
      {
        name: row.name,
        version: row.version,
        position: BigInt(row.position),
        state: row.state === 'swapping' ? 'swapping' : '',
        stopped: row.stopped ?? '',
      },
    ]),
  );
};

export type Move = { readonly table: AnyTable; readonly from: bigint };

/**
 * Moves all of these checkpoints or none: false when any of them is no longer where it was, or belongs to another version.
 * Call it first in a transaction; it then holds the tables against every other projector until the end.
 */
export const moveCheckpoints = async (session: Session, moves: readonly Move[], to: bigint): Promise<boolean> => {
  const result = await sql`
    update ${registry} set position = ${String(to)}, stopped = null, updated_at = current_timestamp(3)
    where state = '' and (${sql.join(expectedOf(moves), sql` or `)})`.execute(session);
  return result.numAffectedRows === BigInt(moves.length);
};

/** Nearly always all tables are at one position: a few texts, where a parameter for each name, version and position took longer than the rows. */
const expectedOf = (moves: readonly Move[]) => {
  const groups = new Map<string, { readonly version: number; readonly from: bigint; readonly names: string[] }>();
  for (const { table, from } of moves) {
    const { name, version } = table;
    const id = `${version} ${from}`;
    const group = groups.get(id) ?? { version, from, names: [] };
    groups.set(id, group);
    group.names.push(`'${name.replaceAll("'", "''")}'`);
  }
  return [...groups.values()].map(
    ({ version, from, names }) =>
      sql`(version = ${sql.lit(version)} and position = ${String(from)} and name in (${sql.raw(names.join(','))}))`,
  );
};

/** Makes the reason visible to every process. */
export const recordStop = async (session: Session, names: readonly string[], reason: string): Promise<void> => {
  await sql`update ${registry} set stopped = ${reason}, updated_at = current_timestamp(3) where name in (${sql.join(names)})`.execute(
    session,
  );
};

export const registerTable = async (session: Session, name: string, version: number): Promise<void> => {
  await sql`insert into ${registry} (name, version, position) values (${name}, ${version}, 0)`.execute(session);
};

/** For rebuilds only: everybody who works on the old state of these tables loses its next move. */
export const resetCheckpoints = async (
  session: Session,
  tables: readonly { readonly name: string; readonly version: number }[],
  position: bigint,
  state: Checkpoint['state'],
): Promise<void> => {
  for (const { name, version } of tables) {
    await sql`
      update ${registry} set version = ${version}, position = ${String(position)}, state = ${state}, stopped = null,
        updated_at = current_timestamp(3) where name = ${name}`.execute(session);
  }
};
