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
import type pg from 'pg';

/** Kysely over a pool, as its own dialect does it, but the client of a connection can be had: COPY needs it. */
export type PostgresConnections = {
  readonly dialect: Dialect;
  clientOf(connection: DatabaseConnection): pg.PoolClient;
};

export const postgresConnections = (pool: pg.Pool): PostgresConnections => {
  const clients = new WeakMap<DatabaseConnection, pg.PoolClient>();
  const clientOf = (connection: DatabaseConnection): pg.PoolClient => {
    const client = clients.get(connection);
    if (client === undefined) throw new Error('This connection was not opened here');
    return client;
  };
  const acquire = async (): Promise<DatabaseConnection> => {
    const client = await pool.connect();
    const connection = connectionTo(client);
    clients.set(connection, client);
    return connection;
  };
  return {
    clientOf,
    dialect: {
      createAdapter: () => new PostgresAdapter(),
      createQueryCompiler: () => new PostgresQueryCompiler(),
      createIntrospector: (db) => new PostgresIntrospector(db),
      createDriver: () => driver(pool, acquire, clientOf),
    },
  };
};

const driver = (
  pool: pg.Pool,
  acquire: () => Promise<DatabaseConnection>,
  clientOf: (connection: DatabaseConnection) => pg.PoolClient,
): Driver => {
  const broken = new WeakSet<DatabaseConnection>();
  const raw = async (connection: DatabaseConnection, text: string): Promise<void> => {
    await connection.executeQuery(CompiledQuery.raw(text));
  };
  return {
    init: async () => {},
    acquireConnection: acquire,
    releaseConnection: async (connection) => clientOf(connection).release(broken.has(connection)),
    beginTransaction: (connection, settings) =>
      raw(connection, settings.isolationLevel ? `begin isolation level ${settings.isolationLevel}` : 'begin'),
    commitTransaction: async (connection) => {
      const { command } = await clientOf(connection).query('commit');
      // What PostgreSQL answers to COMMIT when a statement of the transaction had failed.
      if (command === 'ROLLBACK') throw new Error('The transaction had failed and was rolled back');
    },
    rollbackTransaction: async (connection) => {
      // Nobody may get a connection whose transaction is still open.
      broken.add(connection);
      await raw(connection, 'rollback');
      broken.delete(connection);
    },
    destroy: () => pool.end(),
  };
};

const changes = new Set(['INSERT', 'UPDATE', 'DELETE', 'MERGE']);

const connectionTo = (client: pg.PoolClient): DatabaseConnection => ({
  executeQuery: async <Row>(query: CompiledQuery): Promise<QueryResult<Row>> => {
    // The driver does not know what a row is: Kysely's types say it.
    const { command, rowCount, rows } = await client.query<Row & pg.QueryResultRow>(query.sql, [...query.parameters]);
    return changes.has(command) ? { rows, numAffectedRows: BigInt(rowCount ?? 0) } : { rows };
  },
  streamQuery: () => {
    throw new Error('There are no cursors here: read in pages');
  },
});
