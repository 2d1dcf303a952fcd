/** Of each worker and node. Bytes unless the name says otherwise. */
export type WorkerLogLimits = {
  /** A segment that has come to this is followed by another. */
  readonly segmentBytes: number;
  readonly segments: number;
  /** What is longer is cut. */
  readonly messageBytes: number;
  /** Waiting to be written; what comes beyond is dropped and counted. */
  readonly pendingBytes: number;
};

const kibibyte = 1024;

export const workerLogLimits: WorkerLogLimits = {
  segmentBytes: 1024 * kibibyte,
  segments: 2,
  messageBytes: 8 * kibibyte,
  pendingBytes: 512 * kibibyte,
};

/** A message of these bytes, each escaped, with all that stands around it. */
export const longestLine = (messageBytes: number): number => messageBytes * 6 + kibibyte;
