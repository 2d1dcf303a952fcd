import type { Aggregates } from '../commands/aggregates.ts';
import { enqueueJob } from '../commands/job.ts';
import type { Vault } from '../platform/vault/port.ts';
import { systemEnvelope } from './envelope.ts';
import type { JobKind } from './jobs/effect.ts';
import { type Reactor, reactTo } from './reactor.ts';

export const shredKind = 'edgeSecret.shred';

/** A removal leaves data keys to destroy: work outside the log, so a job. */
export const enqueueShredding = (aggregates: Pick<Aggregates, 'job'>): Reactor =>
  reactTo('enqueueShredding', ['EdgeSecretRemoved'], async (event) => {
    const { eventId, subjectId, workspaceId, departmentId, requestId, correlationId } = event.meta;
    const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
    const sent = await enqueueJob(
      { aggregates },
      { kind: shredKind, workspaceId, departmentId, subjectId, dedupeKey: eventId, priority: 2 },
      systemEnvelope('enqueueShredding', context, eventId),
    );
    if (!sent.ok) throw new Error(`The keys of ${subjectId} cannot be destroyed: ${sent.rejection.rejected}`);
  });

/**
 * Destroys the data keys and says so. Destroying one twice is harmless, so looking and doing are the same; a failure is
 * uncertain on purpose, because that is tried again without end.
 */
export const shredRemovedSecrets = (deps: {
  readonly secrets: Aggregates['edgeSecret'];
  readonly vault: Pick<Vault, 'destroy'>;
}): JobKind => ({
  timeoutMs: 30_000,
  effect: async ({ jobId, subjectId, attempt, context }) => {
    const { state } = await deps.secrets.load(subjectId);
    const keyIds = state.status === 'absent' ? [] : state.doomedKeyIds;
    for (const keyId of keyIds) {
      try {
        await deps.vault.destroy(keyId);
      } catch (error) {
        return { outcome: 'uncertain', detail: `A key cannot be destroyed now: ${nameOf(error)}` };
      }
    }
    const confirmed = await deps.secrets.send(
      subjectId,
      { type: 'ConfirmEdgeSecretShred', data: { keyIds } },
      systemEnvelope('shredRemovedSecrets', context, jobId, String(attempt)),
    );
    if (!confirmed.ok) return { outcome: 'uncertain', detail: `Not recorded: ${confirmed.rejection.rejected}` };
    return { outcome: 'done', detail: `${keyIds.length} data keys are destroyed.` };
  },
});

const nameOf = (error: unknown): string => (error instanceof Error ? error.name : typeof error);
