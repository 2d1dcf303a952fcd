import type { ProblemCode } from './statuses.ts';

/** What happened, and what to do: the part of problemPages.ts that is about webhooks. */
export const webhookProblemPages = {
  WebhookNotFound: [
    'The workspace has no such webhook, or it was removed, or it tells of departments that you may not enter.',
    'List the webhooks of the workspace.',
  ],
  WebhookExists: ['Another webhook was created under this id.', 'Send the request again with a new Idempotency-Key.'],
  WebhookDeliveryNotFound: [
    'The webhook has no such delivery.',
    'List the deliveries of the webhook. One of a moment ago may need a moment: wait for the position that the command answered.',
  ],
  WebhookLimitReached: [
    'The workspace has as many webhooks as one may have; `details.limit` says how many.',
    'Remove one that is not needed any more, or widen the filter of one and let its receiver tell the events apart.',
  ],
  WebhookUrlRefused: [
    'Nothing is ever sent to this URL: it is not https, has a user name, a fragment, a port below 1024 that is neither 80 nor 443, holds what looks like a secret, or names an address that is not public.',
    'Give an https URL of a public host. For receivers in the network of the installation its operator allows ranges with OPSLOG_OUTBOUND_ALLOW and http with OPSLOG_OUTBOUND_HTTP.',
  ],
} as const satisfies Partial<Record<ProblemCode, readonly [happened: string, todo: string]>>;
