import { sql } from 'kysely';
import { canonicalJson } from './canonicalJson.ts';

/** A point in time as a query reads it: milliseconds since the epoch. Compare it with `at(…)`, not with a bare number. */
export type Timestamp = number & { readonly __unit: 'timestamp' };

/** A time as a query parameter, the same on every database. */
export const at = (milliseconds: number) => sql<Timestamp>`${new Date(milliseconds)}`;

/** What a row holds after a write and what every database reads back. */
export type StoredValue = string | number | boolean | null;

export type ColumnShape =
  | { readonly kind: 'string'; readonly length: number }
  | { readonly kind: 'choice'; readonly length: number; readonly values: readonly string[]; readonly initial: string }
  | { readonly kind: 'integer' | 'bigint' | 'boolean' | 'timestamp' }
  | { readonly kind: 'text' | 'json' };

/** `Read` is what queries see, `Write` what a handler gives; an `Optional` column may be left out of an insert. */
export type Column<Read, Write, Optional extends boolean> = {
  readonly shape: ColumnShape;
  readonly nullable: boolean;
  readonly optional: Optional;
  readonly types?: { readonly read: Read; readonly write: Write };
};

export type AnyColumn = Column<unknown, unknown, boolean>;
export type ColumnSet = Readonly<Record<string, AnyColumn>>;

/** At most `length` characters, compared byte by byte; `''` when not given. */
export const string = (length: number): Column<string, string, true> => ({
  shape: { kind: 'string', length },
  nullable: false,
  optional: true,
});

/** One of the values; `initial` when not given. */
export const choice = <const Value extends string>(
  values: readonly Value[],
  initial: NoInfer<Value>,
  length = 32,
): Column<Value, Value, true> => ({
  shape: { kind: 'choice', length, values, initial },
  nullable: false,
  optional: true,
});

/** 32 bits, 0 when not given. */
export const integer = (): Column<number, number, true> => ({
  shape: { kind: 'integer' },
  nullable: false,
  optional: true,
});

/** 64 bits in the database, exact up to 2^53 - 1 here; 0 when not given. */
export const bigint = (): Column<number, number | bigint, true> => ({
  shape: { kind: 'bigint' },
  nullable: false,
  optional: true,
});

/** False when not given. */
export const boolean = (): Column<boolean, boolean, true> => ({
  shape: { kind: 'boolean' },
  nullable: false,
  optional: true,
});

/** Milliseconds since the epoch. Always given, because a rebuild must find the same time again. */
export const timestamp = (): Column<Timestamp, number, false> => ({
  shape: { kind: 'timestamp' },
  nullable: false,
  optional: false,
});

/** Of any length, without a default: null when not given. */
export const text = (): Column<string | null, string | null, true> => ({
  shape: { kind: 'text' },
  nullable: true,
  optional: true,
});

/** Written as a value, stored and read as its canonical JSON text; null when not given. */
export const json = (): Column<string | null, unknown, true> => ({
  shape: { kind: 'json' },
  nullable: true,
  optional: true,
});

/** The same column, null when not given. Strings need it not: `''` is "not there". */
export const nullable = <Read, Write>(
  column: Column<Read, Write, boolean>,
): Column<Read | null, Write | null, true> => ({
  shape: column.shape,
  nullable: true,
  optional: true,
});

type ReadOf<C> = C extends Column<infer Read, infer _Write, boolean> ? Read : never;
type WriteOf<C> = C extends Column<infer _Read, infer Write, boolean> ? Write : never;
type OptionalNames<Columns extends ColumnSet> = {
  [Name in keyof Columns]: Columns[Name]['optional'] extends true ? Name : never;
}[keyof Columns];

export type ReadRow<Columns extends ColumnSet> = { [Name in keyof Columns]: ReadOf<Columns[Name]> };
export type WriteRow<Columns extends ColumnSet> = { readonly [Name in keyof Columns]: WriteOf<Columns[Name]> };

