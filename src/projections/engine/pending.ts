import type { AnyRowWriter, AnyTable } from '../table.ts';
import { type Appended, addingTo } from './appended.ts';
import { historyOf, openPosition, type VersionStep, versionOf } from './history.ts';
import {
  changesOf,
  columnOf,
  idOf,
  type Key,
  keyIn,
  keyOf,
  mergeIntoRow,
  mergePatch,
  type Row,
  rowOf,
  storedOf,
  type Where,
  whereKey,
  whereOf,
} from './rows.ts';

/** What a batch does to one row. Only an insert knows the whole row. */
export type Change =
  | { readonly kind: 'insert'; readonly row: Row; readonly replaces: boolean }
  | { readonly kind: 'patch'; readonly key: Key; readonly set: Row; readonly add: Record<string, number> }
  | { readonly kind: 'remove'; readonly key: Key }
  /** `set` and `add` where there is such a row, else `row`. */
  | {
      readonly kind: 'put';
      readonly key: Key;
      readonly row: Row;
      readonly set: Row;
      readonly add: Record<string, number>;
    }
  /** What becomes of one subject of a history, in order. */
  | { readonly kind: 'versions'; readonly key: Key; readonly steps: VersionStep[] };

/** What touches rows that the batch does not know: everything before it must be written first. */
export type Barrier =
  | { readonly kind: 'patchWhere'; readonly table: AnyTable; readonly where: Where; readonly set: Row }
  | { readonly kind: 'removeWhere'; readonly table: AnyTable; readonly where: Where };

/** Changes by table and key, in the order of their first event, and then at most one barrier. */
export type Stage = {
  readonly changes: Map<AnyTable, Map<string, Change>>;
  barrier?: Barrier;
};

export type Pending = {
  readonly stages: Stage[];
  /** Of tables that are only added to: no order among them and the stages matters. */
  readonly appended: ReadonlyMap<AnyTable, Appended>;
  /** The writer for a table's handlers. */
  writer(table: AnyTable): AnyRowWriter;
};

/** `cascading`: names of tables whose removals take rows of other tables along, and so end a stage. */
export const createPending = (cascading: ReadonlySet<string>, appendTo: (table: AnyTable) => Appended): Pending => {
  const appended = new Map<AnyTable, Appended>();
  const stages: Stage[] = [{ changes: new Map() }];
  // Parents that rows of the current stage name. A stage writes parents first, so a parent that comes after a row that
  // names it belongs to the next stage: or that row would find a parent which was not there at its time.
  const named = new Map<string, Set<string>>();
  const writers = new Map<AnyTable, AnyRowWriter>();
  const changesOf = (table: AnyTable): Map<string, Change> => {
    const { changes } = current(stages);
    const known = changes.get(table);
    if (known !== undefined) return known;
    const fresh = new Map<string, Change>();
    changes.set(table, fresh);
    return fresh;
  };
  const nextStage = (): void => {
    stages.push({ changes: new Map() });
    named.clear();
  };
  const bar = (barrier: Barrier): void => {
    current(stages).barrier = barrier;
    nextStage();
  };
  const hooks: StageHooks = {
    changes: changesOf,
    bar,
    cascades: (table) => cascading.has(table.name),
    onWritten: (table, row) => {
      for (const { columns, references } of Object.values(table.foreignKeys)) {
        if (!columns.every((column) => column in row)) continue;
        const keys = named.get(references) ?? new Set();
        named.set(references, keys.add(idOf(keyIn(row, columns))));
      }
    },
    beforeInsert: (table, row) => {
      if (named.get(table.name)?.has(idOf(keyIn(row, table.primaryKey))) === true) nextStage();
    },
  };
  const newWriter = (table: AnyTable): AnyRowWriter => {
    if (!table.appendOnly) return createWriter(table, hooks);
    const rows = appendTo(table);
    appended.set(table, rows);
    return addingTo(rows);
  };
  return {
    stages,
    appended,
    writer: (table) => {
      const known = writers.get(table);
      if (known !== undefined) return known;
      const writer = newWriter(table);
      writers.set(table, writer);
      return writer;
    },
  };
};

const current = (stages: readonly Stage[]): Stage => {
  const last = stages.at(-1);
  if (last === undefined) throw new Error('a batch has at least one stage');
  return last;
};

type StageHooks = {
  readonly changes: (table: AnyTable) => Map<string, Change>;
  readonly bar: (barrier: Barrier) => void;
  readonly cascades: (table: AnyTable) => boolean;
  readonly beforeInsert: (table: AnyTable, row: Row) => void;
  readonly onWritten: (table: AnyTable, row: Row) => void;
};

