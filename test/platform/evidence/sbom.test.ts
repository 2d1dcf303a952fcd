import { createHash } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import { z } from 'zod';
import type { Built } from '../../../src/platform/builder/port.ts';
import { npmPurl, packageFolderOf } from '../../../src/platform/evidence/packages.ts';
import { writeSbom } from '../../../src/platform/evidence/sbom.ts';
import { shop } from '../builder/projects.ts';
import { buildExample } from './example.ts';

const file = z.object({
  type: z.literal('file'),
  name: z.string(),
  hashes: z.array(z.object({ content: z.string() })),
});
const library = z.object({ type: z.literal('library'), name: z.string(), components: z.array(file) });
const bom = z.object({
  specVersion: z.literal('1.6'),
  serialNumber: z.string(),
  components: z.array(z.union([file, library])),
});
const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

let built: Built;
beforeAll(async () => {
  built = await buildExample();
});

it('the SBOM names every file that went into the bundle with its SHA-256, and no other', () => {
  const named = bom
    .parse(JSON.parse(built.sbom))
    .components.flatMap((component) => (component.type === 'library' ? component.components : [component]))
    .map((component) => [component.name, component.hashes[0]?.content]);
  const expected = Object.entries(shop)
    .filter(([path]) => path !== 'README.md' && !path.endsWith('package.json'))
    .map(([path, text]) => [path, sha256(text)]);
  expect(Object.fromEntries(named)).toEqual(Object.fromEntries(expected));
});

it('the SBOM names packages with version, licence and purl, and the tools with theirs', () => {
  const sbom = JSON.parse(built.sbom);
  expect(sbom.components.find((component: { type: string }) => component.type === 'library')).toMatchObject({
    name: 'left',
    version: '1.2.3',
    licenses: [{ expression: 'MIT OR Apache-2.0' }],
    purl: 'pkg:npm/left@1.2.3',
  });
  expect(sbom.metadata.tools.components).toEqual([
    { type: 'application', name: 'opslog', version: '9.9.9' },
    expect.objectContaining({ name: 'esbuild', purl: expect.stringMatching(/^pkg:npm\/esbuild@\d/) }),
  ]);
  expect(sbom.metadata.component.hashes).toEqual([{ alg: 'SHA-256', content: built.bundleDigest }]);
});

it('the SBOM carries no time, and a serial number that follows from the digests', async () => {
  const again = await buildExample();
  expect(again.sbom).toBe(built.sbom);
  expect(built.sbom).not.toMatch(/\d{4}-\d\d-\d\dT/);
  expect(bom.parse(JSON.parse(built.sbom)).serialNumber).toMatch(
    /^urn:uuid:[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
  );
});

it('every reference of the SBOM leads to one component, even with a package there twice', () => {
  const shared = { name: 'p', version: '1.0.0', licence: '', purl: 'pkg:npm/p@1.0.0', files: [] };
  const text = writeSbom({
    files: [],
    inputs: [],
    packages: [
      { ...shared, folder: 'node_modules/p' },
      { ...shared, folder: 'node_modules/q/node_modules/p' },
    ],
    entryPoint: 'a.ts',
    sourceDigest: 'a'.repeat(64),
    bundleDigest: 'b'.repeat(64),
    tools: { builderVersion: '1', esbuild: '1' },
  });
  const refs = JSON.parse(text).components.map((component: { 'bom-ref': string }) => component['bom-ref']);
  expect(new Set(refs).size).toBe(2);
});

it.each([
  ['MIT', { expression: 'MIT', acknowledgement: 'declared' }],
  ['(MIT OR GPL-3.0-only WITH Classpath-exception-2.0)', expect.objectContaining({ expression: expect.any(String) })],
  ['SEE LICENSE IN LICENCE.txt', { license: { name: 'SEE LICENSE IN LICENCE.txt', acknowledgement: 'declared' } }],
  ['UNLICENSED', { license: { name: 'UNLICENSED', acknowledgement: 'declared' } }],
])('the licence %j becomes an expression only when it is one', (licence, expected) => {
  const text = writeSbom({
    files: [],
    inputs: [],
    packages: [{ folder: 'node_modules/p', name: 'p', version: '1', licence, purl: 'pkg:npm/p@1', files: [] }],
    entryPoint: 'a.ts',
    sourceDigest: 'a'.repeat(64),
    bundleDigest: 'b'.repeat(64),
    tools: { builderVersion: '1', esbuild: '1' },
  });
  expect(JSON.parse(text).components[0].licenses).toEqual([expected]);
});

it.each([
  ['node_modules/a/index.js', 'node_modules/a'],
  ['node_modules/@s/a/lib/x.js', 'node_modules/@s/a'],
  ['sub/node_modules/a/node_modules/b/x.js', 'sub/node_modules/a/node_modules/b'],
  ['src/index.ts', undefined],
  ['src/not_node_modules/a/x.js', undefined],
])('the file %s belongs to the package in %s', (path, folder) => {
  expect(packageFolderOf(path)).toBe(folder);
});

it('a purl spells scopes and odd characters as the specification does', () => {
  expect(npmPurl('@scope/name', '1.0.0+build')).toBe('pkg:npm/%40scope/name@1.0.0%2Bbuild');
  expect(npmPurl('name', '')).toBe('pkg:npm/name');
});
