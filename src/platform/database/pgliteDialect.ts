import { setImmediate as nextTurn } from 'node:timers/promises';
import type { PGlite } from '@electric-sql/pglite';
import {
  CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely';
import { createMutex } from './mutex.ts';

/**
 * Kysely over PGlite. There is one connection: who holds it (a query, or a whole transaction) makes the others wait, and
 * one who waits inside his own transaction for another connection is told so instead of hanging for ever.
 */
export const pgliteDialect = (pglite: PGlite, acquireTimeoutMs: number): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createDriver: () => pgliteDriver(pglite, acquireTimeoutMs),
});

const pgliteDriver = (pglite: PGlite, acquireTimeoutMs: number): Driver => {
  const turn = createMutex();
  const releases = new WeakMap<DatabaseConnection, () => void>();
  const raw = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  return {
    init: async () => {},
    acquireConnection: async () => {
      const release = await turn.acquire(acquireTimeoutMs);
      const connection = connectionTo(pglite);
      releases.set(connection, release);
      return connection;
    },
    releaseConnection: async (connection) => releases.get(connection)?.(),
    beginTransaction: (connection, settings) =>
      raw(connection, settings.isolationLevel ? `begin isolation level ${settings.isolationLevel}` : 'begin'),
    commitTransaction: (connection) => raw(connection, 'commit'),
    rollbackTransaction: (connection) => raw(connection, 'rollback'),
    destroy: () => pglite.close(),
  };
};

const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const connectionTo = (pglite: PGlite): DatabaseConnection => ({
  executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    const result = await pglite.query<Row>(query.sql, [...query.parameters]);
    // PGlite computes in this thread and answers within the same turn: without this, queries in a row would let no
    // timer, socket or file have its turn.
    await nextTurn();
    return changes.has(result.command ?? '')
      ? { rows: result.rows, numAffectedRows: BigInt(result.affectedRows ?? 0) }
      : { rows: result.rows };
  },
  streamQuery: () => {
    throw new Error('PGlite has no cursors here: read in pages');
  },
});
