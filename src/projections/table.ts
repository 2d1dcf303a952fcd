import type { ColumnType } from 'kysely';
import type { Message, Recorded } from '../domain/kernel.ts';
import { checkDefinition } from './engine/checkDefinition.ts';
import type { ColumnSet, InsertRow, ReadRow, WriteRow } from './engine/columns.ts';

export type { Timestamp } from './engine/columns.ts';
export { at, bigint, boolean, choice, integer, json, nullable, string, text, timestamp } from './engine/columns.ts';
export { openPosition, openTime } from './engine/history.ts';

/** The value of the primary key, or all of its columns when there are several. */
type KeyOf<Columns extends ColumnSet, Key extends readonly (keyof Columns & string)[]> = Key extends readonly [
  infer Only extends keyof Columns & string,
]
  ? WriteRow<Columns>[Only]
  : { readonly [Name in Key[number]]: WriteRow<Columns>[Name] };

type NumberNames<Columns extends ColumnSet> = {
  [Name in keyof Columns]: number extends ReadRow<Columns>[Name] ? Name : never;
}[keyof Columns];

/**
 * What a handler may do, in the order it asks for it. Patching, incrementing or removing a row that is not there does
 * nothing; inserting one that is there stops the table.
 */
export type RowWriter<Columns extends ColumnSet, Key extends readonly (keyof Columns & string)[]> = {
  insert(row: InsertRow<Columns, Key[number]>): void;
  patch(key: KeyOf<Columns, Key>, changes: Partial<Omit<WriteRow<Columns>, Key[number]>>): void;
  increment(key: KeyOf<Columns, Key>, column: NumberNames<Columns>, by: number): void;
  remove(key: KeyOf<Columns, Key>): void;
  /** All rows with these values in the leading columns of an index. Ends a batch, so it costs more than `patch`. */
  patchWhere(where: Partial<WriteRow<Columns>>, changes: Partial<Omit<WriteRow<Columns>, Key[number]>>): void;
  removeWhere(where: Partial<WriteRow<Columns>>): void;
  /** Changes the row with the key of this one; inserts it where there is none. */
  put(row: InsertRow<Columns, Key[number]>, changes: Partial<Omit<WriteRow<Columns>, Key[number]>>): void;
} & VersionWriter<Partial<WriteRow<Columns>>>;

/** When a version begins or ends: where in the log, and at what time. The `meta` of an event says it. */
export type Moment = { readonly position: bigint; readonly recordedAt: number };

/** For tables with a `history` alone, which take nothing else: each row is one version of a subject. */
type VersionWriter<Row> = {
  /** The subject's version from now on; one that is open ends. */
  open(moment: Moment, row: Row): void;
  /** The next version, which differs by `changes`. Without an open one: `otherwise` opens, or nothing happens. */
  revise(moment: Moment, subject: string, changes: Row, otherwise?: Row): void;
  /** Ends the open version. */
  close(moment: Moment, subject: string): void;
  /** Ends all open versions with these values in the leading columns of an index before `to`. Ends a batch. */
  closeWhere(moment: Moment, where: Row): void;
};

type LooseRow = Readonly<Record<string, unknown>>;

/** The row writer without types: what the engine gives to handlers. */
export type AnyRowWriter = {
  insert(row: LooseRow): void;
  patch(key: unknown, changes: LooseRow): void;
  increment(key: unknown, column: PropertyKey, by: number): void;
  remove(key: unknown): void;
  patchWhere(where: LooseRow, changes: LooseRow): void;
  removeWhere(where: LooseRow): void;
  put(row: LooseRow, changes: LooseRow): void;
} & VersionWriter<LooseRow>;

export type AnyEvent = Message<string, object>;

// A method, so that a handler of one event can be kept among handlers of the whole union.
type Handler<Event, Writer> = { handle(event: Recorded<Event>, rows: Writer): void }['handle'];

type Handlers<Event extends AnyEvent, Writer> = {
  readonly [Type in Event['type']]: Handler<Extract<Event, { readonly type: Type }>, Writer> | 'ignored';
};

export type ForeignKey = {
  readonly columns: readonly string[];
  readonly references: string;
  readonly to: readonly string[];
  readonly onDelete: 'cascade';
  /**
   * What happens to a row whose parent is gone, because another stream removed it meanwhile: `drop` (when not given)
   * leaves the row out, as the cascade would have; `refuse` stops the table.
   */
  readonly orphans: 'refuse' | 'drop';
};

/** `column` while every column of `when` has one of its values, else NULL. */
export type GeneratedColumn = {
  readonly column: string;
  readonly when: Readonly<Record<string, readonly string[] | undefined>>;
};

/** Rows with the same `by` are numbered from 1 in log order, and each hash covers the row and the hash before it. */
export type Chain = {
  readonly by: string;
  readonly sequence: string;
  readonly previous: string;
  readonly hash: string;
};

/**
 * Each row is what a subject was from one moment to another: `from` and `to` are positions in the log, `since` and
 * `until` the times there, ends excluded. The open version ends at `openPosition` and `openTime`.
 */
export type History = {
  readonly subject: string;
  readonly from: string;
  readonly to: string;
  readonly since: string;
  readonly until: string;
};

/** A table as the engine sees it. */
export type AnyTable = {
  readonly name: string;
  readonly version: number;
  readonly columns: ColumnSet;
  readonly primaryKey: readonly string[];
  readonly unique: Readonly<Record<string, readonly string[]>>;
  readonly indexes: Readonly<Record<string, readonly string[]>>;
  /** Constraint name to the choice column whose values it enforces. */
  readonly checks: Readonly<Record<string, string>>;
  readonly foreignKeys: Readonly<Record<string, ForeignKey>>;
  readonly generated: Readonly<Record<string, GeneratedColumn>>;
  readonly chain: Chain | undefined;
  readonly history: History | undefined;
  /** Rows are only ever inserted; a chain and tables that say so. */
  readonly appendOnly: boolean;
  /** Undefined: this table has nothing to do with events of this type and category. */
  readonly handlerOf: (type: string, category: string) => Handler<AnyEvent, AnyRowWriter> | undefined;
};

