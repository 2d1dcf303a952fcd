import type { AnyRowWriter, AnyTable } from '../table.ts';
import { type AnyColumn, defaultOf, type StoredValue, toStored } from './columns.ts';

export type Row = Record<string, StoredValue>;
/** The values of a primary key, in its order. */
export type Key = readonly StoredValue[];
export type Where = readonly (readonly [column: string, value: StoredValue])[];

/** What a batch does to one row. Only an insert knows the whole row. */
export type Change =
  | { readonly kind: 'insert'; readonly row: Row; readonly replaces: boolean }
  | { readonly kind: 'patch'; readonly key: Key; readonly set: Row; readonly add: Record<string, number> }
  | { readonly kind: 'remove'; readonly key: Key };

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
  /** The writer for a table's handlers. */
  writer(table: AnyTable): AnyRowWriter;
};

/** `cascading`: names of tables whose removals take rows of other tables along, and so end a stage. */
export const createPending = (cascading: ReadonlySet<string>): Pending => {
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
  return {
    stages,
    writer: (table) => {
      const known = writers.get(table);
      if (known !== undefined) return known;
      const writer = createWriter(table, hooks);
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
    onWritten(table, set);
  };
  return {
    insert: (given) => {
      const row = rowOf(table, given);
      beforeInsert(table, row);
      insertRow(table, changes(table), row);
      onWritten(table, row);
    },
    patch: (key, given) => {
      appendOnly(table);
      patch(keyOf(table, key), changesOf(table, given), {});
    },
    increment: (key, name, by) => {
      appendOnly(table);
      const column = String(name);
      const kind = columnOf(table, column).shape.kind;
      if (kind !== 'integer' && kind !== 'bigint') throw new TypeError(`${column} is no number`);
      if (!Number.isSafeInteger(by)) throw new TypeError(`expected a whole number to add to ${column}`);
      patch(keyOf(table, key), {}, { [column]: by });
    },
    remove: (given) => {
      appendOnly(table);
      const key = keyOf(table, given);
      if (cascades(table)) bar({ kind: 'removeWhere', table, where: whereKey(table, key) });
      else changes(table).set(idOf(key), { kind: 'remove', key });
    },
    patchWhere: (where, given) => {
      appendOnly(table);
      bar({ kind: 'patchWhere', table, where: whereOf(table, where), set: changesOf(table, given) });
    },
    removeWhere: (where) => {
      appendOnly(table);
      bar({ kind: 'removeWhere', table, where: whereOf(table, where) });
    },
  };
};

const insertRow = (table: AnyTable, changes: Map<string, Change>, row: Row): void => {
  const id = idOf(keyIn(row, table.primaryKey));
  const before = changes.get(id);
  if (before?.kind === 'insert') throw new Error('a row with this key was inserted before');
  // A patch before an insert found no row. If it did, the database refuses the insert.
  changes.delete(id);
  changes.set(id, { kind: 'insert', row, replaces: before?.kind === 'remove' });
};

const appendOnly = (table: AnyTable): void => {
  if (table.chain !== undefined) throw new Error('rows of a hash chain are never changed or removed');
};

const columnOf = (table: AnyTable, name: string): AnyColumn => {
  const column = table.columns[name];
  if (column === undefined) throw new TypeError(`there is no column ${name}`);
  return column;
};

const storedOf = (table: AnyTable, name: string, value: unknown): StoredValue =>
  storedAs(name, columnOf(table, name), value);

const storedAs = (name: string, column: AnyColumn, value: unknown): StoredValue => {
  try {
    return toStored(column, value);
  } catch (error) {
    throw new TypeError(`${name}: ${error instanceof Error ? error.message : 'not storable'}`);
  }
};

type Slot = { readonly name: string; readonly column: AnyColumn; readonly required: boolean };

/** `empty` holds all columns with their defaults: copying it is one allocation, adding columns one by one is many. */
type Shape = { readonly slots: readonly Slot[]; readonly empty: Readonly<Row> };

const shapes = new WeakMap<AnyTable, Shape>();

const shapeOf = (table: AnyTable): Shape => {
  const known = shapes.get(table);
  if (known !== undefined) return known;
  const columns = Object.entries(table.columns);
  const initialOf = (name: string, column: AnyColumn): StoredValue | undefined =>
    table.primaryKey.includes(name) ? undefined : defaultOf(column);
  const shape = {
    slots: columns.map(([name, column]) => ({ name, column, required: initialOf(name, column) === undefined })),
    empty: Object.fromEntries(columns.map(([name, column]) => [name, initialOf(name, column) ?? null])),
  };
  shapes.set(table, shape);
  return shape;
};

const rowOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): Row => {
  const { slots, empty } = shapeOf(table);
  const row: Row = { ...empty };
  for (const { name, column, required } of slots) {
    const value = given[name];
    if (value !== undefined || required) row[name] = storedAs(name, column, value);
  }
  for (const name in given) columnOf(table, name);
  return row;
};

/** A member that is undefined, as in an event from before the field existed, changes nothing. */
const changesOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): Row => {
  const set: Row = {};
  for (const [name, value] of Object.entries(given)) {
    if (table.primaryKey.includes(name)) throw new TypeError(`${name} is part of the key`);
    if (value !== undefined) set[name] = storedOf(table, name, value);
  }
  return set;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

const keyOf = (table: AnyTable, given: unknown): Key => {
  const [only, ...more] = table.primaryKey;
  if (only !== undefined && more.length === 0) return [storedOf(table, only, given)];
  const parts = isObject(given) ? given : {};
  return table.primaryKey.map((name) => storedOf(table, name, parts[name]));
};

export const keyIn = (row: Row, columns: readonly string[]): Key => columns.map((name) => row[name] ?? null);

const whereKey = (table: AnyTable, key: Key): Where =>
  table.primaryKey.map((name, index) => [name, key[index] ?? null]);

const idOf = (key: Key): string => (key.length === 1 ? String(key[0]) : JSON.stringify(key));

const whereOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): Where => {
  const names = Object.keys(given);
  const indexed = [
    table.primaryKey,
    ...Object.values(table.indexes),
    ...Object.values(table.unique),
    ...Object.values(table.foreignKeys).map((key) => key.columns),
  ].some((columns) => columns.slice(0, names.length).every((column) => names.includes(column)));
  if (names.length === 0 || !indexed) throw new Error(`no index leads with (${names.join(', ')})`);
  return names.map((name) => [name, storedOf(table, name, given[name])]);
};

const mergeIntoRow = (row: Row, set: Row, add: Record<string, number>): void => {
  Object.assign(row, set);
  for (const [name, by] of Object.entries(add)) row[name] = plus(row[name], by);
};

const mergePatch = (before: { set: Row; add: Record<string, number> }, set: Row, add: Record<string, number>): void => {
  for (const [name, value] of Object.entries(set)) {
    before.set[name] = value;
    delete before.add[name];
  }
  for (const [name, by] of Object.entries(add)) {
    if (name in before.set) before.set[name] = plus(before.set[name], by);
    else before.add[name] = (before.add[name] ?? 0) + by;
  }
};

/** As SQL adds: nothing plus something is nothing. */
export const plus = (value: StoredValue | undefined, by: number): StoredValue =>
  typeof value === 'number' ? value + by : null;
