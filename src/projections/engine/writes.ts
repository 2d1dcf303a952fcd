import type { SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { TableFailure } from './tableFailure.ts';
import { parentsOf } from './topology.ts';

/** What is to be done for one table. */
export type Write = { readonly table: AnyTable; readonly run: () => Promise<void> };

type Target = Pick<SqlDatabase, 'classify'>;

/** Names the table whose statement was refused for what it is. */
export const blaming = async (database: Target, { table, run }: Write): Promise<void> => {
  try {
    await run();
  } catch (error) {
    const kind = database.classify(error);
    throw kind === 'constraint' || kind === 'other' ? new TableFailure(table.name, error) : error;
  }
};

export const oneByOne = async (database: Target, writes: readonly Write[]): Promise<void> => {
  for (const write of writes) await blaming(database, write);
};

/**
 * All begun at once, for a session that need not answer one statement before it is sent the next: each waits for the tables
 * above it only. Given parents first. Ends when all have, and throws what failed by itself rather than with the others.
 */
export const together = async (database: Target, writes: readonly Write[]): Promise<void> => {
  const begun = new Map<string, Promise<void>>();
  for (const write of writes) {
    const parents = parentsOf(write.table).flatMap((name) => begun.get(name) ?? []);
    begun.set(
      write.table.name,
      parents.length === 0 ? blaming(database, write) : Promise.all(parents).then(() => blaming(database, write)),
    );
  }
  const outcomes = await Promise.allSettled(begun.values());
  const failures = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []));
  if (failures.length > 0) throw failures.find((error: unknown) => !isAftermath(error)) ?? failures[0];
};

/** A statement of a transaction in which another one had failed. */
const isAftermath = (error: unknown): boolean => {
  const cause = error instanceof TableFailure ? error.cause : error;
  return typeof cause === 'object' && cause !== null && 'code' in cause && cause.code === '25P02';
};
