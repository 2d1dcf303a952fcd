import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import { connect } from 'nats';
import pg from 'pg';

export const postgresServer = process.env['TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
export const mysqlServer = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306';
export const natsServer = process.env['TEST_NATS_URL'] ?? 'nats://127.0.0.1:4222';

/** A database with a random name. */
export type ScratchDatabase = { readonly url: string; drop(): Promise<void> };

const randomName = (): string => `opslog_bench_${randomBytes(6).toString('hex')}`;

const inDatabase = (server: string, name: string): string => {
  const url = new URL(server);
  url.pathname = `/${name}`;
  return url.toString();
};

export const onPostgres = async (statement: string, url = postgresServer): Promise<readonly unknown[][]> => {
  const client = new pg.Client({ connectionString: url, connectionTimeoutMillis: 3_000 });
  await client.connect();
  const { rows } = await client.query<unknown[]>({ text: statement, rowMode: 'array' }).finally(() => client.end());
  return rows;
};

export const onMysql = async (statement: string): Promise<unknown> => {
  const connection = await mysql.createConnection({ uri: mysqlServer, connectTimeout: 3_000 });
  const [rows] = await connection.query(statement).finally(() => connection.end());
  return rows;
};

export const postgresScratch = async (): Promise<ScratchDatabase> => {
  const name = randomName();
  await onPostgres(`create database ${name}`);
  const drop = async (): Promise<void> => void (await onPostgres(`drop database if exists ${name} with (force)`));
  return { url: inDatabase(postgresServer, name), drop };
};

export const mysqlScratch = async (): Promise<ScratchDatabase> => {
  const name = randomName();
  await onMysql(`create database ${name}`);
  return {
    url: inDatabase(mysqlServer, name),
    drop: async () => void (await onMysql(`drop database if exists ${name}`)),
  };
};

export type Service = 'PostgreSQL' | 'MariaDB' | 'NATS';

/** Why a service cannot be used here, or ''. */
export const whyMissing = async (service: Service): Promise<string> => {
  const ask: Readonly<Record<Service, () => Promise<unknown>>> = {
    PostgreSQL: () => onPostgres('select 1'),
    MariaDB: () => onMysql('select 1'),
    NATS: async () => {
      const connection = await connect({ servers: natsServer, timeout: 2_000, reconnect: false });
      await (await connection.jetstreamManager().finally(() => undefined)).getAccountInfo();
      await connection.close();
    },
  };
  return ask[service]().then(
    () => '',
    (error: unknown) => (error instanceof Error && error.message !== '' ? error.message : 'no answer'),
  );
};

/** How durable a commit is on this server, in its own words. */
export const postgresDurability = async (): Promise<string> => {
  const rows = await onPostgres(
    "select name || '=' || setting from pg_settings where name in ('fsync', 'synchronous_commit', 'wal_sync_method', 'server_version') order by name desc",
  );
  return rows.map(([setting]) => String(setting)).join(', ');
};

export const mysqlDurability = async (): Promise<string> => {
  const connection = await mysql.createConnection({ uri: mysqlServer, connectTimeout: 3_000 });
  const [rows] = await connection
    .query<mysql.RowDataPacket[]>(
      "select concat('version=', version(), ', innodb_flush_log_at_trx_commit=', @@innodb_flush_log_at_trx_commit) as terms",
    )
    .finally(() => connection.end());
  return String(rows[0]?.['terms']);
};
