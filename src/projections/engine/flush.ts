import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { type Appended, fewestToCopy } from './appended.ts';
import { type ChainHead, type ChainHeads, isChained, loadHeads } from './chain.ts';
import { copyTexts } from './copyText.ts';
import type { Folded } from './fold.ts';
import { loadOpen, nextVersions } from './history.ts';
import { findMissing, isOrphan, type MissingParents, withParents } from './orphans.ts';
import type { Change, Stage } from './pending.ts';
import { keyIn, type Row } from './rows.ts';
import {
  existingKeys,
  insertRows,
  type PatchGroup,
  patchRows,
  patchWhere,
  removeRows,
  removeWhere,
  type Target,
} from './statements.ts';
import { blaming, oneByOne, together, type Write } from './writes.ts';

export type FlushContext = {
  readonly database: SqlDatabase;
  /** Parents before children. */
  readonly tables: readonly AnyTable[];
  /** `''`, or what the shadow tables of a rebuild add to their names. */
  readonly suffix: string;
  readonly heads: ChainHeads;
  /** False while every chain that has rows is in `heads`, as in a rebuild from nothing. */
  readonly headsInTable: boolean;
  readonly onOrphans: (table: string, rows: number) => void;
  /** The sessions need not answer one statement before they are sent the next. */
  readonly isPipelined?: boolean;
  /** Called before anything is done that needs keys, or constraints, on tables that may not have them yet. */
  readonly prepare?: (need: 'key' | 'constraints', table: AnyTable, session: Session) => Promise<void>;
};

/** Writes everything. Throws TableFailure, naming the table whose statement failed. Answers how many rows. */
export const flush = async (session: Session, context: FlushContext, { stages, appended }: Folded): Promise<number> => {
  const { database } = context;
  const writeAll = context.isPipelined ? together : oneByOne;
  let rows = 0;
  const added = [...appended].flatMap(([table, more]): Write[] => {
    rows += more.rows();
    return more.rows() > 0 ? [{ table, run: () => flushAppended(session, context, table, more) }] : [];
  });
  const changed = ({ changes }: Stage): Write[] =>
    context.tables.flatMap((table) => {
      const own = changes.get(table);
      rows += own?.size ?? 0;
      return own && own.size > 0 ? [{ table, run: () => flushTable(session, context, table, [...own.values()]) }] : [];
    });
  let waiting = added;
  for (const stage of stages) {
    await writeAll(database, [...waiting, ...changed(stage)]);
    waiting = [];
    if (stage.barrier) await flushBarrier(session, context, stage.barrier);
  }
  await writeAll(database, waiting);
  return rows;
};

const flushBarrier = async (
  session: Session,
  context: FlushContext,
  barrier: NonNullable<Stage['barrier']>,
): Promise<void> => {
  const { table } = barrier;
  const { kind } = context.database;
  const target = targetOf(context, table);
  const run = async (): Promise<void> => {
    await context.prepare?.('constraints', table, session);
    if (barrier.kind === 'removeWhere') await removeWhere(session, kind, target, barrier.where);
    else await patchWhere(session, kind, target, barrier.where, barrier.set);
  };
  await blaming(context.database, { table, run });
};

const targetOf = (context: FlushContext, table: AnyTable): Target => ({ table, physical: table.name + context.suffix });

const flushTable = async (
  session: Session,
  context: FlushContext,
  table: AnyTable,
  given: readonly Change[],
): Promise<void> => {
  const { kind } = context.database;
  const target = targetOf(context, table);
  if (table.history !== undefined) return flushVersions(session, context, target, given);
  const changes = await settlePuts(session, context, target, given);
  const gone = changes.flatMap((change) => {
    if (change.kind === 'remove') return [change.key];
    return change.kind === 'insert' && change.replaces ? [keyIn(change.row, table.primaryKey)] : [];
  });
  const patches = groupPatches(table, changes);
  if (gone.length > 0 || patches.length > 0) await context.prepare?.('key', table, session);
  if (gone.length > 0) await removeRows(session, kind, target, gone);

  // Before the new rows, which may take a unique value that a patched row gives up.
  for (const group of patches) await patchRows(session, kind, target, group);

  const fresh = changes.flatMap((change) => (change.kind === 'insert' ? [change.row] : []));
  const rows = await withParents(session, context, table, fresh);
  if (rows.length > 0) await addRows(session, context, target, rows);
};

