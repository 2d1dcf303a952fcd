import { type Builder, type Built, isRefused, type Refused } from '../builder/port.ts';

export type Rebuilt =
  | { readonly ok: true; readonly built: Built }
  | { readonly ok: false; readonly problem: 'BundleDiffers'; readonly built: Built }
  | { readonly ok: false; readonly problem: 'BuildRefused'; readonly refused: Refused };

/**
 * Builds a revision again from its stored source and compares the digests of the bundles. A difference means that the
 * bundle or its digest was changed, or that the tools are of other versions than the receipt names.
 */
export const rebuildEvidence = async (
  builder: Pick<Builder, 'rebuild'>,
  stored: { readonly source: Uint8Array; readonly bundleDigest: string },
): Promise<Rebuilt> => {
  const built = await builder.rebuild(stored.source);
  if (isRefused(built)) return { ok: false, problem: 'BuildRefused', refused: built };
  if (built.bundleDigest !== stored.bundleDigest) return { ok: false, problem: 'BundleDiffers', built };
  return { ok: true, built };
};