export type Table<Name extends string, Columns extends ColumnSet, Generated extends string> = Omit<
  AnyTable,
  'name' | 'columns'
> & {
  readonly name: Name;
  readonly columns: Columns;
  /** Only a type: the names of the generated columns. */
  readonly generatedNames?: readonly Generated[];
};

type Definition<
  Event extends AnyEvent,
  Name extends string,
  Columns extends ColumnSet,
  Key extends readonly (keyof Columns & string)[],
  Generated extends string,
> = {
  readonly name: Name;
  readonly version: number;
  readonly columns: Columns;
  readonly primaryKey: Key;
  readonly unique?: Readonly<Record<string, readonly (NoInfer<keyof Columns & string> | NoInfer<Generated>)[]>>;
  readonly indexes?: Readonly<Record<string, readonly NoInfer<keyof Columns & string>[]>>;
  readonly checks?: Readonly<Record<string, NoInfer<keyof Columns & string>>>;
  readonly foreignKeys?: Readonly<
    Record<
      string,
      {
        readonly columns: readonly NoInfer<keyof Columns & string>[];
        readonly references: string;
        readonly to: readonly string[];
        readonly onDelete: 'cascade';
        readonly orphans?: ForeignKey['orphans'];
      }
    >
  >;
  readonly generated?: Readonly<
    Record<
      Generated,
      {
        readonly column: NoInfer<keyof Columns & string>;
        readonly when: Readonly<Partial<Record<NoInfer<keyof Columns & string>, readonly string[]>>>;
      }
    >
  >;
  /** Rows are only ever inserted, no foreign key leads from or to them. They cost less. Every chain is. */
  readonly appendOnly?: boolean;
  readonly chain?: Readonly<Record<keyof Chain, NoInfer<keyof Columns & string>>>;
  readonly history?: Readonly<Record<keyof History, NoInfer<keyof Columns & string>>>;
  /** Only events of these categories; all when not given. */
  readonly categories?: readonly string[];
  /** Only events of these types; all when not given. */
  readonly types?: ReadonlySet<string>;
} & (
  | { readonly on: Handlers<Event, RowWriter<NoInfer<Columns>, NoInfer<Key>>>; readonly onAny?: never }
  | { readonly onAny: Handler<Event, RowWriter<NoInfer<Columns>, NoInfer<Key>>>; readonly on?: never }
);

/**
 * Declares a read table once for all databases: `table<Event>()({ name, version, columns, … })`. `on` names every event of
 * the union with a handler or 'ignored'; `onAny` sees them all. A new shape or meaning needs a new version. Throws when
 * the definition contradicts itself.
 */
export const table =
  <Event extends AnyEvent>() =>
  <
    const Name extends string,
    Columns extends ColumnSet,
    const Key extends readonly (keyof Columns & string)[],
    Generated extends string = never,
  >(
    definition: Definition<Event, Name, Columns, Key, Generated>,
  ): Table<Name, Columns, Generated> => {
    const categories = definition.categories === undefined ? undefined : new Set(definition.categories);
    const handlers = new Map<string, Handler<Event, RowWriter<Columns, Key>> | 'ignored'>(
      Object.entries(definition.on ?? {}),
    );
    const generated: Readonly<Record<string, GeneratedColumn>> = definition.generated ?? {};
    const built: Table<Name, Columns, Generated> = {
      name: definition.name,
      version: definition.version,
      columns: definition.columns,
      primaryKey: definition.primaryKey,
      unique: definition.unique ?? {},
      indexes: definition.indexes ?? {},
      checks: definition.checks ?? {},
      foreignKeys: withOrphans(definition.foreignKeys ?? {}),
      generated,
      chain: definition.chain,
      history: definition.history,
      appendOnly: definition.appendOnly === true || definition.chain !== undefined,
      handlerOf: (type, category) => {
        if (categories?.has(category) === false || definition.types?.has(type) === false) return undefined;
        const handler = definition.onAny ?? handlers.get(type);
        return handler === 'ignored' ? undefined : handler;
      },
    };
    checkDefinition(built);
    return built;
  };

const withOrphans = (
  keys: Readonly<Record<string, Omit<ForeignKey, 'orphans'> & { readonly orphans?: ForeignKey['orphans'] }>>,
): Readonly<Record<string, ForeignKey>> =>
  Object.fromEntries(Object.entries(keys).map(([name, key]) => [name, { ...key, orphans: key.orphans ?? 'drop' }]));

/** A row of the table as queries see it; nothing but the engine writes it. */
export type RowOf<T> = T extends { readonly columns: infer Columns extends ColumnSet }
  ? ReadRow<Columns> & { [Name in GeneratedOf<T>]: string | null }
  : never;

// Looked up, not inferred through Table: where there are none, inference would answer every string.
type GeneratedOf<T> = T extends { readonly generatedNames?: infer Names }
  ? Extract<Exclude<Names, undefined>, readonly unknown[]>[number] & string
  : never;

type ReadOnlyRow<Row> = { [Name in keyof Row]: ColumnType<Row[Name], never, never> };

/** The Kysely schema of some tables: `Database<ReadSchema<typeof tables>>`. */
export type ReadSchema<Tables extends readonly AnyTable[]> = {
  [T in Tables[number] as T['name']]: ReadOnlyRow<RowOf<T>>;
};
