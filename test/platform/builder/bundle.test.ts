import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { bundle } from '../../../src/platform/builder/bundle.ts';
import type { Bundled } from '../../../src/platform/builder/bundleProtocol.ts';
import { isRefused, type Refused } from '../../../src/platform/builder/port.ts';
import { projectOf, shop, type Texts } from './projects.ts';

const bundleOf = (texts: Texts, settings: Parameters<typeof projectOf>[1] = {}) => bundle(projectOf(texts, settings));
const codeOf = (result: Bundled | Refused): string => {
  if (isRefused(result)) throw new Error(result.reason);
  return Buffer.from(result.code).toString();
};

/** Runs a bundle as the module that it is; the sources in these tests are ours. */
const run = async (texts: Texts, settings: Parameters<typeof projectOf>[1] = {}): Promise<unknown> => {
  const code = codeOf(await bundleOf(texts, settings));
  const module: unknown = await import(`data:text/javascript;base64,${Buffer.from(code).toString('base64')}`);
  return typeof module === 'object' && module !== null && 'default' in module ? module.default : undefined;
};

describe('a bundle', () => {
  it('holds the files that the entry point reaches, and names them', async () => {
    const result = await bundleOf(shop);
    expect(isRefused(result) ? result : result.inputs).toEqual([
      'config.json',
      'node_modules/left/lib/index.js',
      'node_modules/left/lib/pad.js',
      'src/greet.ts',
      'src/index.ts',
      'src/page.txt',
    ]);
    expect(codeOf(result)).toContain('Hello ☃ ');
    expect(codeOf(result)).not.toContain('Not part of the bundle');
  });

  it('is the same for files given in any order, from any folder', async () => {
    const first = await bundleOf(shop);
    const before = process.cwd();
    const elsewhere = await mkdtemp(join(tmpdir(), 'opslog-cwd-'));
    try {
      process.chdir(elsewhere);
      const { files, ...rest } = projectOf(shop);
      expect(codeOf(await bundle({ ...rest, files: files.toReversed() }))).toBe(codeOf(first));
    } finally {
      process.chdir(before);
      await rm(elsewhere, { recursive: true });
    }
    expect(codeOf(first)).not.toContain(before);
  });

  it('sees no file of this machine: no tsconfig, no package, no absolute or climbing path', async () => {
    const outside = await mkdtemp(join(tmpdir(), 'opslog-outside-'));
    await mkdir(join(outside, 'node_modules/secret'), { recursive: true });
    await writeFile(join(outside, 'node_modules/secret/index.js'), 'export default "stolen"');
    await writeFile(join(outside, 'plain.js'), 'export default "stolen"');
    await writeFile(join(outside, 'tsconfig.json'), '{ "compilerOptions": { "paths": { "secret": ["./plain.js"] } } }');
    const before = process.cwd();
    try {
      process.chdir(outside);
      const paths = ['secret', './plain.js', '../plain.js', '../../../../etc/passwd', join(outside, 'plain.js')];
      for (const path of [
        ...paths,
        `file://${outside}/plain.js`,
        'https://example.com/x.js',
        'data:text/javascript,1',
      ]) {
        const source = `import x from ${JSON.stringify(path)}; export default { fetch: x };`;
        const result = await bundleOf({ 'src/index.ts': source, 'tsconfig.json': '{ "extends": "../tsconfig.json" }' });
        expect([path, isRefused(result) && result.rejected]).toEqual([path, 'ImportUnresolved']);
      }
    } finally {
      process.chdir(before);
      await rm(outside, { recursive: true });
    }
  });

  it.each([
    ['./a', 'src/a.ts'],
    ['./a', 'src/a.tsx'],
    ['./a', 'src/a.js'],
    ['./a', 'src/a.mjs'],
    ['./a', 'src/a.jsx'],
    ['./a', 'src/a/index.ts'],
    ['./a.js', 'src/a.ts'],
    ['./a.js', 'src/a.tsx'],
    ['./a.mjs', 'src/a.mts'],
    ['../lib/a.ts', 'lib/a.ts'],
    ['..', 'index.ts'],
    ['./cafe\u0301.ts', 'src/caf\u00e9.ts'],
  ])('resolves %j to %s', async (specifier, file) => {
    const source = `import { x } from ${JSON.stringify(specifier)}; export default x;`;
    expect(await run({ 'src/index.ts': source, [file]: 'export const x = 42;' })).toBe(42);
  });

  it('takes JSON and text as values, with and without import attributes', async () => {
    const source = `import a from './a.json'; import b from './b.txt'; import c from './a.json' with { type: 'json' };
      export default [a.n, b, c.n];`;
    expect(await run({ 'src/index.ts': source, 'src/a.json': '{"n":1}', 'src/b.txt': 'text' })).toEqual([1, 'text', 1]);
  });

  it('strips types without checking them, and lowers what the runtime lacks', async () => {
    const source = `const wrong: number = 'a string'; enum Colour { Red = 'red' }
      const twice = (value: unknown, _context: unknown) => value;
      class A { @twice b() { return Colour.Red; } }
      export default [wrong, new A().b()];`;
    expect(await run({ 'src/index.ts': source })).toEqual(['a string', 'red']);
  });

  it('answers process.env.NODE_ENV, which many packages ask', async () => {
    expect(await run({ 'src/index.ts': 'export default process.env.NODE_ENV' })).toBe('production');
  });
});

