import { z } from 'zod';
import { decodeAs, sha256 } from '../../commands/envelope.ts';
import type { EdgeWorkerEvent, RevisionFacts } from '../../domain/edgeWorker/events.ts';
import { edgeWorker } from '../../domain/edgeWorker/index.ts';
import { edgeWorkerId } from '../../domain/identifiers.ts';
import type { EventLog, StoredEvent } from '../../platform/eventLog/port.ts';
import { type Operation, OperationRefused } from './operation.ts';

/** Which revisions: all, those of one worker or department, and of these only some numbers. */
export const revisionFilter = z.strictObject({
  revisions: z.array(z.int().positive()),
  workerId: z.string().optional(),
  departmentId: z.string().optional(),
});
export type RevisionFilter = z.infer<typeof revisionFilter>;

export type Submission = { readonly workerId: string; readonly departmentId: string; readonly facts: RevisionFacts };

/** What the log says was submitted: the truth that evidence is checked against. Oldest first. */
export async function* submissionsIn(log: EventLog, filter: RevisionFilter): AsyncGenerator<Submission> {
  const { revisions, departmentId } = filter;
  const workerId = filter.workerId ?? (departmentId && edgeWorkerId(sha256, departmentId));
  const stored = workerId ? log.readStream(`${edgeWorker.category}-${workerId}`) : workersIn(log);
  for await (const each of stored) {
    if (!each.stream.startsWith(`${edgeWorker.category}-`)) continue;
    const event = decodeAs<EdgeWorkerEvent>(edgeWorker, each);
    if (event?.type !== 'RevisionSubmitted') continue;
    if (revisions.length > 0 && !revisions.includes(event.data.revision)) continue;
    yield { workerId: event.meta.subjectId, departmentId: event.meta.departmentId, facts: event.data };
  }
}

async function* workersIn(log: EventLog): AsyncGenerator<StoredEvent> {
  for await (const batch of log.readAllBatches()) yield* batch.events;
}

const checked = z.object({
  workerId: z.string(),
  departmentId: z.string(),
  revision: z.number(),
  bundleDigest: z.string(),
  ok: z.boolean(),
  /** A code when something does not fit, else ''. */
  problem: z.string(),
});
export type CheckedRevision = z.infer<typeof checked>;

const result = z.object({ checked: z.number(), failed: z.number() });

/** An operation that judges revisions one by one; `judge` answers '' or a problem code. */
export const revisionCheck = (
  name: string,
  open: (parts: Parameters<Operation<unknown, unknown, unknown>['run']>[0]) => {
    judge(submission: Submission): Promise<string>;
    close(): void;
  },
): Operation<RevisionFilter, CheckedRevision, z.infer<typeof result>> => ({
  name,
  args: revisionFilter,
  progress: checked,
  result,
  run: async (parts, filter, onProgress, signal) => {
    const { judge, close } = open(parts);
    const counts = { checked: 0, failed: 0 };
    try {
      for await (const submission of submissionsIn(parts.log, filter)) {
        signal.throwIfAborted();
        const problem = await judge(submission);
        counts.checked += 1;
        if (problem !== '') counts.failed += 1;
        const { workerId, departmentId, facts } = submission;
        const { revision, bundleDigest } = facts;
        await onProgress({ workerId, departmentId, revision, bundleDigest, ok: problem === '', problem });
      }
    } finally {
      close();
    }
    if (counts.checked === 0)
      throw new OperationRefused('revision_missing', 'The log has no revision that this asks for.');
    return counts;
  },
});
