import { expect, test } from 'vitest';
import { toCsv } from '../../src/platform/csv/stringify.ts';

test('a cell that a spreadsheet would take for a formula is put behind an apostrophe', () => {
  for (const cell of ['=1+1', '+1', '-1', '@SUM(A1)', '\t=1', '\r=1']) expect(toCsv([[cell]])).toMatch(/^"?'/);
  expect(toCsv([['plain', 1]])).toBe('plain,1\r\n');
});

test('quotes, commas and line breaks are kept as RFC 4180 says', () => {
  expect(toCsv([['a"b', 'c,d', 'e\r\nf', '']])).toBe('"a""b","c,d","e\r\nf",\r\n');
});
