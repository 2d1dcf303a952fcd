import fc from 'fast-check';
import type { Asking } from './described.ts';
import { inUrl, placeholder, textFor } from './values.ts';

// Paths and queries as they are written into the request line, with placeholders for what the world knows.

/** Things that are no id, percent-encoded or not, and some that a proxy or a file system would read in its own way. */
const malformed = [
  ...['%00', '%', '%zz', '%c0%af', '%ff', '%ED%A0%80', '..', '.', '%2e%2e', '%2f', '%2F..%2F..', '%5c', '%25', ';x=1'],
  ...[
    '*',
    "'",
    '%22',
    '-1',
    '0',
    '1e400',
    'null',
    'undefined',
    'NaN',

    '%E6%BC%A2',
    '%F0%9F%91%BB',
    '%E2%80%AE',
  ],
  ...['__proto__', 'constructor', '{}', '%7B%7B', "'%20or%201=1--", 'x'.repeat(300), '', '%20', '+', '9'.repeat(30)],
];

const segmentFor = (name: string, isRight: boolean): fc.Arbitrary<string> => {
  const own = placeholder(name);
  if (isRight) return fc.constant(own);
  return fc.oneof(
    { weight: 8, arbitrary: fc.constant(own) },
    { weight: 2, arbitrary: fc.constant(placeholder(`foreign.${name}`)) },
    { weight: 1, arbitrary: fc.uuid() },
    { weight: 1, arbitrary: fc.constantFrom(`${own}%00`, `${own}x`, `%20${own}`, own.toUpperCase(), `${own}%2f..`) },
    { weight: 3, arbitrary: fc.constantFrom(...malformed) },
  );
};

export const pathFor = ({ path, identifiers }: Asking, isRight: boolean): fc.Arbitrary<string> => {
  const parts = path.split('/').map((part) => {
    const [, name] = /^\{(\w+)\}$/.exec(part) ?? [];
    if (name === undefined) return fc.constant(part);
    // The one name that the matrix knows as no identifier is a public one.
    const isIdentifier = identifiers.some((each) => each.place === 'path' && each.name === name);
    return segmentFor(isIdentifier ? name : 'code', isRight);
  });
  return fc.tuple(...parts).map((segments) => segments.join('/'));
};

/** As `?at=` and its like may be written by somebody who did not read the description, or read it to find a gap. */
const moments = [
  ...['2026-01-01', '2026-01-01T00:00:00', '2026-02-30T00:00:00Z', '2026-01-01T24:00:00Z', '2026-12-31T23:59:60Z'],
  ...['0000-01-01T00:00:00Z', '9999-12-31T23:59:59.999999999Z', '+275760-09-13T00:00:00Z', '1970-01-01T00:00:00Z'],
  ...['2026-01-01t00:00:00z', '2026-01-01T00:00:00+14:00', '2026-01-01T00:00:00%2B99:99', '2026-01-01%2000:00:00Z'],
  ...['0', '1767225600000', 'now', 'null', '-1', '2999-12-31T00:00:00Z', '1969-12-31T23:59:59Z', '%00', ''],
];
const words = [
  ...[
    '',
    '%00',
    '%',
    '%ff',
    '%ED%A0%80',
    'null',
    '-1',
    '0',
    '201',
    '999',
    '1e3',
    'NaN',
    '[]',
    '{}',
    "'",
    '%25',
    '%5F',
    '%',
  ],
  ...[
    '%E2%80%AE',
    '%F0%9F%91%BB',
    'x'.repeat(600),
    '__proto__',
    "'%20or%201=1--",
    '..%2f',
    '%0d%0aX:1',
    'AAAA',
    '_',
    '%2525',
  ],
  ...['eyJrZXkiOjB9', 'W10', 'WyJhIiwiYiJd', 'true', 'TRUE', '1', '2', '18446744073709551616', '9007199254740993'],
];

const anyText = fc.string({ unit: 'binary', maxLength: 20 });
const encoded = (text: string): string => (text.startsWith('{{') ? text : inUrl(text));

type Pair = readonly [name: string, value: string];

const rightPairs = ({ query }: Asking): fc.Arbitrary<readonly Pair[]> =>
  fc
    .tuple(
      ...query.map(({ name, schema }) =>
        fc.option(
          textFor(schema, name).map((text): Pair => [name, encoded(text)]),
          { nil: undefined, freq: 1 },
        ),
      ),
    )
    .map((pairs) => pairs.flatMap((pair) => (pair === undefined ? [] : [pair])));

const wrongPairs = (asking: Asking): fc.Arbitrary<readonly Pair[]> => {
  const names = [...asking.query.map(({ name }) => name), 'waitFor', 'x', '__proto__', 'workspaceId'];
  const name = fc.oneof(
    { weight: 6, arbitrary: fc.constantFrom(...names) },
    { weight: 1, arbitrary: fc.constantFrom(...names).map((each) => `${each}[]`) },
    { weight: 1, arbitrary: fc.constantFrom(...names).map((each) => `${each}[a][b]`) },
  );
  const value = fc.oneof(fc.constantFrom(...words), fc.constantFrom(...moments), anyText.map(encoded));
  return fc
    .tuple(rightPairs(asking), fc.array(fc.tuple(name, value), { maxLength: 2 }), fc.nat(3))
    .map(([right, wrong, again]) => [...right, ...wrong, ...(again === 0 ? right.slice(0, 1) : [])]);
};

/** With its `?`, or nothing. */
export const queryFor = (asking: Asking, isRight: boolean): fc.Arbitrary<string> =>
  (isRight ? rightPairs(asking) : wrongPairs(asking)).map((pairs) =>
    pairs.length === 0 ? '' : `?${pairs.map(([name, value]) => `${name}=${value}`).join('&')}`,
  );
