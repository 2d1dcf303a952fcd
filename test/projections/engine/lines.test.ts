import { expect, test } from 'vitest';
import { lineWriter } from '../../../src/projections/engine/copyText.ts';
import { createPending } from '../../../src/projections/engine/pending.ts';
import { createTextBytes } from '../../../src/projections/engine/textBytes.ts';
import { boolean, nullable, string, table, timestamp } from '../../../src/projections/table.ts';
import { loanLog } from './sample.ts';

test('A line has all its fields, also where the first is empty', () => {
  const odd = table<never>()({
    name: 'odd',
    version: 1,
    columns: { first: string(9), second: string(9), third: boolean(), fourth: nullable(timestamp()) },
    primaryKey: ['first'],
    on: {},
  });
  const toLine = lineWriter('postgres', odd, Object.keys(odd.columns));
  expect(toLine(['', 'a\tb', true, null])).toBe('\ta\\tb\tt\t\\N');
  expect(lineWriter('postgres', odd, ['second', 'first'])(['1', '2', false, 0])).toBe('2\t1');
});

test('Long texts are cut only where one ends', () => {
  const bytes = createTextBytes();
  const texts = Array.from({ length: 5 }, (_, index) => `${index}${'ü'.repeat(1_500_000)}\n`);
  for (const text of texts) bytes.add(text);
  const pieces = [...bytes.pieces()].map((piece) => Buffer.from(piece).toString());
  expect(pieces).toEqual([texts.slice(0, 2).join(''), texts.slice(2, 4).join(''), texts.slice(4).join('')]);
  expect([...createTextBytes().pieces()]).toEqual([]);
});

test('Rows of a table that is only added to are never changed or removed', () => {
  const given: object[] = [];
  const add = (row: object): void => void given.push(row);
  const appended = { add, rows: () => given.length, chains: () => new Set<string>(), write: async () => {} };
  const { writer, stages } = createPending(new Set(), () => appended);
  const rows = writer(loanLog);
  rows.insert({ event_id: 'e1' });
  expect(() => rows.patch('e1', { what: 'else' })).toThrow(/never changed or removed/);
  expect(() => rows.remove('e1')).toThrow(/never changed or removed/);
  expect(() => rows.put({ event_id: 'e1' }, {})).toThrow(/never changed or removed/);
  expect(() => rows.removeWhere({ event_id: 'e1' })).toThrow(/never changed or removed/);
  expect(given).toEqual([{ event_id: 'e1' }]);
  expect(stages).toEqual([{ changes: new Map() }]);
});
