import type { DatabaseKind } from '../../platform/database/port.ts';
import type { StoredValue } from './columns.ts';
import type { Row } from './pending.ts';
import { encoderOf, type Target } from './statements.ts';

const special = /[\\\t\n\r]/g;
const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\t': '\\t', '\n': '\\n', '\r': '\\r' };

const fieldText = (value: StoredValue): string => {
  if (value === null) return '\\N';
  if (typeof value === 'string') return value.replace(special, (each) => escapes[each] ?? each);
  if (typeof value === 'boolean') return value ? 't' : 'f';
  return String(value);
};

/** Rows in the text format of COPY, in the order of the declared columns. */
export const copyTextOf = (kind: DatabaseKind, target: Target, rows: readonly Row[]): string => {
  const columns = Object.keys(target.table.columns).map((name) => ({
    name,
    encode: encoderOf(kind, target.table, name),
  }));
  const lines: string[] = [];
  for (const row of rows) {
    lines.push(columns.map(({ name, encode }) => fieldText(encode(row[name] ?? null))).join('\t'));
  }
  lines.push('');
  return lines.join('\n');
};
