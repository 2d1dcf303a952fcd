import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyRowWriter, AnyTable } from '../table.ts';
import { type ChainHead, isChained, linkRows } from './chain.ts';
import { chainedLines } from './chainedLines.ts';
import { type Copy, copyPieces, lineWriter } from './copyText.ts';
import { type Row, rowOf, valuesOf } from './rows.ts';
import { insertRows, type Target } from './statements.ts';
import { createTextBytes } from './textBytes.ts';

/** New rows of a table that is only ever added to. They are written down as they come, so that no row outlives its event. */
export type Appended = {
  add(given: Readonly<Record<string, unknown>>): void;
  readonly rows: () => number;
  /** The chains that these rows go on. */
  readonly chains: () => ReadonlySet<string>;
  /** `heads` must know every chain that has rows. */
  write(session: Session, target: Target, heads: Map<string, ChainHead>): Promise<void>;
};

// Below, the two more messages that COPY needs cost more than it saves.
export const fewestToCopy = 20;

/** For so many events. */
export const createAppended = (database: SqlDatabase, table: AnyTable, events: number): Appended => {
  const { kind, copy } = database;
  if (copy === undefined || events < fewestToCopy) return listed(database, table);
  return isChained(table) ? chainedLines(kind, table, copy) : lines(kind, table, copy);
};

const listed = ({ kind }: SqlDatabase, table: AnyTable): Appended => {
  const rows: Row[] = [];
  const { by } = table.chain ?? {};
  return {
    add: (given) => void rows.push(rowOf(table, given)),
    rows: () => rows.length,
    chains: () => new Set(by === undefined ? [] : rows.map((row) => String(row[by]))),
    write: async (session, target, heads) => {
      if (isChained(table)) linkRows(table, rows, heads);
      await insertRows(session, kind, target, rows);
    },
  };
};

const lines = (kind: SqlDatabase['kind'], table: AnyTable, copy: Copy): Appended => {
  const columns = Object.keys(table.columns);
  const toLine = lineWriter(kind, table, columns);
  const bytes = createTextBytes();
  let rows = 0;
  return {
    add: (given) => {
      bytes.add(`${toLine(valuesOf(table, given))}\n`);
      rows += 1;
    },
    rows: () => rows,
    chains: () => new Set(),
    write: (session, { physical }) => copyPieces(copy, session, physical, columns, bytes),
  };
};

const refuse = (): never => {
  throw new Error('rows of this table are never changed or removed');
};

const refusing: Omit<AnyRowWriter, 'insert'> = {
  ...{ put: refuse, patch: refuse, increment: refuse, remove: refuse, patchWhere: refuse, removeWhere: refuse },
  ...{ open: refuse, revise: refuse, close: refuse, closeWhere: refuse },
};

/** What handlers are given of such a table. */
export const addingTo = ({ add }: Appended): AnyRowWriter => ({ ...refusing, insert: add });
