import { sql } from 'kysely';
import type { SqlDatabase } from '../platform/database/port.ts';
import { createWhole, tableExists } from './engine/ddl.ts';
import { bigint, string, table } from './table.ts';

/** Where those who follow the log by themselves (publisher, reactors) are. Not a read table: nothing is rebuilt from it. */
const followers = table<never>()({
  name: 'follower_checkpoints',
  version: 1,
  columns: { name: string(64), position: bigint() },
  primaryKey: ['name'],
  on: {},
});

/** Positions by name, kept in the read database. They only ever move forwards, until they are forgotten. */
export const createCheckpointStore = (database: SqlDatabase) => {
  const { session, kind } = database;
  const name = sql.table(followers.name);
  let ready: Promise<void> | undefined;
  const prepare = (): Promise<void> => {
    ready ??= ensureTable(database).catch((error: unknown) => {
      ready = undefined;
      throw error;
    });
    return ready;
  };
  return {
    load: async (follower: string): Promise<bigint> => {
      await prepare();
      const found = await sql<{
        position: number | string;
      }>`select position from ${name} where name = ${follower}`.execute(session);
      const [row] = found.rows;
      if (row) return BigInt(row.position);
      // Two processes may both be first: the second insert changes nothing.
      const ignore =
        kind === 'mysql' || kind === 'mariadb' ? sql`on duplicate key update name = name` : sql`on conflict do nothing`;
      await sql`insert into ${name} (name, position) values (${follower}, 0) ${ignore}`.execute(session);
      return 0n;
    },
    save: async (follower: string, position: bigint): Promise<void> => {
      const value = position.toString();
      await sql`update ${name} set position = ${value} where name = ${follower} and position < ${value}`.execute(
        session,
      );
    },
    /** The log is another one: all begin again. */
    forget: async (): Promise<void> => {
      await prepare();
      await sql`update ${name} set position = 0`.execute(session);
    },
  };
};

const ensureTable = async (database: SqlDatabase): Promise<void> => {
  if (await tableExists(database.session, database.kind, followers.name)) return;
  try {
    await createWhole(database, followers);
  } catch (error) {
    if (!(await tableExists(database.session, database.kind, followers.name))) throw error;
  }
};
