import { sha256 } from '../commands/envelope.ts';
import type { Aggregate } from '../commands/send.ts';
import type {
  ArtifactCleanup,
  ArtifactCleanupCommand,
  ArtifactCleanupEvent,
  ArtifactCleanupRejection,
} from '../domain/artifactCleanup/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { ArtifactStore } from '../platform/artifacts/port.ts';
import type { Clock, Random } from '../platform/clock/port.ts';
import { errorMessage } from '../platform/log/port.ts';
import { backoffMs } from './deployment.ts';
import { systemEnvelope, type WorkContext } from './envelope.ts';

export type CleanupDeps = {
  readonly cleanups: Aggregate<ArtifactCleanupCommand, ArtifactCleanupEvent, ArtifactCleanup, ArtifactCleanupRejection>;
  readonly artifacts: ArtifactStore;
  /** Which of these digests some revision refers to, as of everything the log held when it was asked. */
  readonly referenced: (digests: readonly string[]) => Promise<ReadonlySet<string>>;
  readonly clock: Clock;
  readonly random: Random;
  readonly holder: string;
  readonly leaseMs: number;
};

/** Removes what an unrecorded submission left in the store, unless a revision refers to it or it was stored again since. */
export const cleanUpArtifacts = async (
  deps: CleanupDeps,
  ticketId: string,
  context: WorkContext,
  takeover: boolean,
): Promise<string> => {
  const { cleanups, clock, random } = deps;
  const leaseId = random.uuid();
  const now = clock.now();
  const data = { leaseId, holder: deps.holder, now, leasedUntil: now + deps.leaseMs, takeover };
  const leased = await cleanups.send(
    ticketId,
    { type: 'LeaseArtifactCleanup', data },
    systemEnvelope('runner', context, 'lease', leaseId),
  );
  if (!leased.ok || leased.state.status !== 'leased') return 'not leased';
  const { digests, requestedAt, attempt, workerId } = leased.state;
  try {
    const { removed, kept, touched } = await removeUnreferenced(deps, digests, requestedAt);
    if (touched.length > 0) await lookAgain(deps, ticketId, context, { workerId, digests: touched });
    const done = await cleanups.send(
      ticketId,
      { type: 'CompleteArtifactCleanup', data: { leaseId, removed, kept } },
      systemEnvelope('runner', context, 'complete', leaseId),
    );
    return done.ok ? 'completed' : 'lease lost';
  } catch (error) {
    const reason = errorMessage(error);
    const wait = backoffMs(attempt, { firstMs: 5_000, ceilingMs: 3_600_000 }, random.fraction());
    await cleanups.send(
      ticketId,
      { type: 'ScheduleArtifactCleanupRetry', data: { leaseId, reason, nextAttemptAt: clock.now() + wait } },
      systemEnvelope('runner', context, 'retry', leaseId),
    );
    return 'pending';
  }
};

const removeUnreferenced = async (
  { artifacts, referenced }: CleanupDeps,
  digests: readonly string[],
  requestedAt: number,
): Promise<{ removed: string[]; kept: string[]; touched: string[] }> => {
  const inUse = await referenced(digests);
  const removed: string[] = [];
  const kept: string[] = [];
  const touched: string[] = [];
  for (const digest of digests) {
    const gone = !inUse.has(digest) && (await artifacts.remove(digest, { unlessTouchedAfter: requestedAt }));
    (gone ? removed : kept).push(digest);
    if (!gone && !inUse.has(digest) && (await artifacts.has(digest))) touched.push(digest);
  }
  return { removed, kept, touched };
};

/** A submission that stores the same bytes again is recorded by then, or has come to nothing. */
const lookAgainMs = 60 * 60_000;

/** What was stored again meanwhile, and that nothing refers to yet, gets a cleanup of its own: that submission may fail. */
const lookAgain = async (
  { cleanups, clock }: CleanupDeps,
  ticketId: string,
  context: WorkContext,
  { workerId, digests }: { readonly workerId: string; readonly digests: readonly string[] },
): Promise<void> => {
  const requestedAt = clock.now();
  const data = { workerId, digests, reason: 'stored_again', requestedAt, dueAt: requestedAt + lookAgainMs };
  const envelope = systemEnvelope('runner', context, 'again', ticketId);
  const id = derivedId(sha256, 'cleanup', ticketId, 'again');
  const sent = await cleanups.send(id, { type: 'RequestArtifactCleanup', data }, envelope);
  if (!sent.ok) throw new Error(`What was stored again could not be handed over: ${sent.rejection.rejected}`);
};
