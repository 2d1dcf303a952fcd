import { z } from 'zod';
import { sealEnvelope } from './dsse.ts';
import type { BuildKey } from './keys.ts';
import type { BundledPackage } from './packages.ts';
import type { BuildTools } from './sbom.ts';

export const STATEMENT_TYPE = 'application/vnd.in-toto+json';
const BUILD_TYPE = 'urn:opslog:edge-worker-build:1';

const digestForm = z.strictObject({ sha256: z.string().regex(/^[0-9a-f]{64}$/) });

/** An in-toto Statement v1 with a SLSA v1 provenance, as narrow as we write it. */
const statementForm = z.strictObject({
  _type: z.literal('https://in-toto.io/Statement/v1'),
  subject: z.tuple([z.strictObject({ name: z.literal('worker.js'), digest: digestForm })]),
  predicateType: z.literal('https://slsa.dev/provenance/v1'),
  predicate: z.strictObject({
    buildDefinition: z.strictObject({
      buildType: z.literal(BUILD_TYPE),
      externalParameters: z.strictObject({
        language: z.enum(['javascript', 'typescript']),
        entryPoint: z.string(),
        compatibilityDate: z.string(),
        compatibilityFlags: z.array(z.string()),
      }),
      resolvedDependencies: z.tuple(
        [z.strictObject({ name: z.literal('source'), digest: digestForm })],
        z.strictObject({ name: z.string(), uri: z.string() }),
      ),
    }),
    runDetails: z.strictObject({
      builder: z.strictObject({
        id: z.string(),
        version: z.strictObject({ opslog: z.string(), esbuild: z.string() }),
      }),
      byproducts: z.tuple([
        z.strictObject({
          name: z.literal('sbom.cdx.json'),
          digest: digestForm,
          mediaType: z.literal('application/vnd.cyclonedx+json'),
        }),
      ]),
    }),
  }),
});

export type BuildSettings = Statement['predicate']['buildDefinition']['externalParameters'];
export type Statement = z.infer<typeof statementForm>;

export type ReceiptInput = {
  readonly settings: BuildSettings;
  readonly sourceDigest: string;
  readonly bundleDigest: string;
  readonly sbomDigest: string;
  readonly packages: readonly BundledPackage[];
  readonly tools: BuildTools;
};

/** The signed receipt. No time is in it: the same build by the same key gives the same bytes, and the log knows when. */
export const writeReceipt = (input: ReceiptInput, signer: BuildKey): string => {
  const statement: Statement = {
    _type: 'https://in-toto.io/Statement/v1',
    subject: [{ name: 'worker.js', digest: { sha256: input.bundleDigest } }],
    predicateType: 'https://slsa.dev/provenance/v1',
    predicate: {
      buildDefinition: {
        buildType: BUILD_TYPE,
        externalParameters: input.settings,
        resolvedDependencies: [
          { name: 'source', digest: { sha256: input.sourceDigest } },
          ...input.packages.map(({ folder, purl }) => ({ name: folder, uri: purl })),
        ],
      },
      runDetails: {
        builder: {
          id: `urn:opslog:builder:${signer.keyId}`,
          version: { opslog: input.tools.builderVersion, esbuild: input.tools.esbuild },
        },
        byproducts: [
          { name: 'sbom.cdx.json', digest: { sha256: input.sbomDigest }, mediaType: 'application/vnd.cyclonedx+json' },
        ],
      },
    },
  };
  return sealEnvelope(STATEMENT_TYPE, JSON.stringify(statement), signer);
};

export const readStatement = (payload: unknown): Statement | undefined => {
  const parsed = statementForm.safeParse(payload);
  return parsed.success ? parsed.data : undefined;
};
