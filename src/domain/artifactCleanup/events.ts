import type { Message } from '../kernel.ts';

/** One stream per cleanup ticket. `dueAt` leaves time for a submission that stored the same bytes to be recorded. */
export type ArtifactCleanupEvent =
  | Message<
      'ArtifactCleanupRequested',
      { workerId: string; digests: readonly string[]; reason: string; requestedAt: number; dueAt: number }
    >
  | Message<'ArtifactCleanupLeased', { leaseId: string; holder: string; attempt: number; leasedUntil: number }>
  | Message<'ArtifactCleanupRetryScheduled', { reason: string; nextAttemptAt: number }>
  | Message<'ArtifactCleanupCompleted', { removed: readonly string[]; kept: readonly string[] }>;
