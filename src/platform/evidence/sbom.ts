import { createHash } from 'node:crypto';
import type { SourceFile } from '../builder/port.ts';
import { type BundledPackage, npmPurl, packageFolderOf } from './packages.ts';

export type BuildTools = { readonly builderVersion: string; readonly esbuild: string };

export type SbomInput = {
  readonly files: readonly SourceFile[];
  readonly inputs: readonly string[];
  readonly packages: readonly BundledPackage[];
  readonly entryPoint: string;
  readonly sourceDigest: string;
  readonly bundleDigest: string;
  readonly tools: BuildTools;
};

export const sha256 = (bytes: Uint8Array | string): string => createHash('sha256').update(bytes).digest('hex');

/**
 * CycloneDX 1.6 JSON of everything that went into the bundle: the worker's own files, and packages with theirs inside. It
 * follows from the build alone: the serial number comes from the digests, and there is no time in it.
 */
export const writeSbom = (input: SbomInput): string => {
  const own = input.files.filter(
    (file) => input.inputs.includes(file.path) && packageFolderOf(file.path) === undefined,
  );
  const packages = input.packages.map(packageComponent);
  const refs = [...own.map(fileRef), ...packages.map((component) => component['bom-ref'])];
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.6.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    serialNumber: serialNumber(sha256(`${input.sourceDigest} ${input.bundleDigest}`)),
    version: 1,
    metadata: {
      component: {
        type: 'application',
        'bom-ref': 'worker.js',
        name: 'worker.js',
        version: input.bundleDigest,
        hashes: [sha256Hash(input.bundleDigest)],
        properties: [
          { name: 'opslog:entryPoint', value: input.entryPoint },
          { name: 'opslog:sourceDigest', value: input.sourceDigest },
        ],
      },
      tools: {
        components: [
          { type: 'application', name: 'opslog', version: input.tools.builderVersion },
          {
            type: 'application',
            name: 'esbuild',
            version: input.tools.esbuild,
            purl: npmPurl('esbuild', input.tools.esbuild),
          },
        ],
      },
    },
    components: [...own.map(fileComponent), ...packages],
    dependencies: [{ ref: 'worker.js', dependsOn: refs }, ...refs.map((ref) => ({ ref }))],
    compositions: [{ aggregate: 'complete', assemblies: ['worker.js'] }],
  };
  return `${JSON.stringify(bom, null, 2)}\n`;
};

const sha256Hash = (content: string) => ({ alg: 'SHA-256', content });
const fileRef = (file: SourceFile): string => `file:${file.path}`;

const fileComponent = (file: SourceFile) => ({
  type: 'file',
  'bom-ref': fileRef(file),
  name: file.path,
  hashes: [sha256Hash(sha256(file.bytes))],
});

const packageComponent = (found: BundledPackage) => ({
  type: 'library',
  'bom-ref': `package:${found.folder}`,
  name: found.name,
  ...(found.version === '' ? {} : { version: found.version }),
  ...(found.licence === '' ? {} : { licenses: [licence(found.licence)] }),
  purl: found.purl,
  components: found.files.map(fileComponent),
});

/** An SPDX expression where it reads as one; free text such as "SEE LICENSE IN x" stays a name. */
const licence = (text: string) =>
  /^\(*[A-Za-z0-9.+-]+\)*(?: (?:AND|OR|WITH) \(*[A-Za-z0-9.+-]+\)*)*$/.test(text) && text !== 'UNLICENSED'
    ? { expression: text, acknowledgement: 'declared' }
    : { license: { name: text, acknowledgement: 'declared' } };

/** A version 8 UUID (its content is ours to choose) from the first digits of a digest. */
const serialNumber = (digest: string): string => {
  const variant = ((Number.parseInt(digest.slice(16, 17), 16) & 0x3) | 0x8).toString(16);
  const parts = [
    digest.slice(0, 8),
    digest.slice(8, 12),
    `8${digest.slice(13, 16)}`,
    `${variant}${digest.slice(17, 20)}`,
  ];
  return `urn:uuid:${[...parts, digest.slice(20, 32)].join('-')}`;
};
