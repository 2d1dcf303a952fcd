import { randomBytes } from 'node:crypto';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { describe, it } from 'vitest';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { Database, OpenOptions } from '../../src/platform/database/port.ts';

/** A database of its own with a random name; `drop` closes and removes it. */
export type TestDatabase<Schema> = {
  readonly database: Database<Schema>;
  readonly url: string;
  drop(): Promise<void>;
};

export type DatabaseTarget = {
  readonly name: 'PGlite' | 'PostgreSQL' | 'MariaDB';
  /** Why it cannot be used here, or ''. */
  readonly missing: string;
  create<Schema>(options?: OpenOptions): Promise<TestDatabase<Schema>>;
};

const postgresUrl = process.env['TEST_POSTGRES_URL'] ?? 'postgres://postgres@127.0.0.1:5432/postgres';
const mysqlUrl = process.env['TEST_MYSQL_URL'] ?? 'mysql://root@127.0.0.1:3306';
const servicesRequired = process.env['OPSLOG_REQUIRE_SERVICES'] === '1';

const randomName = (): string => `opslog_test_${randomBytes(6).toString('hex')}`;

const urlOf = (server: string, database: string): string => {
  const url = new URL(server);
  url.pathname = `/${database}`;
  return url.toString();
};

const onPostgres = async (statement: string): Promise<void> => {
  const client = new pg.Client({ connectionString: postgresUrl, connectionTimeoutMillis: 3000 });
  await client.connect();
  await client.query(statement).finally(() => client.end());
};

const onMysql = async (statement: string): Promise<void> => {
  const connection = await mysql.createConnection({ uri: mysqlUrl, connectTimeout: 3000 });
  await connection.query(statement).finally(() => connection.end());
};

const whyMissing = async (ask: () => Promise<void>): Promise<string> => {
  try {
    await ask();
    return '';
  } catch (error) {
    const reason = error instanceof Error && error.message !== '' ? error.message : 'no answer';
    return `not reachable: ${reason}`;
  }
};

const onServer =
  (server: string, run: (statement: string) => Promise<void>, dropSuffix: string) =>
  async <Schema>(options: OpenOptions = {}): Promise<TestDatabase<Schema>> => {
    const name = randomName();
    await run(`create database ${name}`);
    const url = urlOf(server, name);
    const database = await openDatabase<Schema>(url, { maxConnections: 5, ...options });
    return {
      database,
      url,
      drop: async () => {
        await database.close();
        await run(`drop database if exists ${name}${dropSuffix}`);
      },
    };
  };

const createPglite = async <Schema>(options: OpenOptions = {}): Promise<TestDatabase<Schema>> => {
  const url = 'pglite:memory';
  const database = await openDatabase<Schema>(url, options);
  return { database, url, drop: () => database.close() };
};

/** PGlite always; PostgreSQL and MariaDB with the reason when they do not answer. */
export const testDatabases = async (): Promise<readonly DatabaseTarget[]> => {
  const [noPostgres, noMysql] = await Promise.all([
    whyMissing(() => onPostgres('select 1')),
    whyMissing(() => onMysql('select 1')),
  ]);
  return [
    { name: 'PGlite', missing: '', create: createPglite },
    { name: 'PostgreSQL', missing: noPostgres, create: onServer(postgresUrl, onPostgres, ' with (force)') },
    { name: 'MariaDB', missing: noMysql, create: onServer(mysqlUrl, onMysql, '') },
  ];
};

/**
 * Describes the same rules on every database. One that is missing is skipped by name, or fails when services are required.
 * Use it with `await` at the top of a test file.
 */
export const onEveryDatabase = async (subject: string, rules: (target: DatabaseTarget) => void): Promise<void> => {
  for (const target of await testDatabases()) {
    if (target.missing === '') describe(`${subject} on ${target.name}`, () => rules(target));
    else if (servicesRequired) {
      it(`${subject} on ${target.name}`, () => {
        throw new Error(`${target.name} is required here but ${target.missing}`);
      });
    } else describe.skip(`${subject} on ${target.name} (${target.missing})`, () => rules(target));
  }
};
