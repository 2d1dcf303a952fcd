import { expect, test } from 'vitest';
import { caseless } from '../../src/domain/caseless.ts';
import { naughtyTexts, spelled } from '../support/naughtyTexts.ts';

// Names are unique whatever their case: what it takes for one is Unicode's to say, and not ours.

const letters = Array.from({ length: 0x110000 }, (_, point) => point)
  .filter((point) => point < 0xd800 || point > 0xdfff)
  .map((point) => String.fromCodePoint(point));
const cased = letters
  // Others are spellings of something else.
  .filter((each) => each.normalize('NFC') === each)
  .filter((each) => each.toLowerCase() !== each || each.toUpperCase() !== each);

test('Letters that Unicode folds to one are one, and no others but the two small forms of I', () => {
  const groups = new Map<string, string[]>();
  for (const each of cased) groups.set(caseless(each), [...(groups.get(caseless(each)) ?? []), each]);
  const wrong: string[] = [];
  for (const each of cased) {
    // The engine folds on its own when it looks for a text whatever its case.
    const alike = new RegExp(`^\\u{${each.codePointAt(0)?.toString(16)}}$`, 'iu');
    for (const other of [each.toLowerCase(), each.toUpperCase()]) {
      if (alike.test(other) && caseless(other) !== caseless(each)) wrong.push(`${spelled(each)} is ${spelled(other)}`);
    }
    // What is written as one letter alone, and not as several.
    if ([...caseless(each)].length > 1) continue;
    for (const other of groups.get(caseless(each)) ?? []) {
      if (!alike.test(other) && !'ıIi'.includes(other)) wrong.push(`${spelled(each)} is not ${spelled(other)}`);
    }
  }
  expect(wrong).toEqual([]);
  expect(groups.size).toBeGreaterThan(1_300);
});

test.each([
  ['Straße', 'STRASSE', 'straẞe', 'STRAẞE', 'Straſſe'],
  ['σας', 'σασ', 'ΣΑΣ', 'Σας'],
  ['I', 'i', 'ı'],
  ['İ', 'i\u0307', 'I\u0307', 'ı\u0307'],
  ['ﬁ', 'fi', 'FI', 'Fi'],
  ['\u212a', 'K', 'k'],
  ['Ǆ', 'ǅ', 'ǆ'],
  ['ΐ', 'Ϊ\u0301', 'ι\u0308\u0301'],
  ['e\u0301', 'É'],
  ['ŉ', 'ʼN'],
])('%s is the same whatever its case', (...same) => {
  expect(new Set(same.map(caseless)).size).toBe(1);
});

test.each([
  ['e', 'é', 'е'],
  ['Ａ', 'A', 'а'],
  ['①', '1', '١'],
  ['ss', 's', 's s'],
  ['i', 'i\u0307', 'í', 'j'],
  ['ﬁ', 'f\u200bi'],
])('%s is not taken for what only looks like it', (...different) => {
  expect(new Set(different.map(caseless)).size).toBe(different.length);
});

test('Every text of the list is the same in capitals, in small letters and decomposed, and what is folded stays so', () => {
  for (const text of naughtyTexts) {
    const folded = caseless(text);
    for (const other of [
      folded,
      text.toUpperCase(),
      text.toLowerCase(),
      text.normalize('NFC'),
      text.normalize('NFD'),
    ]) {
      expect(caseless(other), spelled(text)).toBe(folded);
    }
  }
});

test('A letter is the same wherever it stands', () => {
  for (const before of ['', 'a', '.', 'Σ']) {
    for (const after of ['', 'a', '.', ' ']) {
      for (const letter of ['Σ', 'σ', 'ς', 'ß', 'ı', 'ﬁ'])
        expect(caseless(before + letter + after)).toBe(caseless(before) + caseless(letter) + caseless(after));
    }
  }
});
