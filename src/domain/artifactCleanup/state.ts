import type { ArtifactCleanupEvent } from './events.ts';

export type ArtifactCleanup =
  | { readonly status: 'absent' }
  | {
      readonly status: 'pending' | 'leased' | 'completed';
      readonly workerId: string;
      readonly digests: readonly string[];
      readonly requestedAt: number;
      readonly attempt: number;
      readonly leaseId: string;
      readonly holder: string;
      readonly leasedUntil: number;
      readonly nextAttemptAt: number;
    };

export const initial: ArtifactCleanup = { status: 'absent' };

export const evolve = (state: ArtifactCleanup, event: ArtifactCleanupEvent): ArtifactCleanup => {
  if (event.type === 'ArtifactCleanupRequested') {
    const { workerId, digests, requestedAt, dueAt } = event.data;
    const idle = { attempt: 0, leaseId: '', holder: '', leasedUntil: 0, nextAttemptAt: dueAt };
    return { status: 'pending', workerId, digests, requestedAt, ...idle };
  }
  if (state.status === 'absent') return state;
  switch (event.type) {
    case 'ArtifactCleanupLeased': {
      const { leaseId, holder, attempt, leasedUntil } = event.data;
      return { ...state, status: 'leased', leaseId, holder, attempt, leasedUntil };
    }
    case 'ArtifactCleanupRetryScheduled':
      return { ...state, status: 'pending', nextAttemptAt: event.data.nextAttemptAt };
    case 'ArtifactCleanupCompleted':
      return { ...state, status: 'completed' };
    default:
      event satisfies never;
      return state;
  }
};
