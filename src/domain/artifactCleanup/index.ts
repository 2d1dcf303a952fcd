import type { Decider } from '../kernel.ts';
import { type ArtifactCleanupCommand, type ArtifactCleanupRejection, decide } from './decide.ts';
import type { ArtifactCleanupEvent } from './events.ts';
import { type ArtifactCleanup, evolve, initial } from './state.ts';

export const artifactCleanup: Decider<
  ArtifactCleanupCommand,
  ArtifactCleanupEvent,
  ArtifactCleanup,
  ArtifactCleanupRejection
> = {
  category: 'artifactCleanup',
  events: {
    ArtifactCleanupRequested: true,
    ArtifactCleanupLeased: true,
    ArtifactCleanupRetryScheduled: true,
    ArtifactCleanupCompleted: true,
  },
  initial,
  decide,
  evolve,
};
export type { ArtifactCleanup, ArtifactCleanupCommand, ArtifactCleanupEvent, ArtifactCleanupRejection };
