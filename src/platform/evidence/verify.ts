import { openEnvelope, parseJson } from './dsse.ts';
import { type BuildSettings, readStatement, STATEMENT_TYPE } from './receipt.ts';
import { sha256 } from './sbom.ts';

export type Evidence = {
  readonly bundle: Uint8Array;
  readonly sbom: string;
  readonly buildReceipt: string;
  /** PEM, of every build key that is trusted. */
  readonly publicKeys: readonly string[];
  /** The stored source, where it is at hand: then it is checked as well. */
  readonly source?: Uint8Array;
};

export type EvidenceProblem =
  | 'EnvelopeMalformed'
  | 'KeyUnknown'
  | 'SignatureInvalid'
  | 'StatementUnsupported'
  | 'BundleMismatch'
  | 'SbomMismatch'
  | 'SourceMismatch';

export type Verified = {
  readonly ok: true;
  readonly keyId: string;
  readonly bundleDigest: string;
  readonly sbomDigest: string;
  readonly sourceDigest: string;
  readonly settings: BuildSettings;
  readonly builder: { readonly opslog: string; readonly esbuild: string };
};

/**
 * Checks offline that these are the bundle and the SBOM that a trusted builder signed for. A change of any byte of either,
 * or of the receipt, is found.
 */
export const verifyEvidence = (
  evidence: Evidence,
): Verified | { readonly ok: false; readonly problem: EvidenceProblem } => {
  const opened = openEnvelope(evidence.buildReceipt, STATEMENT_TYPE, evidence.publicKeys);
  if (!opened.ok) return opened;
  const statement = readStatement(parseJson(opened.payload));
  if (statement === undefined) return { ok: false, problem: 'StatementUnsupported' };
  const { buildDefinition, runDetails } = statement.predicate;
  const bundleDigest = statement.subject[0].digest.sha256;
  const sbomDigest = runDetails.byproducts[0].digest.sha256;
  const sourceDigest = buildDefinition.resolvedDependencies[0].digest.sha256;
  if (sha256(evidence.bundle) !== bundleDigest) return { ok: false, problem: 'BundleMismatch' };
  if (sha256(evidence.sbom) !== sbomDigest) return { ok: false, problem: 'SbomMismatch' };
  if (evidence.source !== undefined && sha256(evidence.source) !== sourceDigest)
    return { ok: false, problem: 'SourceMismatch' };
  return {
    ok: true,
    keyId: opened.keyId,
    bundleDigest,
    sbomDigest,
    sourceDigest,
    settings: buildDefinition.externalParameters,
    builder: runDetails.builder.version,
  };
};
