import { execFileSync, spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { alwaysIgnored, type Ignore, parseIgnore } from '../../src/cli/developer/ignore.ts';

/** As the walk through a folder sees it: what lies in an ignored folder is never looked at. */
const isIgnored = (ignore: Ignore, path: string): boolean => {
  const parts = path.split('/');
  return parts.some((_, index) => ignore(parts.slice(0, index + 1).join('/'), index < parts.length - 1));
};

const paths = [
  'a',
  'b.log',
  'ab',
  'src/a',
  'src/b.log',
  'src/deep/a',
  'src/deep/ab.ts',
  'build/out.js',
  'a1/x',
  'src/a2',
];

describe('Ignore rules', () => {
  const folder = mkdtempSync(join(tmpdir(), 'opslog-ignore-'));
  beforeAll(() => {
    execFileSync('git', ['init', '-q', folder]);
    for (const path of paths.filter((each) => !paths.some((other) => other.startsWith(`${each}/`)))) {
      mkdirSync(dirname(join(folder, path)), { recursive: true });
      writeFileSync(join(folder, path), '');
    }
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  const gitIgnores = (rules: string): ReadonlySet<string> => {
    writeFileSync(join(folder, '.gitignore'), rules);
    const { stdout } = spawnSync('git', ['check-ignore', '--no-index', '--stdin'], {
      cwd: folder,
      input: paths.join('\n'),
      env: { PATH: process.env['PATH'] ?? '', HOME: folder, GIT_CONFIG_NOSYSTEM: '1' },
    });
    return new Set(stdout.toString('utf8').split('\n'));
  };

  const part = fc.constantFrom('a', 'b.log', '*', '*.log', 'a?', 'src', 'deep', 'build', '[ab]*', 'a[0-9]');
  const rule = fc
    .tuple(
      fc.constantFrom('', '!'),
      fc.constantFrom('', '/', '**/'),
      fc.array(part, { minLength: 1, maxLength: 3 }),
      fc.constantFrom('', '/', '/**'),
    )
    .map(([keep, start, parts, end]) => `${keep}${start}${parts.join('/')}${end}`);

  test('decide like git on any combination of rules', () => {
    fc.assert(
      fc.property(fc.array(rule, { minLength: 1, maxLength: 4 }), (rules) => {
        const text = rules.join('\n');
        const expected = gitIgnores(text);
        const ignore = parseIgnore(text);
        expect(paths.filter((path) => isIgnored(ignore, path))).toEqual(paths.filter((path) => expected.has(path)));
      }),
      { numRuns: 120 },
    );
  });

  test('comments, empty lines and spaces at the end say nothing', () => {
    const ignore = parseIgnore('# a comment\n\nb.log   \r\n');
    expect(isIgnored(ignore, 'b.log')).toBe(true);
    expect(isIgnored(ignore, '# a comment')).toBe(false);
  });

  test.each(['.git/config', 'node_modules/x/index.js', '.env', '.env.local', 'keys/server.pem', 'sub/.npmrc', 'x.zip'])(
    '%s is never sent',
    (path) => expect(isIgnored(alwaysIgnored, path)).toBe(true),
  );

  test.each(['src/index.ts', 'opslog.json', 'src/environment.ts', 'package.json', 'src/keyboard.ts'])(
    '%s is sent',
    (path) => expect(isIgnored(alwaysIgnored, path)).toBe(false),
  );
});
