import type { Aggregates } from '../../commands/aggregates.ts';
import type { Clock } from '../../platform/clock/port.ts';
import type { Vault } from '../../platform/vault/port.ts';
import { systemEnvelope } from '../envelope.ts';
import type { JobKind } from '../jobs/effect.ts';

/** Destroys the data keys whose time has come, and says so; destroying one twice is harmless. */
export const shredWebhookKeys = (deps: {
  readonly webhooks: Aggregates['webhook'];
  readonly vault: Pick<Vault, 'destroy'>;
  readonly clock: Pick<Clock, 'now'>;
}): JobKind => ({
  timeoutMs: 30_000,
  effect: async ({ jobId, subjectId, attempt, context }) => {
    const { state } = await deps.webhooks.load(subjectId);
    const now = deps.clock.now();
    const doomed = state.status === 'absent' ? [] : state.doomedKeys;
    const keyIds = doomed.filter(({ notBefore }) => notBefore <= now).map(({ keyId }) => keyId);
    for (const keyId of keyIds) {
      try {
        await deps.vault.destroy(keyId);
      } catch (error) {
        const why = error instanceof Error ? error.name : typeof error;
        return { outcome: 'uncertain', detail: `A key cannot be destroyed now: ${why}` };
      }
    }
    const confirmed = await deps.webhooks.send(
      subjectId,
      { type: 'ConfirmWebhookKeysShred', data: { keyIds } },
      systemEnvelope('shredWebhookKeys', context, jobId, String(attempt)),
    );
    if (!confirmed.ok) return { outcome: 'uncertain', detail: `Not recorded: ${confirmed.rejection.rejected}` };
    return { outcome: 'done', detail: `${keyIds.length} data keys are destroyed.` };
  },
});