describe('a package in node_modules', () => {
  const use = (specifier: string) => ({
    'src/index.ts': `import x from ${JSON.stringify(specifier)}; export default x;`,
  });
  const at = (folder: string, manifest: object, files: Texts): Texts => ({
    [`${folder}/package.json`]: JSON.stringify(manifest),
    ...Object.fromEntries(Object.entries(files).map(([path, text]) => [`${folder}/${path}`, text])),
  });

  it.each([
    ['p', { main: 'm.js' }],
    ['p', { main: './m' }],
    ['p', { module: 'm.js', main: 'absent.js' }],
    ['p', { exports: './m.js' }],
    ['p', { exports: { '.': './m.js' } }],
    ['p', { exports: { import: './m.js', require: './absent.js' } }],
    ['p', { exports: { '.': { node: './absent.js', workerd: './m.js', default: './absent.js' } } }],
    ['p', { exports: { '.': [{ node: './absent.js' }, './m.js'] } }],
    ['p/m', { exports: { './*': './*.js' } }],
    ['p/m.js', { exports: { './*': './*' } }],
    ['p/deep/m', { exports: { './*': './absent/*.js', './deep/*': './*.js' } }],
    ['p/m', {}],
    ['p/m.js', {}],
  ])('answers for %j with the manifest %j', async (specifier, manifest) => {
    expect(await run({ ...use(specifier), ...at('node_modules/p', manifest, { 'm.js': 'export default 42' }) })).toBe(
      42,
    );
  });

  it('is looked for from the importing file upwards, nearest first', async () => {
    const outer = at('node_modules/dep', {}, { 'index.js': 'export default "outer"' });
    const inner = at('node_modules/p/node_modules/dep', {}, { 'index.js': 'export default "inner"' });
    const p = at('node_modules/p', {}, { 'index.js': 'export { default } from "dep"' });
    expect(await run({ ...use('p'), ...p, ...outer })).toBe('outer');
    expect(await run({ ...use('p'), ...p, ...outer, ...inner })).toBe('inner');
  });

  it('may have a scope, and private names by "imports"', async () => {
    const files = { 'index.js': 'export { default } from "#secret/a"', 'src/a.js': 'export default 42' };
    const manifest = { imports: { '#secret/*': './src/*.js' } };
    expect(await run({ ...use('@team/p'), ...at('node_modules/@team/p', manifest, files) })).toBe(42);
  });

  it.each([
    ['p/m.js', { exports: { '.': './m.js' } }],
    ['p/private', { exports: { './*': './*.js', './private': null } }],
    ['p', { exports: '../../../etc/passwd' }],
    ['p', { exports: './../../src/index.ts' }],
    ['p/../../src/index.ts', { exports: { './*': './*' } }],
    ['p/../../src/index.ts', {}],
    ['p', { main: '../../../outside.js' }],
    ['p', { exports: { node: './m.js' } }],
    ['__proto__', {}],
    ['p/constructor', { exports: { './a': './m.js' } }],
  ])('does not answer for %j with the manifest %j', async (specifier, manifest) => {
    const result = await bundleOf({
      ...use(specifier),
      ...at('node_modules/p', manifest, { 'm.js': 'export default 1' }),
    });
    expect(isRefused(result) && result.rejected).toBe('ImportUnresolved');
  });
});

describe('what the runtime provides', () => {
  const node = { compatibilityFlags: ['nodejs_compat'] };

  it('stays an import: cloudflare modules always, Node modules with the flag', async () => {
    expect(
      codeOf(await bundleOf({ 'src/index.ts': `export * from 'cloudflare:workers'; export default 1` })),
    ).toContain('from "cloudflare:workers"');
    const source = `import { Buffer } from 'node:buffer'; import { join } from 'path'; export default [Buffer, join];`;
    const code = codeOf(await bundleOf({ 'src/index.ts': source }, node));
    expect(code).toContain('from "node:buffer"');
    expect(code).toContain('from "node:path"');
  });

  it('works for packages that still call require()', async () => {
    const files = {
      'src/index.ts': `import x from 'p'; export default x;`,
      'node_modules/p/index.js': `module.exports = require('path').posix.join('a', 'b')`,
    };
    expect(await run(files, node)).toBe('a/b');
  });

  it('is refused without the flag, and the answer names the flag', async () => {
    const result = await bundleOf({
      'src/index.ts': `\nimport { readFileSync } from 'node:fs'; export default readFileSync;`,
    });
    expect(result).toMatchObject({
      rejected: 'ImportUnresolved',
      details: { file: 'src/index.ts', line: 2, column: 30 },
    });
    expect(isRefused(result) && result.details?.['hint']).toContain('"nodejs_compat"');
  });
});

