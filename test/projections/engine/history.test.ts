import { expect, test } from 'vitest';
import { nextVersions, openPosition, openTime, type VersionStep } from '../../../src/projections/engine/history.ts';
import type { Row } from '../../../src/projections/engine/rows.ts';
import { bookVersions } from './sample.ts';

const row = (from: number, since: number, title: string): Row => ({
  ...{ id: 'b1', shelf_id: 's1', title, holder: '', notes: null },
  ...{ valid_from: from, valid_to: openPosition, valid_since: since, valid_until: openTime },
});
const moment = (position: number, recordedAt: number) => ({ position: BigInt(position), recordedAt });
const next = (stored: Row | undefined, ...steps: readonly VersionStep[]) =>
  nextVersions(bookVersions, [{ key: ['b1'], steps }], new Map(stored === undefined ? [] : [['b1', stored]]));
const revise = (position: number, recordedAt: number, title: string, otherwise?: Row): VersionStep => ({
  ...{ kind: 'revise', moment: moment(position, recordedAt), set: { title }, otherwise },
});

test('A clock that was set back makes no version end before it began, nor two be there at one time', () => {
  const { closed, fresh } = next(row(10, 5_000, 'a'), revise(20, 4_000, 'b'), revise(30, 6_000, 'c'));
  expect(closed.rows).toEqual([['b1', 10, 20, 5_000]]);
  expect(fresh.map((each) => [each['title'], each['valid_since'], each['valid_until']])).toEqual([
    ['b', 5_000, 6_000],
    ['c', 6_000, openTime],
  ]);
});

test('A revision that changes nothing makes no version', () => {
  expect(next(row(10, 5_000, 'a'), revise(20, 6_000, 'a'))).toMatchObject({ closed: { rows: [] }, fresh: [] });
});

test('What is not open is not revised, unless it is said what it is otherwise', () => {
  expect(next(undefined, revise(20, 6_000, 'b')).fresh).toEqual([]);
  expect(next(undefined, revise(20, 6_000, 'b', row(20, 6_000, 'new'))).fresh).toMatchObject([{ title: 'new' }]);
});

test('What is opened and closed in one batch is a version all the same', () => {
  const { fresh } = next(
    undefined,
    { kind: 'open', moment: moment(10, 1), row: row(10, 1, 'a') },
    { kind: 'close', moment: moment(20, 2) },
    { kind: 'close', moment: moment(30, 3) },
  );
  expect(fresh.map((each) => [each['valid_from'], each['valid_to']])).toEqual([[10, 20]]);
});
