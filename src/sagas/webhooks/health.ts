import type { Aggregates } from '../../commands/aggregates.ts';
import type { LiveWebhook, WebhookCommand } from '../../domain/webhook/index.ts';
import type { Clock } from '../../platform/clock/port.ts';
import { systemEnvelope } from '../envelope.ts';
import type { JobInHand, JobOutcome } from '../jobs/effect.ts';
import { goneCode } from './judge.ts';

/** After so long with nothing but failures a webhook is disabled. */
export const disableAfterMs = 5 * 24 * 3_600_000;

type Deps = { readonly webhooks: Aggregates['webhook']; readonly clock: Pick<Clock, 'now'> };

/** Only what turns becomes a fact of the webhook: the first failure, the first success after it, the end. */
export const noteOutcome = async (
  { webhooks, clock }: Deps,
  { jobId, subjectId, attempt, context }: JobInHand,
  webhook: LiveWebhook,
  outcome: JobOutcome,
): Promise<void> => {
  const command = commandOf(webhook, outcome, clock.now());
  if (command === undefined) return;
  await webhooks.send(subjectId, command, systemEnvelope('webhooks', context, command.type, jobId, String(attempt)));
};

const commandOf = ({ failingSince }: LiveWebhook, outcome: JobOutcome, now: number): WebhookCommand | undefined => {
  if (outcome.outcome === 'done') return failingSince === 0 ? undefined : { type: 'NoteDeliverySuccess', data: {} };
  if (outcome.outcome === 'refused' && outcome.code === goneCode) {
    return { type: 'DisableWebhook', data: { reasonCode: 'gone', reason: `The receiver answered ${outcome.detail}` } };
  }
  const turns = failingSince === 0 || now - failingSince >= disableAfterMs;
  return turns ? { type: 'NoteDeliveryFailure', data: { now, detail: outcome.detail, disableAfterMs } } : undefined;
};
