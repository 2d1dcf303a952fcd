import { describe, expect, test } from 'vitest';
import { knownPasswordField, secretText } from '../../src/commands/fields.ts';
import { lineField, linesField, nameField } from '../../src/commands/texts.ts';

const line = lineField(10, 'A line.');
const lines = linesField(10, 'Lines.');
const people = { name: nameField, line, lines } as const;

describe('A text for people', () => {
  test.each(Object.entries(people))('has one spelling, whichever one was sent: %s', (_, field) => {
    expect(field.parse(' \ufeffe\u0301\u00a0\n')).toBe('\u00e9');
    expect(field.parse('\u212a')).toBe('K');
  });

  test.each(Object.entries(people))('keeps what only looks alike: %s', (_, field) => {
    for (const text of ['\uff21', '\ufb01', 'ß', '\u0130', '\u0131', 'a\u200db', 'a\u200eb', '👩‍👩‍👧', 'a  b']) {
      expect(field.parse(text)).toBe(text);
    }
  });

  test.each(Object.entries(people))(
    'is refused, never mended, when it holds what must not be shown: %s',
    (_, field) => {
      for (const text of ['a\0b', 'a\u001bb', 'a\u0085b', 'a\u2028b', 'a\u202eb', 'a\u2066b', '\ud800', 'a\udc00b']) {
        expect(field.safeParse(text).success, JSON.stringify(text)).toBe(false);
      }
    },
  );

  test('holds as many characters as it says, of whatever kind', () => {
    for (const field of [line, lines]) {
      expect(field.parse('👻'.repeat(10))).toBe('👻'.repeat(10));
      expect(field.parse('e\u0301'.repeat(10))).toBe('\u00e9'.repeat(10));
      expect(field.safeParse('👻'.repeat(11)).success).toBe(false);
    }
    expect(nameField.parse('👻'.repeat(100))).toBe('👻'.repeat(100));
    expect(nameField.safeParse('x'.repeat(101)).success).toBe(false);
  });

  test('has line breaks and tabs only where there may be several lines', () => {
    for (const text of ['a\nb', 'a\r\nb', 'a\tb']) {
      expect(lines.parse(text)).toBe(text);
      expect(line.safeParse(text).success).toBe(false);
      expect(nameField.safeParse(text).success).toBe(false);
    }
  });

  test('may be empty, unless it is a name: that must be seen', () => {
    for (const text of ['', ' ', '\u200b', '\ufeff', '\u0301']) expect(nameField.safeParse(text).success).toBe(false);
    expect(line.parse(' ')).toBe('');
    expect(lines.parse('\n')).toBe('');
  });
});

describe('A secret', () => {
  test('is taken as it is, or not at all', () => {
    const field = secretText(8, 'A secret.');
    for (const text of [' a ', 'e\u0301', '\u202e', '\u001b\n', '👻👻', '\ufeff']) expect(field.parse(text)).toBe(text);
    for (const text of ['', 'a\0', '\ud800', '👻👻x']) expect(field.safeParse(text).success).toBe(false);
  });

  test('that is half a character is nobody’s password', () => {
    expect(knownPasswordField.parse(' \ufffd ')).toBe(' \ufffd ');
    expect(knownPasswordField.safeParse('\ud800').success).toBe(false);
  });
});
