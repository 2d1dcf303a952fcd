import type { Aggregates } from '../commands/aggregates.ts';
import { enqueueJob } from '../commands/job.ts';
import type { Vault } from '../platform/vault/port.ts';
import { systemEnvelope } from './envelope.ts';
import type { JobKind } from './jobs/effect.ts';
import { type Reactor, reactTo } from './reactor.ts';

export const shredCredentialKind = 'credential.shred';

/** A replaced or deleted value leaves a data key to destroy: work outside the log, so a job. */
export const enqueueCredentialShredding = (aggregates: Pick<Aggregates, 'job'>): Reactor =>
  reactTo('enqueueCredentialShredding', ['CredentialReplaced', 'CredentialDeleted'], async (event) => {
    const { eventId, subjectId, workspaceId, departmentId, requestId, correlationId } = event.meta;
    const context = { workspaceId, departmentId, requestId, correlationId, causationId: eventId };
    const sent = await enqueueJob(
      { aggregates },
      { kind: shredCredentialKind, workspaceId, departmentId, subjectId, dedupeKey: eventId, priority: 2 },
      systemEnvelope('enqueueCredentialShredding', context, eventId),
    );
    if (!sent.ok) throw new Error(`The keys of ${subjectId} cannot be destroyed: ${sent.rejection.rejected}`);
  });

/**
 * Destroys the data keys and says so. Destroying one twice is harmless, so looking and doing are the same; a failure is
 * uncertain on purpose, because that is tried again without end.
 */
export const shredCredentials = (deps: {
  readonly credentials: Aggregates['credential'];
  readonly vault: Pick<Vault, 'destroy'>;
}): JobKind => ({
  timeoutMs: 30_000,
  effect: async ({ jobId, subjectId, attempt, context }) => {
    const { state } = await deps.credentials.load(subjectId);
    const keyIds = state.status === 'absent' ? [] : state.doomedKeyIds;
    for (const keyId of keyIds) {
      try {
        await deps.vault.destroy(keyId);
      } catch (error) {
        const name = error instanceof Error ? error.name : typeof error;
        return { outcome: 'uncertain', detail: `A key cannot be destroyed now: ${name}` };
      }
    }
    const confirmed = await deps.credentials.send(
      subjectId,
      { type: 'ConfirmCredentialShred', data: { keyIds } },
      systemEnvelope('shredCredentials', context, jobId, String(attempt)),
    );
    if (!confirmed.ok) return { outcome: 'uncertain', detail: `Not recorded: ${confirmed.rejection.rejected}` };
    return { outcome: 'done', detail: `${keyIds.length} data keys are destroyed.` };
  },
});
