/** What one submission may be. Bytes unless the name says otherwise. */
export type SubmissionLimits = {
  readonly files: number;
  readonly bytes: number;
  readonly bytesPerFile: number;
  readonly pathBytes: number;
  readonly pathDepth: number;
  readonly archiveBytes: number;
  /** Unpacked bytes per packed byte, judged once an archive has unpacked to more than `ratioFreeBytes`. */
  readonly ratio: number;
  readonly ratioFreeBytes: number;
};

const MiB = 1024 * 1024;

export const submissionLimits: SubmissionLimits = {
  files: 500,
  bytes: 5 * MiB,
  bytesPerFile: MiB,
  pathBytes: 255,
  pathDepth: 16,
  archiveBytes: 5 * MiB,
  ratio: 200,
  ratioFreeBytes: MiB,
};

/** What one build may use; `queue` is how many builds may wait for a free slot. */
export type BuildLimits = {
  readonly bundleBytes: number;
  readonly timeMs: number;
  /** Resident memory of a bundling process, watched on Linux. */
  readonly memoryBytes: number;
  /** A process that holds more than this after a build is replaced, so that one build never pays for another. */
  readonly restingBytes: number;
  readonly concurrency: number;
  readonly queue: number;
};

export const buildLimits: BuildLimits = {
  bundleBytes: 3 * MiB,
  timeMs: 10_000,
  memoryBytes: 512 * MiB,
  restingBytes: 160 * MiB,
  concurrency: 3,
  queue: 16,
};