const createWriter = (
  table: AnyTable,
  { changes, bar, cascades, beforeInsert, onWritten }: StageHooks,
): AnyRowWriter => {
  const patch = (key: Key, set: Row, add: Record<string, number>): void => {
    const id = idOf(key);
    const byKey = changes(table);
    const before = byKey.get(id);
    if (before === undefined) byKey.set(id, { kind: 'patch', key, set, add });
    else if (before.kind === 'insert') mergeIntoRow(before.row, set, add);
    else if (before.kind === 'patch') mergePatch(before, set, add);
    else if (before.kind === 'put') {
      mergePatch(before, set, add);
      mergeIntoRow(before.row, set, add);
    }
    onWritten(table, set);
  };
  const step = (subject: unknown, next: VersionStep): void => {
    const key = [storedOf(table, historyOf(table).subject, subject)];
    const byKey = changes(table);
    const before = byKey.get(idOf(key));
    if (before?.kind === 'versions') before.steps.push(next);
    else byKey.set(idOf(key), { kind: 'versions', key, steps: [next] });
  };
  return {
    put: (given, changed) => {
      rowsOnly(table);
      const row = rowOf(table, given);
      beforeInsert(table, row);
      putRow(table, changes(table), row, changesOf(table, changed));
      onWritten(table, row);
    },
    open: (moment, given) => {
      const row = versionOf(table, moment, given);
      beforeInsert(table, row);
      step(given[historyOf(table).subject], { kind: 'open', moment, row });
      onWritten(table, row);
    },
    revise: (moment, subject, given, otherwise) => {
      const row = otherwise && versionOf(table, moment, otherwise);
      if (row) beforeInsert(table, row);
      step(subject, { kind: 'revise', moment, set: changesOf(table, given), otherwise: row });
      if (row) onWritten(table, row);
    },
    close: (moment, subject) => step(subject, { kind: 'close', moment }),
    closeWhere: ({ position, recordedAt }, where) => {
      const { to, until } = historyOf(table);
      const open = whereOf(table, { ...where, [to]: openPosition });
      bar({ kind: 'patchWhere', table, where: open, set: changesOf(table, { [to]: position, [until]: recordedAt }) });
    },
    insert: (given) => {
      rowsOnly(table);
      const row = rowOf(table, given);
      beforeInsert(table, row);
      insertRow(table, changes(table), row);
      onWritten(table, row);
    },
    patch: (key, given) => {
      rowsOnly(table);
      patch(keyOf(table, key), changesOf(table, given), {});
    },
    increment: (key, name, by) => {
      rowsOnly(table);
      const column = String(name);
      const kind = columnOf(table, column).shape.kind;
      if (kind !== 'integer' && kind !== 'bigint') throw new TypeError(`${column} is no number`);
      if (!Number.isSafeInteger(by)) throw new TypeError(`expected a whole number to add to ${column}`);
      patch(keyOf(table, key), {}, { [column]: by });
    },
    remove: (given) => {
      rowsOnly(table);
      const key = keyOf(table, given);
      if (cascades(table)) bar({ kind: 'removeWhere', table, where: whereKey(table, key) });
      else changes(table).set(idOf(key), { kind: 'remove', key });
    },
    patchWhere: (where, given) => {
      rowsOnly(table);
      bar({ kind: 'patchWhere', table, where: whereOf(table, where), set: changesOf(table, given) });
    },
    removeWhere: (where) => {
      rowsOnly(table);
      bar({ kind: 'removeWhere', table, where: whereOf(table, where) });
    },
  };
};

const putRow = (table: AnyTable, changes: Map<string, Change>, row: Row, set: Row): void => {
  const key = keyIn(row, table.primaryKey);
  const before = changes.get(idOf(key));
  switch (before?.kind) {
    case 'insert':
      mergeIntoRow(before.row, set, {});
      return;
    case 'put':
      mergeIntoRow(before.row, set, {});
      mergePatch(before, set, {});
      return;
    case 'remove':
      insertRow(table, changes, row);
      return;
    case 'patch':
      mergePatch(before, set, {});
      changes.set(idOf(key), { kind: 'put', key, row, set: before.set, add: before.add });
      return;
    default:
      changes.set(idOf(key), { kind: 'put', key, row, set, add: {} });
  }
};

const insertRow = (table: AnyTable, changes: Map<string, Change>, row: Row): void => {
  const id = idOf(keyIn(row, table.primaryKey));
  const before = changes.get(id);
  if (before?.kind === 'insert') throw new Error('a row with this key was inserted before');
  // A patch before an insert found no row. If it did, the database refuses the insert.
  changes.delete(id);
  changes.set(id, { kind: 'insert', row, replaces: before?.kind === 'remove' });
};

const rowsOnly = (table: AnyTable): void => {
  if (table.history !== undefined) throw new Error('versions are opened, revised and closed');
};
