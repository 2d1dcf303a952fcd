import type { BuildKey } from '../evidence/keys.ts';
import { packagesOf } from '../evidence/packages.ts';
import { writeReceipt } from '../evidence/receipt.ts';
import { sha256, writeSbom } from '../evidence/sbom.ts';
import type { Bundled } from './bundleProtocol.ts';
import { createBundleService } from './bundleService.ts';
import { type BuildLimits, buildLimits } from './limits.ts';
import { normalisePath, showPath } from './paths.ts';
import { type Builder, type Built, isRefused, type Project, type Refused } from './port.ts';
import { readSource, writeSource } from './source.ts';

export type BuilderOptions = {
  readonly signer: BuildKey;
  /** Version of this program, for SBOM and receipt. */
  readonly builderVersion: string;
  readonly limits?: BuildLimits;
};

export const createBuilder = ({ signer, builderVersion, limits = buildLimits }: BuilderOptions): Builder => {
  const service = createBundleService(limits);

  const buildCanonical = async (project: Project, source: Uint8Array): Promise<Built | Refused> => {
    const missing = checkEntryPoint(project);
    if (missing !== undefined) return missing;
    const bundled = await service.bundle(project);
    if (isRefused(bundled)) return bundled;
    const refused = checkBundle(project.entryPoint, bundled, limits);
    return refused ?? withEvidence(project, source, bundled);
  };

  const withEvidence = (project: Project, source: Uint8Array, bundled: Bundled): Built => {
    const { files, ...settings } = project;
    const bundle = new Uint8Array(bundled.code);
    const shared = {
      sourceDigest: sha256(source),
      bundleDigest: sha256(bundle),
      packages: packagesOf(files, bundled.inputs),
      tools: { builderVersion, esbuild: bundled.esbuild },
    };
    const sbom = writeSbom({ ...shared, files, inputs: bundled.inputs, entryPoint: project.entryPoint });
    const sbomDigest = sha256(sbom);
    const plain = { ...settings, compatibilityFlags: [...settings.compatibilityFlags] };
    return {
      source,
      sourceDigest: shared.sourceDigest,
      bundle,
      bundleDigest: shared.bundleDigest,
      sbom,
      sbomDigest,
      buildReceipt: writeReceipt({ ...shared, sbomDigest, settings: plain }, signer),
      warnings: [...bundled.warnings, ...hints(project, bundled)],
    };
  };

  return {
    build: (project) => {
      // Built from what will be stored, never from what came in: then a rebuild can't differ.
      const source = writeSource({ ...project, entryPoint: normalisePath(project.entryPoint) });
      return buildCanonical(readSource(source), source);
    },
    rebuild: async (source) => buildCanonical(readSource(source), source),
    close: service.close,
  };
};

const SOURCE_FILE = /\.(?:ts|tsx|mts|js|jsx|mjs)$/;

const checkEntryPoint = ({ entryPoint, files }: Project): Refused | undefined => {
  const shown = showPath(entryPoint);
  const refused = (reason: string): Refused => ({
    rejected: 'EntryPointMissing',
    reason,
    field: 'entryPoint',
    details: { entry: shown },
  });
  if (!files.some((file) => file.path === entryPoint)) {
    const near = files.find((file) => file.path.endsWith(`/${entryPoint}`) || entryPoint.endsWith(`/${file.path}`));
    return refused(
      `The submission has no file "${shown}".${near === undefined ? '' : ` Did you mean "${near.path}"?`}`,
    );
  }
  return SOURCE_FILE.test(entryPoint) ? undefined : refused(`"${shown}" is neither JavaScript nor TypeScript.`);
};

const checkBundle = (entryPoint: string, { code, exports }: Bundled, limits: BuildLimits): Refused | undefined => {
  if (code.length > limits.bundleBytes)
    return {
      rejected: 'BundleTooLarge',
      reason: `The bundle is ${code.length} bytes; ${limits.bundleBytes} are allowed.`,
      details: { bytes: code.length, limit: limits.bundleBytes },
    };
  if (!exports.includes('default'))
    return {
      rejected: 'EntryPointMissing',
      reason: `"${entryPoint}" has no default export. A worker answers through: export default { fetch(request) { … } }`,
      field: 'entryPoint',
      details: { entry: entryPoint, exports: exports.join(', ') },
    };
  return undefined;
};

const hints = ({ entryPoint, language }: Project, { code }: Bundled): readonly string[] => [
  // A handler may come from a library, so that its absence is only certain when the word is nowhere.
  ...(Buffer.from(code).includes('fetch')
    ? []
    : [`The word "fetch" is nowhere in the bundle: the worker will not answer requests.`]),
  ...(language === 'javascript' && /\.m?tsx?$/.test(entryPoint)
    ? [`The language is "javascript", but "${entryPoint}" is TypeScript.`]
    : []),
];
