import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';

const root = join(import.meta.dirname, '../..');

/** Every requirement of level 1 in OWASP ASVS 5.0.0, by chapter and number. */
const asvs = [
  ...['1.2.1', '1.2.2', '1.2.3', '1.2.4', '1.2.5', '1.3.1', '1.3.2', '1.5.1', '2.1.1', '2.2.1', '2.2.2', '2.3.1'],
  ...['3.2.1', '3.2.2', '3.3.1', '3.4.1', '3.4.2', '3.5.1', '3.5.2', '3.5.3', '4.1.1', '4.4.1', '5.2.1', '5.2.2'],
  ...['5.3.1', '5.3.2', '6.1.1', '6.2.1', '6.2.2', '6.2.3', '6.2.4', '6.2.5', '6.2.6', '6.2.7', '6.2.8', '6.3.1'],
  ...['6.3.2', '6.4.1', '6.4.2', '7.2.1', '7.2.2', '7.2.3', '7.2.4', '7.4.1', '7.4.2', '8.1.1', '8.2.1', '8.2.2'],
  ...['8.3.1', '9.1.1', '9.1.2', '9.1.3', '9.2.1', '10.4.1', '10.4.2', '10.4.3', '10.4.4', '10.4.5', '11.3.1'],
  ...['11.3.2', '11.4.1', '12.1.1', '12.2.1', '12.2.2', '13.4.1', '14.2.1', '14.3.1', '15.1.1', '15.2.1', '15.3.1'],
];
const api = Array.from({ length: 10 }, (_, index) => `API${index + 1}`);

type Row = { readonly number: string; readonly here: string };

const rows = async (): Promise<readonly Row[]> => {
  const lines = (await readFile(join(root, 'docs/security.md'), 'utf8')).split('\n');
  return lines
    .filter((line) => /^\| (?:\d+\.\d+\.\d+|API\d+) \|/.test(line))
    .map((line) => line.split('|').map((cell) => cell.trim()))
    .map((cells) => ({ number: cells[1] ?? '', here: cells[3] ?? '' }));
};

/** A file, and how the name of a test in it begins. */
const referencesIn = (here: string) =>
  [...here.matchAll(/`(test\/[^`]+)`: ([^<;)]+)/g)].map(([, path = '', name = '']) => ({ path, name: name.trim() }));

const hasTest = (source: string, name: string): boolean =>
  ['test', 'it']
    .flatMap((call) => [`${call}('${name}`, `${call}(\n    '${name}`, `${call}(\`${name}`])
    .concat(`)('${name}`, `)(\n    '${name}`)
    .some((call) => source.includes(call));

describe('The tables of security', () => {
  test('have every requirement of level 1 and every risk to APIs, once and in order', async () => {
    expect((await rows()).map(({ number }) => number)).toEqual([...asvs, ...api]);
  });

  test('name a test for each, or say why there is none: not here, in writing, or not met', async () => {
    const unanswered = (await rows()).filter(
      ({ here }) => referencesIn(here).length === 0 && !/^(?:not here|not met|in writing): [\w“]/.test(here),
    );
    expect(unanswered).toEqual([]);
  });

  test('name only tests that exist', async () => {
    const missing: string[] = [];
    for (const { number, here } of await rows()) {
      for (const { path, name } of referencesIn(here)) {
        const source = await readFile(join(root, path), 'utf8').catch(() => '');
        if (!hasTest(source, name)) missing.push(`${number}: ${path}: ${name}`);
      }
    }
    expect(missing).toEqual([]);
  });

  test('count what is not met in the text above them as it is in them', async () => {
    const text = await readFile(join(root, 'docs/security.md'), 'utf8');
    const unmet = (await rows()).filter(({ here }) => /not met/.test(here)).map(({ number }) => number);
    const [, told = ''] = /^Not met, wholly or in part: ([^\n]+)\.$/m.exec(text) ?? [];
    expect(told.split(', ')).toEqual(unmet);
  });
});
