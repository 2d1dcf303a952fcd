import type { Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import { type ChainedTable, type ChainLink, coveredColumns, isChained, linkOf } from './chain.ts';
import type { ColumnShape } from './columns.ts';
import { rowsOf } from './digest.ts';

/**
 * Calls `visit` with every link of a table's chains, each chain in the order of its sequence, until it answers false. Where
 * the database has COPY the rows come as text and become canonical JSON without anything in between.
 */
export const visitChain = async (
  session: Session,
  database: SqlDatabase,
  table: AnyTable,
  visit: (link: ChainLink) => boolean,
): Promise<void> => {
  if (!isChained(table)) throw new Error(`${table.name} declares no hash chain`);
  const { by, sequence } = table.chain;
  if (database.copyOut === undefined) {
    for await (const row of rowsOf(session, database, { ...table, primaryKey: [by, sequence] })) {
      if (!visit(linkOf(table, row))) return;
    }
    return;
  }
  const columns = Object.keys(table.columns);
  const read = linkReader(table, columns);
  const list = columns.map(quote).join(', ');
  const query = `select ${list} from ${quote(table.name)} order by ${quote(by)}, ${quote(sequence)}`;
  const decoder = new TextDecoder();
  let rest = '';
  let goesOn = true;
  await database.copyOut(session, query, (chunk) => {
    if (!goesOn) return;
    const lines = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) {
      goesOn = visit(read(line));
      if (!goesOn) return;
    }
  });
};

const quote = (name: string): string => `"${name.replaceAll('"', '""')}"`;

/** Makes a link of a line in the text format of COPY. */
export const linkReader = (table: ChainedTable, columns: readonly string[]): ((line: string) => ChainLink) => {
  const at = (name: string): number => columns.indexOf(name);
  const { by, sequence, previous, hash } = table.chain;
  const places = { by: at(by), sequence: at(sequence), previous: at(previous), hash: at(hash) };
  const covered = Object.keys(coveredColumns(table)).map((name, index) => ({
    head: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`,
    place: at(name),
    toJson: toJsonOf(table.columns[name]?.shape),
  }));
  return (line) => {
    const fields = line.split('\t');
    let text = '';
    for (const { head, place, toJson } of covered) {
      const field = fields[place] ?? '\\N';
      text += head + (field === '\\N' ? 'null' : toJson(field));
    }
    return {
      by: unescaped(fields[places.by] ?? ''),
      sequence: Number(fields[places.sequence]),
      previous: unescaped(fields[places.previous] ?? ''),
      hash: unescaped(fields[places.hash] ?? ''),
      covered: `${text}}`,
    };
  };
};

const toJsonOf = (shape: ColumnShape | undefined): ((field: string) => string) => {
  switch (shape?.kind) {
    case 'integer':
    case 'bigint':
      return (field) => field;
    case 'boolean':
      return (field) => (field === 't' ? 'true' : 'false');
    case 'timestamp':
      return (field) => String(Date.parse(field.replace(' ', 'T').replace(/([+-]\d\d)$/, '$1:00')));
    default:
      return textJson;
  }
};

/** Neither escaped by COPY nor to be escaped in JSON: nearly every text. */
const plain = /^[ !#-[\]-~]*$/;
const textJson = (field: string): string => (plain.test(field) ? `"${field}"` : JSON.stringify(unescaped(field)));

const escapes: Readonly<Record<string, string>> = { b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

const unescaped = (field: string): string =>
  field.includes('\\') ? field.replace(/\\(.)/g, (_whole, letter: string) => escapes[letter] ?? letter) : field;
