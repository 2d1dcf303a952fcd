import { pipeline } from 'node:stream/promises';
import mysql from 'mysql2/promise';
import pg from 'pg';
import { from, to } from 'pg-copy-streams';
import { tables } from '../../src/projections/tables.ts';
import { expectEqual } from './checks.ts';

/** Writes the rows that are in the read tables now into bare tables of the same columns; answers the seconds. */
export type BareWrite = {
  write(): Promise<number>;
  close(): Promise<void>;
};

const bare = (name: string): string => `bare_${name}`;

/** COPY in text format, one connection, no index, no key: the least that these rows cost. Commits as read tables do. */
export const barePostgresWrite = async (url: string): Promise<BareWrite> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  await client.query('set synchronous_commit = off');
  const columns = (table: (typeof tables)[number]): string => Object.keys(table.columns).join(', ');
  const contents: Buffer[] = [];
  for (const table of tables) {
    const chunks: Buffer[] = [];
    for await (const chunk of client.query(to(`copy ${table.name} (${columns(table)}) to stdout`))) chunks.push(chunk);
    contents.push(Buffer.concat(chunks));
  }
  const sum = (name: string, table: (typeof tables)[number]): string =>
    `select count(*) || ' ' || coalesce(sum(hashtextextended(row(${columns(table)})::text, 0)), 0) as sum from ${name}`;
  return {
    write: async () => {
      for (const table of tables) {
        await client.query(`drop table if exists ${bare(table.name)}`);
        await client.query(
          `create table ${bare(table.name)} as select ${columns(table)} from ${table.name} with no data`,
        );
      }
      const startedAt = performance.now();
      for (const [index, table] of tables.entries()) {
        const target = client.query(from(`copy ${bare(table.name)} (${columns(table)}) from stdin`));
        await pipeline([contents[index] ?? Buffer.alloc(0)], target);
      }
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const table of tables) {
        const { rows: expected } = await client.query<{ sum: string }>(sum(table.name, table));
        const { rows: actual } = await client.query<{ sum: string }>(sum(bare(table.name), table));
        expectEqual(`Bare COPY of ${table.name}`, actual[0]?.sum, expected[0]?.sum);
        await client.query(`drop table ${bare(table.name)}`);
      }
      return seconds;
    },
    close: () => client.end(),
  };
};

const rowsPerStatement = 1_000;

/** INSERT of 1,000 rows a statement, one connection, one transaction, no index, no key. */
export const bareMysqlWrite = async (url: string): Promise<BareWrite> => {
  const connection = await mysql.createConnection({
    uri: url,
    charset: 'utf8mb4',
    typeCast: (field) => field.string('utf8'),
  });
  const contents: unknown[][][] = [];
  const columns = (table: (typeof tables)[number]): string =>
    Object.keys(table.columns)
      .map((name) => `\`${name}\``)
      .join(', ');
  for (const table of tables) {
    const [rows] = await connection.query<unknown[][] & mysql.RowDataPacket[][]>({
      sql: `select ${columns(table)} from ${table.name}`,
      rowsAsArray: true,
    });
    contents.push(rows);
  }
  const sum = async (name: string, table: (typeof tables)[number]): Promise<string> => {
    const [rows] = await connection.query<mysql.RowDataPacket[]>(
      `select concat(count(*), ' ', coalesce(sum(crc32(concat_ws('|', ${columns(table)}))), 0)) as sum from ${name}`,
    );
    return String(rows[0]?.['sum']);
  };
  return {
    write: async () => {
      for (const table of tables) {
        await connection.query(`drop table if exists ${bare(table.name)}`);
        await connection.query(
          `create table ${bare(table.name)} as select ${columns(table)} from ${table.name} where 1 = 0`,
        );
      }
      const startedAt = performance.now();
      await connection.beginTransaction();
      for (const [index, table] of tables.entries()) {
        const rows = contents[index] ?? [];
        for (let at = 0; at < rows.length; at += rowsPerStatement) {
          const chunk = rows.slice(at, at + rowsPerStatement);
          await connection.query(`insert into ${bare(table.name)} (${columns(table)}) values ?`, [chunk]);
        }
      }
      await connection.commit();
      const seconds = (performance.now() - startedAt) / 1_000;
      for (const table of tables) {
        expectEqual(`Bare insert of ${table.name}`, await sum(bare(table.name), table), await sum(table.name, table));
        await connection.query(`drop table ${bare(table.name)}`);
      }
      return seconds;
    },
    close: () => connection.end(),
  };
};
