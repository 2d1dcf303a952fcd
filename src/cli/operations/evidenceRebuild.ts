import { createBuilder } from '../../platform/builder/builder.ts';
import { temporaryBuildKey } from '../../platform/evidence/keys.ts';
import { rebuildEvidence } from '../../platform/evidence/rebuild.ts';
import { version } from '../../version.ts';
import { load } from './evidenceVerify.ts';
import { revisionCheck } from './submissions.ts';

/** Builds revisions again from their stored source: the same source must give the same bundle, byte for byte. */
export const evidenceRebuild = revisionCheck('evidence-rebuild', ({ artifacts }) => {
  const builder = createBuilder({ signer: temporaryBuildKey(), builderVersion: version });
  return {
    judge: async ({ facts }) => {
      const source = await load(artifacts, facts.sourceDigest);
      if (typeof source === 'string') return `Source${source}`;
      const rebuilt = await rebuildEvidence(builder, { source, bundleDigest: facts.bundleDigest });
      return rebuilt.ok ? '' : rebuilt.problem;
    },
    close: builder.close,
  };
});
