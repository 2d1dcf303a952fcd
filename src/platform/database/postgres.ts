import { finished } from 'node:stream/promises';
import { Kysely, sql } from 'kysely';
import pg from 'pg';
import { from as copyFrom, to as copyTo } from 'pg-copy-streams';
import { classifyError } from './errors.ts';
import type { Database, HeldLock, OpenOptions } from './port.ts';
import { postgresConnections } from './postgresDialect.ts';
import { postgresParsers } from './values.ts';

// Read tables are derived: what a crash of the server takes, checkpoint and rows alike, is projected again. So a commit
// need not wait for the disk.
const sessionSettings = '-c TimeZone=UTC -c synchronous_commit=off -c idle_in_transaction_session_timeout=60000';

const types: pg.CustomTypesConfig = {
  getTypeParser: (oid: number, format?: 'text' | 'binary') =>
    postgresParsers[oid] ?? pg.types.getTypeParser(oid, format),
};

/** The connection string's own options stay in force, ours come first. */
const withSettings = (url: string): string => {
  const parsed = new URL(url);
  const own = parsed.searchParams.get('options');
  parsed.searchParams.set('options', own === null ? sessionSettings : `${sessionSettings} ${own}`);
  return parsed.toString();
};

/** One writer at a time needs one. */
const pipe: pg.PoolConfig = { pipeline: true, max: 1 };

const openPool = (url: string, options: OpenOptions, more: pg.PoolConfig): pg.Pool => {
  const pool = new pg.Pool({
    connectionString: withSettings(url),
    types,
    max: options.maxConnections ?? 10,
    connectionTimeoutMillis: options.connectTimeoutMs ?? 10_000,
    idleTimeoutMillis: 60_000,
    keepAlive: true,
    keepAliveInitialDelayMillis: 10_000,
    application_name: 'opslog',
    ...more,
  });
  // An idle connection that breaks is replaced by the pool; without a listener it would end the process.
  pool.on('error', (error) => options.logger?.warn({ error: error.message }, 'An idle database connection broke'));
  // The same for one that breaks between two statements of its user, who hears of it by the next one.
  pool.on('connect', (client) => client.on('error', () => {}));
  return pool;
};

export const openPostgres = async <Schema>(url: string, options: OpenOptions): Promise<Database<Schema>> => {
  const pool = openPool(url, options, {});
  const { dialect, clientOf } = postgresConnections(pool);
  const db = new Kysely<Schema>({ dialect });
  // Connected to when first used, by whoever projects.
  const pipes = new Kysely<Schema>({ dialect: postgresConnections(openPool(url, options, pipe)).dialect });
  try {
    // Through Kysely: it closes only what it has opened.
    await sql`select 1`.execute(db);
  } catch (error) {
    await db.destroy();
    throw error;
  }
  return {
    kind: 'postgres',
    db,
    session: db,
    classify: classifyError,
    transaction: (work) => db.transaction().execute(work),
    pipelined: (work) => pipes.transaction().execute(work),
    snapshot: (work) => db.transaction().setIsolationLevel('repeatable read').execute(work),
    copy: (session, table, columns, text) =>
      session.getExecutor().provideConnection((connection) => copyText(clientOf(connection), table, columns, text)),
    copyOut: (session, query, onChunk) =>
      session.getExecutor().provideConnection((connection) => copyOut(clientOf(connection), query, onChunk)),
    tryLock: (name) => tryLock(pool, name),
    close: async () => {
      await Promise.all([db.destroy(), pipes.destroy()]);
    },
  };
};

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

const copyText = async (
  client: pg.PoolClient,
  table: string,
  columns: readonly string[],
  text: string | Uint8Array,
): Promise<void> => {
  const stream = client.query(copyFrom(`copy ${quote(table)} (${columns.map(quote).join(', ')}) from stdin`));
  stream.end(text);
  await finished(stream);
};

const copyOut = async (client: pg.PoolClient, query: string, onChunk: (chunk: Uint8Array) => void): Promise<void> => {
  const stream = client.query(copyTo(`copy (${query}) to stdout`));
  stream.on('data', onChunk);
  await finished(stream);
};

const tryLock = async (pool: pg.Pool, name: string): Promise<HeldLock | undefined> => {
  const client = await pool.connect();
  try {
    const { rows } = await client.query('select pg_try_advisory_lock(hashtextextended($1, 0)) as held', [name]);
    if (rows[0]?.held !== true) {
      client.release();
      return undefined;
    }
  } catch (error) {
    client.release(true);
    throw error;
  }
  // Closing the connection releases the lock for certain, whatever state the session is in.
  return { release: async () => client.release(true) };
};
