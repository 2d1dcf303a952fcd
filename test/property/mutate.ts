import fc from 'fast-check';
import { changed, type Json, type Member, sizeOf, write } from './json.ts';

// What is done to a body that was right.

const deep = (depth: number) => `${'['.repeat(depth)}1${']'.repeat(depth)}`;

/** Written as they are: JSON, but of another type, beyond every limit, or of what texts should not hold. */
export const strangeValues = [
  ...['null', 'true', '[]', '{}', '""', '" "', '0', '-0', '-1', '1.5', '1e400', '-1e400', '1e-400', '9007199254740993'],
  ...['1'.repeat(400), '"NaN"', '"1e400"', '"undefined"', '"-0"', '[null]', '[[]]', '{"":""}', '{"a":{"b":{"c":1}}}'],
  ...[
    '"\\ud800"',
    '"\\udfff\\ud800"',
    '"\\u0000"',
    '"a\\u0000b"',
    '"\\uffff"',
    '"\\ufeff"',
    '"\\u202e\\u2066"',
    '"\\u0085"',
  ],
  ...['"__proto__"', '"constructor"', '{"__proto__":{"role":"OWNER"}}', '{"constructor":{"prototype":{}}}'],
  ...['"../../../etc/passwd"', '"%00"', '"\' or 1=1 --"', '"$(7*7){{7*7}}"', '"<script>alert(1)</script>"', '"=1+1"'],
  ...['"2026-02-30T25:61:61Z"', '"0000-00-00T00:00:00Z"', '"00000000-0000-0000-0000-000000000000"', '"OWNER\\u0000"'],
  ...[
    `"${'x'.repeat(70_000)}"`,
    `"${'漢'.repeat(5_000)}"`,
    `"${'e\u0301'.repeat(2_000)}"`,
    deep(31),
    deep(40),
    deep(5_000),
  ],
  `[${'0,'.repeat(20_000)}0]`,
  `{${Array.from({ length: 2_000 }, (_, at) => `"k${at}":0`).join(',')}}`,
];

const strange = fc.oneof(
  { weight: 3, arbitrary: fc.constantFrom(...strangeValues) },
  { weight: 1, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }).map((text) => JSON.stringify(text)) },
  { weight: 1, arbitrary: fc.double().map((number) => JSON.stringify(number)) },
);

const strangeName = fc.constantFrom(
  ...['__proto__', 'constructor', 'toString', '', 'id', 'workspaceId', 'role', 'password', 'x', '\u0000', '\ud800'],
);

type Change = (at: Json, value: Json, name: string, pick: number) => Json;

const withMembers = (at: Json, make: (members: readonly Member[]) => readonly Member[]): Json =>
  'members' in at ? { members: make(at.members) } : at;

const changes: readonly Change[] = [
  (_at, value) => value,
  (at, value) => ('list' in at ? { list: [...at.list, value] } : value),
  (at, _value, _name, pick) =>
    withMembers(at, (members) => members.filter((_, index) => index !== pick % members.length)),
  (at, value, name) => withMembers(at, (members) => [...members, [name, value]]),
  (at, value, _name, pick) =>
    withMembers(at, (members) => {
      const [twice] = members[pick % Math.max(1, members.length)] ?? [];
      return twice === undefined ? members : [...members, [twice, value]];
    }),
];

/** One to three places of it are not what they should be. */
export const mutated = (value: fc.Arbitrary<Json>): fc.Arbitrary<Json> =>
  fc
    .tuple(
      value,
      fc.array(fc.tuple(fc.nat(), fc.constantFrom(...changes), strange, strangeName, fc.nat(20)), {
        minLength: 1,
        maxLength: 3,
      }),
    )
    .map(([json, edits]) =>
      edits.reduce(
        (whole, [place, change, text, name, pick]) =>
          // Half of the time the whole of it, which is where members are.
          changed(whole, place % 2 === 0 ? 0 : (place >> 1) % sizeOf(whole), (at) =>
            at === whole && change === changes[0] && place % 4 !== 0 ? at : change(at, { raw: text }, name, pick),
          ),
        json,
      ),
    );

const latin1 = (text: string): Uint8Array => Buffer.from(text, 'latin1');
const joined = (...parts: readonly (string | Uint8Array)[]): Uint8Array =>
  Buffer.concat(parts.map((part) => Buffer.from(part)));

const breaks: readonly ((text: string, at: number) => Uint8Array)[] = [
  (text, at) => Buffer.from(text.slice(0, at % text.length)),
  (text, at) => joined(text.slice(0, at % text.length), Uint8Array.of(0xff), text.slice(at % text.length)),
  (text) => joined('\ufeff', text),
  (text) => Buffer.from(text, 'utf16le'),
  (text) => joined(text, text),
  (text) => joined(text.replaceAll('"', "'")),
  (text) => joined(text.replace(/:/, ':NaN,"x":')),
  (text) => joined(text, ','),
  (text) => joined(text, '\u0000'),
  () => latin1('"\xe9"'),
  () => joined('"', Uint8Array.of(0xed, 0xa0, 0x80), '"'),
  () => joined('"', Uint8Array.of(0xc0, 0xaf), '"'),
  () => joined('"a\tb\nc"'),
  () => new Uint8Array(),
];

/** Bytes that are no JSON, or hardly any. */
export const broken = (value: fc.Arbitrary<Json>): fc.Arbitrary<Uint8Array> =>
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc
        .tuple(value, fc.constantFrom(...breaks), fc.nat(10_000))
        .map(([json, breakIt, at]) => breakIt(write(json), at)),
    },
    { weight: 1, arbitrary: fc.uint8Array({ maxLength: 200 }) },
  );