/** A row to insert: columns with a default may be left out, the primary key may not. */
export type InsertRow<Columns extends ColumnSet, Key extends keyof Columns> = {
  readonly [Name in Exclude<keyof Columns, Exclude<OptionalNames<Columns>, Key>>]: WriteOf<Columns[Name]>;
} & { readonly [Name in Exclude<OptionalNames<Columns>, Key>]?: WriteOf<Columns[Name]> };

/** The value of a row in which the column was left out. Undefined: it can't be. */
export const defaultOf = (column: AnyColumn): StoredValue | undefined => {
  if (column.nullable) return null;
  switch (column.shape.kind) {
    case 'string':
      return '';
    case 'choice':
      return column.shape.initial;
    case 'integer':
    case 'bigint':
      return 0;
    case 'boolean':
      return false;
    default:
      return undefined;
  }
};

const refuse = (value: unknown, expected: string): never => {
  const given = typeof value === 'string' ? `text of ${value.length} characters` : typeof value;
  throw new TypeError(`expected ${expected}, not ${given}`);
};

/** The last millisecond of the year 9999: what MySQL stores at most, and what certificates without an end say. */
export const latestTime = 253_402_300_799_999;

// PostgreSQL stores no NUL and no half surrogate pair, and the embedded one reads no byte order mark at the start, where it is
// no part of a text: none of them may differ between databases nor stop a table.
const unstorable = /\0|[\uD800-\uDBFF](?![\uDC00-\uDFFF])|(?<![\uD800-\uDBFF])[\uDC00-\uDFFF]/g;
const suspect = /^\uFEFF|[\0\uD800-\uDFFF]/;
const clean = (value: string): string =>
  suspect.test(value) ? value.replace(/^\uFEFF+/, '').replace(unstorable, '\uFFFD') : value;

const fits = (value: string, length: number): boolean => value.length <= length || [...value].length <= length;

const wholeNumber = (value: unknown, limit: number): number => {
  const number = typeof value === 'bigint' ? Number(value) : value;
  return typeof number === 'number' && Number.isInteger(number) && Math.abs(number) <= limit
    ? number + 0
    : refuse(value, `a whole number up to ${limit}`);
};

// Several tables keep the payload of one event: the text of the last value is often asked for again.
let lastJson: object | undefined;
let lastText = '';
const jsonText = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return clean(canonicalJson(value));
  if (value === lastJson) return lastText;
  lastText = clean(canonicalJson(value));
  lastJson = value;
  return lastText;
};

type Store = (value: unknown) => StoredValue;

/** A value that is there, as it will be read back. */
const storeOf = (shape: ColumnShape): Store => {
  switch (shape.kind) {
    case 'string': {
      const { length } = shape;
      return (value) => {
        const cleaned = typeof value === 'string' ? clean(value) : refuse(value, 'text');
        return fits(cleaned, length) ? cleaned : refuse(value, `at most ${length} characters`);
      };
    }
    case 'choice': {
      const { values } = shape;
      return (value) =>
        typeof value === 'string' && values.includes(value) ? value : refuse(value, `one of ${values.join(', ')}`);
    }
    case 'text':
      return (value) => (typeof value === 'string' ? clean(value) : refuse(value, 'text'));
    case 'json':
      return jsonText;
    case 'integer':
      return (value) => wholeNumber(value, 2_147_483_647);
    case 'bigint':
      return (value) => wholeNumber(value, Number.MAX_SAFE_INTEGER);
    case 'timestamp':
      return (value) => wholeNumber(value, latestTime);
    case 'boolean':
      return (value) => (typeof value === 'boolean' ? value : refuse(value, 'true or false'));
    default:
      return shape satisfies never;
  }
};

/**
 * Makes the values of a column as they will be read back. Throws TypeError for what the column cannot hold; the message
 * names the column and never repeats the value.
 */
export const storing = (name: string, { shape, nullable }: AnyColumn): Store => {
  const store = storeOf(shape);
  return (value) => {
    try {
      if (value === null || value === undefined) return nullable ? null : refuse(value, 'a value');
      return store(value);
    } catch (error) {
      throw new TypeError(`${name}: ${error instanceof Error ? error.message : 'not storable'}`);
    }
  };
};
