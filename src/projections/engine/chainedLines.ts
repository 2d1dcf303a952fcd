import { hash as hashNow } from 'node:crypto';
import type { DatabaseKind } from '../../platform/database/port.ts';
import type { Appended } from './appended.ts';
import { type ChainedTable, coveredColumns, nextLink } from './chain.ts';
import type { StoredValue } from './columns.ts';
import { type Copy, copyPieces, lineWriter } from './copyText.ts';
import { valuesOf } from './rows.ts';
import { createTextBytes } from './textBytes.ts';

/** Where a row ends in the bytes: its line, and what its hash covers before and after its number. One follows the other. */
type Unlinked = { readonly by: string; readonly line: number; readonly before: number; readonly after: number };

/** Everything but a row's place in the chain is written down as it comes. */
export const chainedLines = (kind: DatabaseKind, table: ChainedTable, copy: Copy): Appended => {
  const { by, sequence, previous, hash } = table.chain;
  const declared = Object.keys(table.columns);
  const ofChain = [sequence, previous, hash];
  const ownColumns = declared.filter((name) => !ofChain.includes(name));
  const toLine = lineWriter(kind, table, ownColumns);
  const coveredAround = coverWriter(table);
  const bytes = createTextBytes();
  const unlinked: Unlinked[] = [];
  const byAt = declared.indexOf(by);
  return {
    add: (given) => {
      const values = valuesOf(table, given);
      const [before, after] = coveredAround(values);
      const line = bytes.add(toLine(values));
      unlinked.push({ by: String(values[byAt]), line, before: bytes.add(before), after: bytes.add(after) });
    },
    rows: () => unlinked.length,
    chains: () => new Set(unlinked.map((row) => row.by)),
    write: async (session, { physical }, heads) => {
      const linked = createTextBytes();
      const covered = createTextBytes();
      let start = 0;
      for (const row of unlinked) {
        const link = nextLink(heads, row.by, (last, number) => {
          covered.clear();
          covered.add(last);
          covered.addBytes(bytes.view(row.line, row.before));
          covered.add(String(number));
          covered.addBytes(bytes.view(row.before, row.after));
          return hashNow('sha256', covered.view());
        });
        linked.addBytes(bytes.view(start, row.line));
        linked.add(`\t${link.sequence}\t${link.previous}\t${link.hash}\n`);
        start = row.after;
      }
      await copyPieces(copy, session, physical, [...ownColumns, ...ofChain], linked);
    },
  };
};

const plain = /^[ !#-[\]-~]*$/;
const jsonOf = (value: StoredValue): string =>
  typeof value === 'string' && plain.test(value) ? `"${value}"` : JSON.stringify(value);

/** Canonical JSON of what a hash covers, before and after the number of the row, which is known last. */
const coverWriter = (table: ChainedTable): ((values: readonly StoredValue[]) => readonly [string, string]) => {
  const declared = Object.keys(table.columns);
  const members = Object.keys(coveredColumns(table)).map((name, index) => ({
    ...{ head: `${index === 0 ? '{' : ','}${JSON.stringify(name)}:`, at: declared.indexOf(name) },
  }));
  const split = members.findIndex(({ at }) => declared[at] === table.chain.sequence);
  const numbered = members.slice(0, split + 1);
  const rest = members.slice(split + 1);
  return (values) => {
    let before = '';
    for (const { head, at } of numbered)
      before += declared[at] === table.chain.sequence ? head : head + jsonOf(values[at] ?? null);
    let after = '';
    for (const { head, at } of rest) after += head + jsonOf(values[at] ?? null);
    return [before, `${after}}`];
  };
};
