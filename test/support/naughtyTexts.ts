import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { z } from 'zod';

// Strings that somewhere were read as something else, cut, mended, or taken for one another.

const list = createRequire(import.meta.url).resolve('big-list-of-naughty-strings/blns.json');
const listed = z.array(z.string()).parse(JSON.parse(readFileSync(list, 'utf8')));

/** What the list has not, or not alone. */
const own = [
  // No text: half surrogate pairs, in every place.
  ...['\ud800', '\udfff', 'a\ud83d', '\udc7bb', '\udc7b\ud83d', 'x\ud800y'],
  // Control characters.
  ...[
    '\0',
    'a\0b',
    '\0 at the start',
    'at the end\0',
    '\u0001',
    '\u001b[31mred',
    'bell\u0007',
    'a\u007fb',
    'a\u0080b',
    'a\u0085b',
  ],
  ...['a\tb', 'a\nb', 'a\r\nb', 'a\rb', 'a\vb', 'a\fb', 'a\u2028b', 'a\u2029b', '\u009f'],
  // At the ends.
  ...[
    ' ',
    '   ',
    '\u00a0',
    '\u3000',
    '\u2003\u2003',
    ' a',
    'a ',
    ' a ',
    '\u00a0a\u00a0',
    'a\u3000',
    '\ta\n',
    '\u1680a',
  ],
  ...['\ufeffa', 'a\ufeff', 'a\ufeffb', '\u200ba', 'a\u200b', '\u180ea'],
  // Seen by nobody.
  ...['\u200b', '\ufeff', '\u00ad', '\u2060', '\ufe0f', '\u115f', '\u3164', '\u2800', '\u{e0041}', '\u{e0001}'],
  // Directions and joiners.
  ...[
    'a\u202eb',
    '\u202dabc\u202c',
    'a\u2066b\u2069',
    '\u200eabc',
    '\u200fabc',
    '\u061cabc',
    'עברית',
    'abc עברית def',
    'می‌خواهم',
  ],
  // No characters, and never to be; one that stands for what was lost.
  ...[
    'a\ufffeb',
    '\uffff',
    'a\uffffb',
    '\u{1fffe}',
    '\u{10ffff}',
    'a\ufdd0b',
    '\ufffd',
    'a\ufffdb',
    '\ue000',
    '\u{f0000}',
  ],
  // Of four bytes, and of several characters that are one to see.
  ...['👻', '👩‍👩‍👧‍👦', '🏳️‍🌈', '👍🏽', '🇩🇪', '1️⃣', '𝔘𝔫𝔦', '𠜎𠜱', '\u{1f9d1}\u{1f3fe}\u200d\u{1f9b0}'],
  // One to see, several to write.
  ...[
    'é',
    'e\u0301',
    'Å',
    '\u212b',
    'A\u030a',
    '\u1e9b\u0323',
    'q\u0307\u0323',
    '가',
    '\u1100\u1161',
    '\u0958',
    '\u{1d160}',
    '\ufb2c',
  ],
  // Like another one.
  ...['ﬁ', 'fi', 'Ａ', 'A', 'а', 'ｱ', 'ア', '①', '1', '١', '\u212a', 'K', 'k', 'ſ', 's', 'ß', 'ẞ', 'ss', 'SS', 'ŉ'],
  ...[
    'İ',
    'i̇',
    'I',
    'i',
    'ı',
    'Σ',
    'σ',
    'ς',
    'ΟΔΟΣ',
    'οδος',
    'οδοσ',
    'Ǆ',
    'ǅ',
    'ǆ',
    'Straße',
    'STRASSE',
    'naïve',
    'naive',
  ],
  // For a parser behind it.
  ...[
    '100%',
    '50%_a',
    "it's",
    '"',
    '\\',
    '\\\\',
    '\\u0041',
    '\\x41',
    '\\n',
    '%00',
    '%u0041',
    '&#0;',
    '&amp;',
    '{{a}}',
    '${',
    '$&',
  ],
  ...[
    "'; drop table x; --",
    "=cmd|' /C calc'!A0",
    '+1',
    '-1',
    '@a',
    '!a',
    'null',
    'undefined',
    'NaN',
    'true',
    '0',
    '-0',
    '1e400',
  ],
  ...[
    '__proto__',
    'constructor',
    'toString',
    '../..',
    'C:\\',
    'file:///etc/passwd',
    '[]',
    '{}',
    '\u2018a\u2019',
    '﷽',
    '\u0300a',
    'a',
  ],
  // Secrets, by their shape.
  ...[
    'Bearer abcdefghijkl',
    'opt_0123456789abcdef',
    'https://user:password@example.com/',
    `ghp_${'a1'.repeat(15)}`,
    'Basic dXNlcjpwYXNz',
  ],
  // Long.
  ...[
    'x'.repeat(100),
    'x'.repeat(101),
    '👻'.repeat(100),
    '漢'.repeat(100),
    'e\u0301'.repeat(100),
    '\ufb2c'.repeat(34),
    'x'.repeat(251),
  ],
  ...[
    '👻'.repeat(250),
    'x'.repeat(501),
    '漢'.repeat(600),
    `z${'\u0335'.repeat(60)}a`,
    `${' '.repeat(300)}a`,
    'x'.repeat(6_000),
  ],
];

export const naughtyTexts: readonly string[] = [...new Set([...listed, ...own])];
/** Of each kind some, for what takes long or looks at little. */
export const someNaughtyTexts: readonly string[] = [...new Set([...own, ...listed.filter((_, at) => at % 24 === 0)])];

/** Fewer, for what takes none of them. */
export const fewNaughtyTexts: readonly string[] = someNaughtyTexts.filter((_, at) => at % 3 === 0);

/** Code points, for a message: the text itself could not be told from another one. */
export const spelled = (text: string): string => {
  const points = Array.from(text, (each) => (each.codePointAt(0) ?? 0).toString(16)).slice(0, 40);
  return `${JSON.stringify(text.slice(0, 60))} (${points.join(' ')})`;
};

/** Byte for byte: for half a surrogate pair, which has no bytes, unit for unit. */
export const isSameText = (left: unknown, right: string): boolean =>
  typeof left === 'string' && left === right && Buffer.from(left).equals(Buffer.from(right));
