import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

type Complaint = { readonly number: number; readonly here: string };

const complaints = async (): Promise<readonly Complaint[]> => {
  const lines = (await readFile(join(root, 'docs/complaints.md'), 'utf8')).split('\n');
  return lines
    .filter((line) => /^\| \d/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => ({ number: Number(cells[1]), here: cells[4] ?? '' }));
};

/** A file, and how the name of a test in it begins. */
const referencesIn = (here: string) =>
  [...here.matchAll(/`(test\/[^`]+)`: ([^<;]+)/g)].map(([, path = '', name = '']) => ({ path, name: name.trim() }));

const hasTest = (source: string, name: string): boolean =>
  [`test('${name}`, `it('${name}`, `test(\n    '${name}`].some((call) => source.includes(call));

describe('The table of complaints', () => {
  test('has every one of them, once and in order', async () => {
    expect((await complaints()).map(({ number }) => number)).toEqual(
      Array.from({ length: 37 }, (_, index) => index + 1),
    );
  });

  test('names a test for each, or says why it is not here', async () => {
    for (const { number, here } of await complaints()) {
      const answered = referencesIn(here).length > 0 || /^not here: \w/.test(here);
      expect(answered, `complaint ${number}`).toBe(true);
    }
  });

  test('names only tests that exist', async () => {
    const missing: string[] = [];
    for (const { number, here } of await complaints()) {
      for (const { path, name } of referencesIn(here)) {
        const source = await readFile(join(root, path), 'utf8').catch(() => '');
        if (!hasTest(source, name)) missing.push(`${number}: ${path}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });
});
