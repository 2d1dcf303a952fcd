import { readdirSync, readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { sql } from 'kysely';
import type { Database } from '../../../src/platform/database/port.ts';
import type { Search, Sighting } from '../../support/canaries.ts';

/** Every file below a folder, as it is and unpacked. */
export const searchFiles = (search: Search, folder: string): readonly Sighting[] =>
  readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .filter((name) => statSync(join(folder, name)).isFile())
    .flatMap((name) => {
      const bytes = readFileSync(join(folder, name));
      const isPacked = bytes[0] === 0x1f && bytes[1] === 0x8b;
      const unpacked = isPacked ? search(`the file ${name}, unpacked`, gunzipSync(bytes)) : [];
      return [...search(`the file ${name}`, bytes), ...search('the name of a file', name), ...unpacked];
    });

/** Every row of every table in a database, whosever it is. */
export const searchDatabase = async (search: Search, database: Database<unknown>): Promise<readonly Sighting[]> => {
  const schema = database.kind === 'mysql' || database.kind === 'mariadb' ? sql`database()` : sql`current_schema()`;
  const named = sql<{ name: string }>`
    select table_name as name from information_schema.tables where table_schema = ${schema}`;
  const found: Sighting[] = [];
  for (const { name } of (await named.execute(database.session)).rows) {
    const { rows } = await sql`select * from ${sql.table(name)}`.execute(database.session);
    const text = (_key: string, value: unknown) => (typeof value === 'bigint' ? String(value) : value);
    for (const row of rows) found.push(...search(`a row of ${name}`, JSON.stringify(row, text)));
  }
  return found;
};

const read = (path: string): string => {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
};

const parentOf = (pid: string): string => /\) \S+ (\d+)/.exec(read(`/proc/${pid}/stat`))?.[1] ?? '';

/** Processes that a process started, and what these started. */
const descendants = (pid: string): readonly string[] =>
  readdirSync('/proc')
    .filter((each) => /^\d+$/.test(each) && parentOf(each) === pid)
    .flatMap((child) => [child, ...descendants(child)]);

/** Without the variables by which `workerd` is given the secrets of its worker, so that they are in no file. */
const environmentOf = (pid: string): string =>
  read(`/proc/${pid}/environ`).replaceAll(/(?<=^|\0)OPSLOG_SECRET_\d+=[^\0]*/g, '');

/** Arguments of a process and of all that it started; the environment of those alone: its own is what the operator gave. */
export const searchProcesses = (search: Search, pid: number) => {
  const children = descendants(String(pid));
  const found = [
    ...search('the arguments of the program', read(`/proc/${pid}/cmdline`)),
    ...children.flatMap((child) => search('the arguments of a child', read(`/proc/${child}/cmdline`))),
    ...children.flatMap((child) => search('the environment of a child', environmentOf(child))),
  ];
  return { children: children.length, found };
};
