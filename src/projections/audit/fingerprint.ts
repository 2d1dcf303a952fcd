import { createHash } from 'node:crypto';
import { canonicalJson } from '../engine/canonicalJson.ts';
import { addRow, type TableDigest } from '../engine/digest.ts';
import type { Row } from '../engine/rows.ts';
import type { AnyTable } from '../table.ts';

/** A table by the hashes of its rows, small enough to keep while the log is replayed. */
export type TableFingerprint = { readonly digest: TableDigest; readonly rows: Map<string, string> };

export type RowDifference = {
  /** Primary key as JSON; never the values, which may be confidential. */
  readonly key: string;
  /** `edited`: it is not what the log says. `removed`: the log says it is there. `inserted`: the log knows nothing of it. */
  readonly kind: 'edited' | 'removed' | 'inserted';
};

export type TableDifference = {
  readonly table: string;
  readonly found: TableDigest;
  readonly expected: TableDigest;
  readonly edited: number;
  readonly removed: number;
  readonly inserted: number;
  /** The first few, for whoever looks into it. */
  readonly first: readonly RowDifference[];
};

const shown = 5;

const keyOf = (table: AnyTable, row: Row): string =>
  canonicalJson(Object.fromEntries(table.primaryKey.map((name) => [name, row[name]])));

const hashOf = (row: Row): string => createHash('sha256').update(canonicalJson(row)).digest('base64');

export const takeFingerprint = async (table: AnyTable, found: AsyncIterable<Row>): Promise<TableFingerprint> => {
  const rows = new Map<string, string>();
  const hash = createHash('sha256');
  for await (const row of found) {
    addRow(hash, row);
    rows.set(keyOf(table, row), hashOf(row));
  }
  return { digest: { rows: rows.size, sha256: hash.digest('hex') }, rows };
};

/** Undefined when the table holds exactly the rows that it must. */
export const compareTables = (
  table: string,
  found: TableFingerprint,
  expected: TableFingerprint,
): TableDifference | undefined => {
  const counts = { edited: 0, removed: 0, inserted: 0 };
  const first: RowDifference[] = [];
  const note = (key: string, kind: RowDifference['kind']): void => {
    counts[kind] += 1;
    if (first.length < shown) first.push({ key, kind });
  };
  for (const [key, hash] of expected.rows) {
    const there = found.rows.get(key);
    if (there === undefined) note(key, 'removed');
    else if (there !== hash) note(key, 'edited');
  }
  for (const key of found.rows.keys()) if (!expected.rows.has(key)) note(key, 'inserted');
  if (first.length === 0) return undefined;
  return { table, found: found.digest, expected: expected.digest, ...counts, first };
};
