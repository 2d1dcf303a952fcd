/** One file of a submission. Paths are relative, with forward slashes. */
export type SourceFile = { readonly path: string; readonly bytes: Uint8Array };

export type Project = {
  /** Sorted by path; no two the same. */
  readonly files: readonly SourceFile[];
  readonly language: 'javascript' | 'typescript';
  readonly entryPoint: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
};

/** Every expected "no" of reading or building a submission; each is a problem code with a page in docs/problems. */
export type SubmissionRejection =
  | 'ArchiveBroken'
  | 'ArchiveTooLarge'
  | 'ArchiveEntryRefused'
  | 'SubmissionTooLarge'
  | 'SubmissionPathRefused'
  | 'SubmissionPathDuplicate'
  | 'SubmissionFileNotText'
  | 'SubmissionEmpty'
  | 'EntryPointMissing'
  | 'SourceSyntaxInvalid'
  | 'ImportUnresolved'
  | 'BundleTooLarge'
  | 'BuildTimedOut';

export type Refused = {
  readonly rejected: SubmissionRejection;
  readonly reason: string;
  readonly field?: string;
  readonly details?: Readonly<Record<string, string | number>>;
};

export type Built = {
  /** The canonical form of the source: same files, same bytes, whatever archive they came in. */
  readonly source: Uint8Array;
  readonly sourceDigest: string;
  /** One ES module. */
  readonly bundle: Uint8Array;
  readonly bundleDigest: string;
  /** CycloneDX JSON text and the digest of that text. */
  readonly sbom: string;
  readonly sbomDigest: string;
  /** A DSSE envelope, JSON text, signed by this installation's build key. */
  readonly buildReceipt: string;
  readonly warnings: readonly string[];
};

export const isRefused = <T extends object>(value: T | Refused): value is Refused => 'rejected' in value;

export type Builder = {
  /**
   * Bundles and writes the evidence. Throws BuilderBusy when too many builds wait and BundlerFailed when esbuild itself
   * can't work; everything that lies with the submission is a Refused.
   */
  readonly build: (project: Project) => Promise<Built | Refused>;
  /** The same from the stored source. Throws SourceNotCanonical when it isn't what `build` stored. */
  readonly rebuild: (source: Uint8Array) => Promise<Built | Refused>;
  /** Ends the bundling processes; builds under way or waiting throw BundlerFailed. */
  readonly close: () => void;
};
