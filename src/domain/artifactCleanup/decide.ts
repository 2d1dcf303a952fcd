import { type Decision, type Message, reject } from '../kernel.ts';
import { isEarlierRun } from '../leaseHolder.ts';
import type { ArtifactCleanupEvent } from './events.ts';
import type { ArtifactCleanup } from './state.ts';

export type ArtifactCleanupCommand =
  | Message<
      'RequestArtifactCleanup',
      { workerId: string; digests: readonly string[]; reason: string; requestedAt: number; dueAt: number }
    >
  | Message<
      'LeaseArtifactCleanup',
      { leaseId: string; holder: string; now: number; leasedUntil: number; takeover: boolean }
    >
  | Message<'ScheduleArtifactCleanupRetry', { leaseId: string; reason: string; nextAttemptAt: number }>
  | Message<'CompleteArtifactCleanup', { leaseId: string; removed: readonly string[]; kept: readonly string[] }>;

export type ArtifactCleanupRejection = 'TicketNotFound' | 'TicketSettled' | 'TicketNotDue' | 'LeaseHeld' | 'LeaseLost';

type Outcome = Decision<ArtifactCleanupEvent, ArtifactCleanupRejection>;

export const decide = (command: ArtifactCleanupCommand, state: ArtifactCleanup): Outcome => {
  if (command.type === 'RequestArtifactCleanup') {
    return state.status === 'absent' ? [{ type: 'ArtifactCleanupRequested', data: command.data }] : [];
  }
  if (state.status === 'absent') return reject('TicketNotFound', 'There is no such cleanup.');
  const { leaseId } = command.data;
  const holds = state.status === 'leased' && state.leaseId === leaseId;
  const lost = () => reject('LeaseLost', 'Another runner holds this cleanup now, or it has settled.');
  switch (command.type) {
    case 'LeaseArtifactCleanup': {
      if (holds) return [];
      if (state.status === 'completed') return reject('TicketSettled', 'This cleanup has settled.');
      const { holder, now, leasedUntil, takeover } = command.data;
      const reclaims = takeover && isEarlierRun(state.holder, holder);
      if (state.status === 'leased' && now < state.leasedUntil && !reclaims) {
        return reject('LeaseHeld', 'Another runner holds this cleanup.');
      }
      if (state.status === 'pending' && now < state.nextAttemptAt) return reject('TicketNotDue', 'Not due yet.');
      return [{ type: 'ArtifactCleanupLeased', data: { leaseId, holder, attempt: state.attempt + 1, leasedUntil } }];
    }
    case 'ScheduleArtifactCleanupRetry': {
      const { reason, nextAttemptAt } = command.data;
      return holds ? [{ type: 'ArtifactCleanupRetryScheduled', data: { reason, nextAttemptAt } }] : lost();
    }
    case 'CompleteArtifactCleanup': {
      if (state.status === 'completed' && state.leaseId === leaseId) return [];
      const { removed, kept } = command.data;
      return holds ? [{ type: 'ArtifactCleanupCompleted', data: { removed, kept } }] : lost();
    }
  }
};
