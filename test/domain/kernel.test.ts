import { expect, test } from 'vitest';
import { clip } from '../../src/domain/kernel.ts';

test('a text that is too long is ended before a character, never within one', () => {
  expect(clip('a👻b', 4)).toBe('a👻b');
  expect(clip('a👻b', 3)).toBe('a👻');
  expect(clip('a👻b', 2)).toBe('a');
  expect(clip('👻', 1)).toBe('');
  expect(clip('abc', 2)).toBe('ab');
});
