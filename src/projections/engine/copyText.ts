import type { DatabaseKind, Session, SqlDatabase } from '../../platform/database/port.ts';
import type { AnyTable } from '../table.ts';
import type { StoredValue } from './columns.ts';
import type { Row } from './rows.ts';
import { encoderOf, type Target } from './statements.ts';
import type { TextBytes } from './textBytes.ts';

const special = /[\\\t\n\r]/;
const everySpecial = new RegExp(special, 'g');
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const fieldText = (value: StoredValue): string => {
  if (value === null) return '\\N';
  if (typeof value === 'string') {
    return special.test(value) ? value.replace(everySpecial, (each) => escapes[each] ?? each) : value;
  }
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return String(value);
};

/** Answers what makes a line, without its end, of the values of all declared columns; it has these columns. */
export const lineWriter = (
  kind: DatabaseKind,
  table: AnyTable,
  columns: readonly string[],
): ((values: readonly StoredValue[]) => string) => {
  const declared = Object.keys(table.columns);
  const fields = columns.map((name, index) => ({
    ...{ at: declared.indexOf(name), encode: encoderOf(kind, table, name), separator: index === 0 ? '' : '\t' },
  }));
  return (values) => {
    let line = '';
    for (const { at, encode, separator } of fields) line += separator + fieldText(encode(values[at] ?? null));
    return line;
  };
};

// One text is held in memory and sent as one message.
export const longestText = 4_000_000;

/** Rows in the text format of COPY, in the order of the declared columns, in texts of bounded length. */
export function* copyTexts(kind: DatabaseKind, { table }: Target, rows: readonly Row[]): Iterable<string> {
  const columns = Object.keys(table.columns);
  const toLine = lineWriter(kind, table, columns);
  let text = '';
  for (const row of rows) {
    text += `${toLine(columns.map((name) => row[name] ?? null))}\n`;
    if (text.length < longestText) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

export type Copy = NonNullable<SqlDatabase['copy']>;

export const copyPieces = async (
  copy: Copy,
  session: Session,
  physical: string,
  columns: readonly string[],
  lines: TextBytes,
): Promise<void> => {
  for (const piece of lines.pieces()) await copy(session, physical, columns, piece);
};
