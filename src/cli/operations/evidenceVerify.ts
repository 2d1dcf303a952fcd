import type { ArtifactStore } from '../../platform/artifacts/port.ts';
import { verifyEvidence } from '../../platform/evidence/verify.ts';
import { revisionCheck, type Submission } from './submissions.ts';

/** Checks signature, digests and SBOM of revisions against what the artifact store holds. */
export const evidenceVerify = revisionCheck('evidence-verify', ({ artifacts, buildKey }) => ({
  judge: (submission) => judge(submission, artifacts, [buildKey.publicKey]),
  close: () => {},
}));

const judge = async (
  { facts }: Submission,
  artifacts: ArtifactStore,
  publicKeys: readonly string[],
): Promise<string> => {
  const { sbom, buildReceipt } = facts;
  const bundle = await load(artifacts, facts.bundleDigest);
  if (typeof bundle === 'string') return `Bundle${bundle}`;
  const source = await load(artifacts, facts.sourceDigest);
  if (typeof source === 'string') return `Source${source}`;
  const verified = verifyEvidence({ bundle, sbom, buildReceipt, publicKeys, source });
  if (!verified.ok) return verified.problem;
  const fits = verified.bundleDigest === facts.bundleDigest && verified.sbomDigest === facts.sbomDigest;
  return fits && verified.sourceDigest === facts.sourceDigest ? '' : 'LogMismatch';
};

/** The bytes, or why there are none: the store checks what it reads. */
export const load = async (artifacts: ArtifactStore, digest: string): Promise<Uint8Array | 'Missing' | 'Corrupt'> => {
  try {
    return (await artifacts.get(digest)) ?? 'Missing';
  } catch (error) {
    if (error instanceof Error && error.name === 'ArtifactCorrupt') return 'Corrupt';
    throw error;
  }
};
