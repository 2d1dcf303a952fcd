import type { AnyTable } from '../table.ts';
import { type AnyColumn, defaultOf, type StoredValue, storing } from './columns.ts';

export type Row = Record<string, StoredValue>;
/** The values of a primary key, in its order. */
export type Key = readonly StoredValue[];
export type Where = readonly (readonly [column: string, value: StoredValue])[];

export const columnOf = (table: AnyTable, name: string): AnyColumn => {
  const column = table.columns[name];
  if (column === undefined) throw new TypeError(`there is no column ${name}`);
  return column;
};

type Slot = {
  readonly name: string;
  readonly store: ReturnType<typeof storing>;
  readonly required: boolean;
  readonly initial: StoredValue;
};

/** `empty` holds all columns with their defaults: copying it is one allocation, adding columns one by one is many. */
type Shape = {
  readonly slots: readonly Slot[];
  readonly byName: ReadonlyMap<string, Slot>;
  readonly empty: Readonly<Row>;
};

const shapes = new WeakMap<AnyTable, Shape>();

const shapeOf = (table: AnyTable): Shape => {
  const known = shapes.get(table);
  if (known !== undefined) return known;
  const columns = Object.entries(table.columns);
  const initialOf = (name: string, column: AnyColumn): StoredValue | undefined =>
    table.primaryKey.includes(name) ? undefined : defaultOf(column);
  const slots = columns.map(([name, column]) => ({
    ...{ name, store: storing(name, column), required: initialOf(name, column) === undefined },
    initial: initialOf(name, column) ?? null,
  }));
  const shape = {
    slots,
    byName: new Map(slots.map((slot) => [slot.name, slot])),
    empty: Object.fromEntries(slots.map(({ name, initial }) => [name, initial])),
  };
  shapes.set(table, shape);
  return shape;
};

export const storedOf = (table: AnyTable, name: string, value: unknown): StoredValue => {
  const slot = shapeOf(table).byName.get(name);
  if (slot === undefined) throw new TypeError(`there is no column ${name}`);
  return slot.store(value);
};

export const rowOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): Row => {
  const { slots, byName, empty } = shapeOf(table);
  const row: Row = { ...empty };
  for (const { name, store, required } of slots) {
    const value = given[name];
    if (value !== undefined || required) row[name] = store(value);
  }
  for (const name in given) if (!byName.has(name)) throw new TypeError(`there is no column ${name}`);
  return row;
};

/** The same as a list, in the order of the declared columns. A row that is written down at once needs no object. */
export const valuesOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): readonly StoredValue[] => {
  const { slots, byName } = shapeOf(table);
  const values: StoredValue[] = [];
  for (const { name, store, required, initial } of slots) {
    const value = given[name];
    values.push(value !== undefined || required ? store(value) : initial);
  }
  for (const name in given) if (!byName.has(name)) throw new TypeError(`there is no column ${name}`);
  return values;
};

/** A member that is undefined, as in an event from before the field existed, changes nothing. */
export const changesOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): Row => {
  const set: Row = {};
  for (const [name, value] of Object.entries(given)) {
    if (table.primaryKey.includes(name)) throw new TypeError(`${name} is part of the key`);
    if (value !== undefined) set[name] = storedOf(table, name, value);
  }
  return set;
};

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;

export const keyOf = (table: AnyTable, given: unknown): Key => {
  const [only, ...more] = table.primaryKey;
  if (only !== undefined && more.length === 0) return [storedOf(table, only, given)];
  const parts = isObject(given) ? given : {};
  return table.primaryKey.map((name) => storedOf(table, name, parts[name]));
};

export const keyIn = (row: Row, columns: readonly string[]): Key => columns.map((name) => row[name] ?? null);

export const whereKey = (table: AnyTable, key: Key): Where =>
  table.primaryKey.map((name, index) => [name, key[index] ?? null]);

export const idOf = (key: Key): string => (key.length === 1 ? String(key[0]) : JSON.stringify(key));

export const whereOf = (table: AnyTable, given: Readonly<Record<string, unknown>>): Where => {
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

export const mergeIntoRow = (row: Row, set: Row, add: Record<string, number>): void => {
  Object.assign(row, set);
  for (const [name, by] of Object.entries(add)) row[name] = plus(row[name], by);
};

export const mergePatch = (
  before: { set: Row; add: Record<string, number> },
  set: Row,
  add: Record<string, number>,
): void => {
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
