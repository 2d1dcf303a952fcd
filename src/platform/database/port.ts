import type { Kysely, QueryExecutorProvider } from 'kysely';

/** Anything that runs a `sql` fragment: a pool, or one open transaction. */
export type Session = QueryExecutorProvider;

/** The server behind the connection, as far as its SQL differs. PGlite is PostgreSQL in this process. */
export type DatabaseKind = 'postgres' | 'pglite' | 'mysql' | 'mariadb';

/**
 * What the projection engine needs of a database. Reads come back equal on every kind: numbers as numbers (integers
 * beyond 2^53 - 1 as decimal text), booleans as booleans, timestamps as milliseconds since the epoch, JSON as text.
 */
export type SqlDatabase = {
  readonly kind: DatabaseKind;
  readonly session: Session;
  /** Commits when `work` resolves, rolls back when it throws. */
  transaction<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /**
   * The same where a statement can be sent before those in front of it are answered: they are carried out in the order in
   * which they were begun. There is no COPY in it. After a failure all that follow fail with `25P02`.
   */
  readonly pipelined: (<Result>(work: (session: Session) => Promise<Result>) => Promise<Result>) | undefined;
  /** Reads one state of all tables, whatever is written meanwhile. */
  snapshot<Result>(work: (session: Session) => Promise<Result>): Promise<Result>;
  /** COPY in text format, in the session's transaction, where the database has it. */
  readonly copy:
    | ((session: Session, table: string, columns: readonly string[], text: string | Uint8Array) => Promise<void>)
    | undefined;
  /** COPY of a query's rows to here, in text format, bit by bit, in the session's transaction; where the database has it. */
  readonly copyOut:
    | ((session: Session, query: string, onChunk: (chunk: Uint8Array) => void) => Promise<void>)
    | undefined;
  /** A lock that ends with its holder's connection. Undefined when somebody else holds it. */
  tryLock(name: string): Promise<HeldLock | undefined>;
  /** What kind of failure an error of this database is. */
  classify(error: unknown): DatabaseErrorKind;
  close(): Promise<void>;
};

export type HeldLock = { release(): Promise<void> };

/** The same with typed queries over the read tables. */
export type Database<Schema> = SqlDatabase & { readonly db: Kysely<Schema> };

/** `constraint`: the row was refused for what it is. `conflict` and `unavailable`: try again. `other`: a defect. */
export type DatabaseErrorKind = 'constraint' | 'conflict' | 'unavailable' | 'other';

export type DatabaseLogger = {
  info(fields: Readonly<Record<string, unknown>>, message: string): void;
  warn(fields: Readonly<Record<string, unknown>>, message: string): void;
};

export type OpenOptions = {
  readonly logger?: DatabaseLogger;
  /** Connections at most; 10 when not given. PGlite has one. */
  readonly maxConnections?: number;
  /** How long to wait for a connection, in milliseconds; 10,000 when not given. */
  readonly connectTimeoutMs?: number;
  /** How much room the disk of a folder has, in bytes; the disk is asked when not given. */
  readonly freeBytes?: (folder: string) => Promise<number>;
};