/** Turns every put into what it is: a patch of a row that is there, or an insert. */
const settlePuts = async (
  session: Session,
  context: FlushContext,
  { table, physical }: Target,
  changes: readonly Change[],
): Promise<readonly Change[]> => {
  const keys = changes.flatMap((change) => (change.kind === 'put' ? [change.key] : []));
  if (keys.length === 0) return changes;
  await context.prepare?.('key', table, session);
  const there = await existingKeys(session, physical, table.primaryKey, keys);
  return changes.map((change) => {
    if (change.kind !== 'put') return change;
    const { key, row, set, add } = change;
    return there.has(JSON.stringify(key)) ? { kind: 'patch', key, set, add } : { kind: 'insert', row, replaces: false };
  });
};

const flushVersions = async (
  session: Session,
  context: FlushContext,
  target: Target,
  changes: readonly Change[],
): Promise<void> => {
  const { kind } = context.database;
  const subjects = changes.flatMap((change) => (change.kind === 'versions' ? [change] : []));
  await context.prepare?.('key', target.table, session);
  const open = await loadOpen(
    session,
    target,
    subjects.map(({ key }) => key),
  );
  const missing: MissingParents = new Map();
  const judge = () => nextVersions(target.table, subjects, open, (row) => isOrphan(target.table, row, missing));
  let versions = judge();
  // A version without its parent never was: what came after it is judged again.
  while (await findMissing(session, context, target.table, versions.fresh, missing)) versions = judge();
  const { closed, fresh, orphans } = versions;
  if (orphans > 0) context.onOrphans(target.table.name, orphans);
  if (closed.rows.length > 0) await patchRows(session, kind, target, closed);
  if (fresh.length > 0) await addRows(session, context, target, fresh);
};

const addRows = async (
  session: Session,
  context: FlushContext,
  target: Target,
  rows: readonly Row[],
): Promise<void> => {
  const { kind, copy } = context.database;
  if (copy === undefined || rows.length < fewestToCopy) return insertRows(session, kind, target, rows);
  for (const text of copyTexts(kind, target, rows)) {
    await copy(session, target.physical, Object.keys(target.table.columns), text);
  }
};

const groupPatches = (table: AnyTable, changes: readonly Change[]): PatchGroup[] => {
  const groups = new Map<string, PatchGroup & { readonly rows: (readonly Row[string][])[] }>();
  for (const change of changes) {
    if (change.kind !== 'patch') continue;
    const set = Object.keys(table.columns).filter((name) => name in change.set);
    const add = Object.keys(table.columns).filter((name) => name in change.add);
    if (set.length + add.length === 0) continue;
    const id = `${set.join()}+${add.join()}`;
    const group = groups.get(id) ?? { set, add, rows: [] };
    groups.set(id, group);
    group.rows.push([
      ...change.key,
      ...set.map((name) => change.set[name] ?? null),
      ...add.map((name) => change.add[name] ?? 0),
    ]);
  }
  return [...groups.values()];
};

const flushAppended = async (
  session: Session,
  context: FlushContext,
  table: AnyTable,
  added: Appended,
): Promise<void> => {
  const target = targetOf(context, table);
  const heads = context.heads.get(table.name) ?? new Map<string, ChainHead>();
  context.heads.set(table.name, heads);
  if (context.headsInTable && isChained(table)) await loadHeads(session, { ...target, table }, added.chains(), heads);
  await added.write(session, target, heads);
};
