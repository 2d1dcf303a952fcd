import type { Session } from '../../platform/database/port.ts';
import type { AnyTable, ForeignKey } from '../table.ts';
import type { FlushContext } from './flush.ts';
import type { Row } from './rows.ts';
import { existingKeys } from './statements.ts';

/** Parents that rows name and that are not there, by the name of the foreign key. */
export type MissingParents = Map<string, Set<string>>;

const droppingKeys = (table: AnyTable): readonly (readonly [string, ForeignKey])[] =>
  Object.entries(table.foreignKeys).filter(([, { orphans }]) => orphans === 'drop');

const parentOf = (row: Row, { columns }: ForeignKey): readonly Row[string][] =>
  columns.map((name) => row[name] ?? null);

/** A row that the foreign key says to leave out. */
export const isOrphan = (table: AnyTable, row: Row, missing: MissingParents): boolean =>
  missing.size > 0 &&
  droppingKeys(table).some(([name, key]) => missing.get(name)?.has(JSON.stringify(parentOf(row, key))) === true);

/** Looks for the parents of these rows and adds those that are not there. Answers whether there were any. */
export const findMissing = async (
  session: Session,
  context: FlushContext,
  table: AnyTable,
  rows: readonly Row[],
  missing: MissingParents,
): Promise<boolean> => {
  let some = false;
  for (const [name, key] of rows.length === 0 ? [] : droppingKeys(table)) {
    const parent = context.tables.find((each) => each.name === key.references);
    if (parent !== undefined) await context.prepare?.('key', parent, session);
    const wanted = new Map(rows.map((row) => [JSON.stringify(parentOf(row, key)), parentOf(row, key)]));
    const found = await existingKeys(session, key.references + context.suffix, key.to, [...wanted.values()]);
    const absent = [...wanted.keys()].filter((id) => !found.has(id));
    if (absent.length === 0) continue;
    some = true;
    missing.set(name, new Set([...(missing.get(name) ?? []), ...absent]));
  }
  return some;
};

/** Leaves out rows whose parent is gone, where the foreign key says so. */
export const withParents = async (
  session: Session,
  context: FlushContext,
  table: AnyTable,
  rows: readonly Row[],
): Promise<readonly Row[]> => {
  const missing: MissingParents = new Map();
  if (!(await findMissing(session, context, table, rows, missing))) return rows;
  const kept = rows.filter((row) => !isOrphan(table, row, missing));
  context.onOrphans(table.name, rows.length - kept.length);
  return kept;
};
