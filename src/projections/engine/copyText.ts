import type { DatabaseKind } from '../../platform/database/port.ts';
import type { StoredValue } from './columns.ts';
import type { Row } from './rows.ts';
import { encoderOf, type Target } from './statements.ts';

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

// One text is held in memory and sent as one message.
const longestText = 4_000_000;

/** Rows in the text format of COPY, in the order of the declared columns, in texts of bounded length. */
export function* copyTexts(kind: DatabaseKind, target: Target, rows: readonly Row[]): Iterable<string> {
  const columns = Object.keys(target.table.columns).map((name) => ({
    name,
    encode: encoderOf(kind, target.table, name),
  }));
  let text = '';
  for (const row of rows) {
    let line = '';
    for (const { name, encode } of columns) line += `${line === '' ? '' : '\t'}${fieldText(encode(row[name] ?? null))}`;
    text += `${line}\n`;
    if (text.length < longestText) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}
