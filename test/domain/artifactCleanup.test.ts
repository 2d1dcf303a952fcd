import { describe, test } from 'vitest';
import { type ArtifactCleanupEvent, artifactCleanup } from '../../src/domain/artifactCleanup/index.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(artifactCleanup);

const requested: ArtifactCleanupEvent = {
  type: 'ArtifactCleanupRequested',
  data: { workerId: 'worker-1', digests: ['d'], reason: 'test', requestedAt: 0, dueAt: 0 },
};
const leasedBy = (holder: string): ArtifactCleanupEvent => ({
  type: 'ArtifactCleanupLeased',
  data: { leaseId: 'l1', holder, attempt: 1, leasedUntil: 10_000 },
});
const takeOver = {
  type: 'LeaseArtifactCleanup',
  data: { leaseId: 'l2', holder: 'node-1/b', now: 5_000, leasedUntil: 15_000, takeover: true },
} as const;

describe('Taking a cleanup over before its lease has run out', () => {
  test('is for a later run of the node that holds it', () => {
    given([requested, leasedBy('node-1/a')])
      .when(takeOver)
      .then([
        { type: 'ArtifactCleanupLeased', data: { leaseId: 'l2', holder: 'node-1/b', attempt: 2, leasedUntil: 15_000 } },
      ]);
  });

  test('is refused when another node holds it, whatever a table said', () => {
    given([requested, leasedBy('node-2/a')])
      .when(takeOver)
      .thenRejected('LeaseHeld');
  });
});
