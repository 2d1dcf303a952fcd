import type { Aggregates } from '../commands/aggregates.ts';
import { decode, sha256, streamOf } from '../commands/envelope.ts';
import type { OpslogEvent } from '../domain/catalog.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Recorded } from '../domain/kernel.ts';
import type { EventLog } from '../platform/eventLog/port.ts';
import { systemEnvelope } from './envelope.ts';
import { type Reactor, reactTo } from './reactor.ts';

export type Retention = {
  /** Newest revisions of a worker that are kept whatever became of them. */
  readonly keepNewest: number;
  /** Revisions that went live last, kept for rolling back. */
  readonly keepDeployed: number;
};

type Deps = {
  readonly aggregates: Pick<Aggregates, 'edgeWorker' | 'artifactCleanup'>;
  readonly log: Pick<EventLog, 'readStream'>;
  readonly retention: Retention;
  readonly now: () => number;
};

const name = 'retainRevisions';

/** A submission of the same bytes that is on its way now is recorded by then. */
const cleanupDelayMs = 60 * 60_000;
const digestsPerCleanup = 100;

/**
 * Lets go of revisions past retention after whatever may have made one of them so, and hands over for cleanup what the
 * worker no longer keeps. Whether somebody else refers to the same bytes is asked when they are about to go.
 */
export const retainRevisions = (deps: Deps): Reactor =>
  reactTo(
    name,
    [
      'RevisionSubmitted',
      'DeploymentCompleted',
      'DeploymentFailed',
      'DeploymentCancelled',
      'RevisionArtifactsReleased',
      'EdgeWorkerDeleted',
    ],
    async (event) => {
      switch (event.type) {
        case 'RevisionSubmitted':
        case 'DeploymentCompleted':
        case 'DeploymentFailed':
        case 'DeploymentCancelled':
          return letGo(deps, event);
        case 'RevisionArtifactsReleased': {
          const released = new Set(event.data.versionIds);
          return handOver(deps, event, 'revision_retired', (versionId) => released.has(versionId));
        }
        case 'EdgeWorkerDeleted':
          return handOver(deps, event, 'worker_deleted', () => true);
      }
    },
  );

const contextOf = ({ meta }: Recorded<OpslogEvent>) => {
  const { workspaceId, departmentId, requestId, correlationId, eventId } = meta;
  return { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
};

const letGo = async ({ aggregates, retention }: Deps, event: Recorded<OpslogEvent>): Promise<void> => {
  const { subjectId: workerId, eventId } = event.meta;
  const { state } = await aggregates.edgeWorker.load(workerId, { maxAgeMs: 60_000 });
  if (state.status !== 'absent' && state.revisions.length <= retention.keepNewest) return;
  const command = { type: 'ReleaseRevisionArtifacts', data: retention } as const;
  const sent = await aggregates.edgeWorker.send(workerId, command, systemEnvelope(name, contextOf(event), eventId));
  if (!sent.ok && sent.rejection.rejected !== 'EdgeWorkerNotFound') {
    throw new Error(`Revisions of ${workerId} could not be let go: ${sent.rejection.rejected}`);
  }
};

const handOver = async (
  { aggregates, log, now }: Deps,
  event: Recorded<OpslogEvent>,
  reason: string,
  isGone: (versionId: string) => boolean,
): Promise<void> => {
  const { subjectId: workerId, eventId } = event.meta;
  const digests = await digestsOf(log, workerId, isGone);
  const requestedAt = now();
  for (let start = 0; start < digests.length; start += digestsPerCleanup) {
    const some = digests.slice(start, start + digestsPerCleanup);
    const id = derivedId(sha256, 'cleanup', eventId, String(start));
    const data = { workerId, digests: some, reason, requestedAt, dueAt: requestedAt + cleanupDelayMs };
    const envelope = systemEnvelope(name, contextOf(event), eventId, String(start));
    const sent = await aggregates.artifactCleanup.send(id, { type: 'RequestArtifactCleanup', data }, envelope);
    if (!sent.ok) throw new Error(`Artifacts of ${workerId} could not be handed over: ${sent.rejection.rejected}`);
  }
};

/** Source and bundle of these revisions, from the log: the tables may have forgotten them. */
const digestsOf = async (
  log: Deps['log'],
  workerId: string,
  isGone: (versionId: string) => boolean,
): Promise<readonly string[]> => {
  const digests = new Set<string>();
  for await (const stored of log.readStream(streamOf('edgeWorker', workerId))) {
    const event = decode(stored);
    if (event?.type !== 'RevisionSubmitted' || !isGone(event.data.versionId)) continue;
    digests.add(event.data.sourceDigest).add(event.data.bundleDigest);
  }
  return [...digests];
};
