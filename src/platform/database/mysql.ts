import { Kysely, MysqlDialect, sql } from 'kysely';
import mysql from 'mysql2';
import { classifyError } from './errors.ts';
import type { Database, HeldLock, OpenOptions } from './port.ts';
import { parseMysqlTimestamp } from './values.ts';

const sessionSettings = [
  `set session sql_mode = 'STRICT_ALL_TABLES,ONLY_FULL_GROUP_BY,NO_ZERO_DATE,NO_ZERO_IN_DATE,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION'`,
  `set session time_zone = '+00:00'`,
  'set session transaction isolation level read committed',
  // How long a change of a table waits for its readers; the default is a day.
  'set session lock_wait_timeout = 30',
];

type Field = Parameters<Exclude<mysql.TypeCast, boolean>>[0];

/** Booleans are TINYINT(1) here, timestamps DATETIME(3). */
const typeCast = (field: Field, next: () => unknown): unknown => {
  if (field.type === 'TINY' && field.length === 1) {
    const text = field.string();
    return text === null ? null : text !== '0';
  }
  if (field.type === 'DATETIME' || field.type === 'TIMESTAMP') {
    const text = field.string();
    return text === null ? null : parseMysqlTimestamp(text);
  }
  if (field.type === 'JSON') return field.string('utf8');
  return next();
};

export const openMysql = async <Schema>(url: string, options: OpenOptions): Promise<Database<Schema>> => {
  const pool = mysql.createPool({
    uri: url,
    charset: 'utf8mb4',
    timezone: 'Z',
    supportBigNumbers: true,
    bigNumberStrings: false,
    decimalNumbers: true,
    typeCast,
    connectionLimit: options.maxConnections ?? 10,
    connectTimeout: options.connectTimeoutMs ?? 10_000,
    idleTimeout: 60_000,
    enableKeepAlive: true,
    keepAliveInitialDelay: 10_000,
  });
  // Commands of a connection run in order: these come before whatever its first user sends.
  pool.on('connection', (connection) => {
    for (const setting of sessionSettings) {
      connection.query(setting, (error) => {
        if (error) connection.destroy();
      });
    }
  });
  const db = new Kysely<Schema>({ dialect: new MysqlDialect({ pool }) });
  try {
    // Through Kysely: it closes only what it has opened.
    const { rows } = await sql<{ version: string }>`select version() as version`.execute(db);
    const version = rows[0]?.version ?? '';
    return {
      kind: version.includes('MariaDB') ? 'mariadb' : 'mysql',
      db,
      session: db,
      classify: classifyError,
      transaction: (work) => db.transaction().execute(work),
      snapshot: (work) => db.transaction().setIsolationLevel('repeatable read').execute(work),
      pipelined: undefined,
      copy: undefined,
      copyOut: undefined,
      tryLock: (name) => tryLock(pool, name),
      close: () => db.destroy(),
    };
  } catch (error) {
    await db.destroy();
    throw error;
  }
};

/** Lock names are global to the server and at most 64 characters: the database's name goes in, hashed. */
const lockName = 'sha1(concat(database(), 0x00, ?))';

const tryLock = async (pool: mysql.Pool, name: string): Promise<HeldLock | undefined> => {
  const connection = await pool.promise().getConnection();
  try {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(`select get_lock(${lockName}, 0) = 1 as held`, [name]);
    if (!rows[0]?.['held']) {
      connection.release();
      return undefined;
    }
  } catch (error) {
    connection.destroy();
    throw error;
  }
  // Closing the connection releases the lock for certain, whatever state the session is in.
  return { release: async () => connection.destroy() };
};