describe('a refusal', () => {
  it('of a syntax error names file, line and column as an editor shows them', async () => {
    const result = await bundleOf({
      'src/index.ts': `import './broken.ts'; export default {};`,
      'src/broken.ts': `const ok = 1;\nconst ☃é = ;\n`,
    });
    expect(result).toMatchObject({
      rejected: 'SourceSyntaxInvalid',
      details: { file: 'src/broken.ts', line: 2 },
    });
    const other = await bundleOf({ 'src/index.ts': `const é = 'ééé' + ;` });
    expect(other).toMatchObject({
      details: { file: 'src/index.ts', line: 1, column: 19, text: 'Unexpected ";"', others: 0 },
    });
  });

  it('of an import names the place and a way out', async () => {
    const result = await bundleOf({ 'src/index.ts': `import hono from 'hono';\nexport default hono;` });
    expect(result).toMatchObject({
      rejected: 'ImportUnresolved',
      details: { file: 'src/index.ts', line: 1, column: 18, text: 'Could not resolve the package "hono"' },
    });
    expect(isRefused(result) && result.reason).toContain('node_modules/hono');
  });

  it('of a name that a file does not export is an unresolved import', async () => {
    const result = await bundleOf({
      'src/index.ts': `import { x } from './a.ts'; export default x;`,
      'src/a.ts': 'export const y = 1',
    });
    expect(result).toMatchObject({
      rejected: 'ImportUnresolved',
      details: { file: 'src/index.ts', line: 1, column: 10 },
    });
  });

  it('of several errors is the first by place, with the others counted', async () => {
    const source = `import './z'; import './y'; import './x'; export default {};`;
    const result = await bundleOf({ 'src/index.ts': source });
    expect(result).toMatchObject({ details: { column: 8, others: 2 } });
  });

  it('of a file that is no module names the file', async () => {
    const result = await bundleOf({ 'src/index.ts': `import './a.css'; export default {};`, 'src/a.css': 'a {}' });
    expect(result).toMatchObject({ rejected: 'ImportUnresolved', details: { file: 'src/index.ts' } });
  });

  it('of a JSON file that is none is a syntax error in that file', async () => {
    const result = await bundleOf({
      'src/index.ts': `import a from './a.json'; export default a;`,
      'src/a.json': '{ bad',
    });
    expect(result).toMatchObject({ rejected: 'SourceSyntaxInvalid', details: { file: 'src/a.json', line: 1 } });
  });

  it.each(['import', 'require'])(
    'of a computed path in %s() is the same whatever is on the disk, and gives nothing of it away',
    async (by) => {
      const folder = await mkdtemp(join(tmpdir(), 'opslog-computed-'));
      await mkdir(join(folder, 'full'));
      await mkdir(join(folder, 'void'));
      await writeFile(join(folder, 'void/readme'), 'not a module');
      await writeFile(join(folder, 'full/a.js'), 'export default "stolen"');
      await writeFile(join(folder, 'full/b.js'), 'export default "stolen"');
      // esbuild looks from the folder in which it was started.
      const from = (name: string) => `${relative(process.cwd(), join(folder, name))}/`;
      try {
        const answers = await Promise.all(
          ['full', 'void', 'none'].map((path) =>
            bundleOf({ 'src/index.ts': `export default (name) => ${by}("${from(path)}" + name + ".js");` }),
          ),
        );
        expect(answers[0]).toMatchObject({
          rejected: 'ImportUnresolved',
          details: { file: 'src/index.ts', line: 1, text: 'Could not resolve a computed path', others: 0 },
        });
        for (const answer of answers) expect(answer).toEqual(answers[0]);
        const beside = await Promise.all(
          ['full', 'void', 'none'].map((path) =>
            bundleOf({ 'src/index.ts': `import 'x'; export default (name) => ${by}("${from(path)}" + name + ".js");` }),
          ),
        );
        expect(beside[0]).toMatchObject({ details: { others: 1 } });
        for (const answer of beside) expect(answer).toEqual(beside[0]);
      } finally {
        await rm(folder, { recursive: true });
      }
    },
  );
});
