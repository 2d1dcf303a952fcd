import type { Decider } from '../kernel.ts';
import { answerIn, describeAnswer, type ReceiverAnswer } from './answer.ts';
import { decide, type WebhookCommand, type WebhookRejection } from './decide.ts';
import type { DisabledBecause, SealedSecret, WebhookEvent, WebhookSettings } from './events.ts';
import { isOfWebhooks, isWanted, type Sighting } from './filter.ts';
import { evolve, initial, isLive, type LiveWebhook, type SigningSecret, type Webhook } from './state.ts';

export const webhook: Decider<WebhookCommand, WebhookEvent, Webhook, WebhookRejection> = {
  category: 'webhook',
  events: {
    WebhookCreated: true,
    WebhookRevised: true,
    WebhookSecretRotated: true,
    WebhookPaused: true,
    WebhookResumed: true,
    WebhookFailureBegan: true,
    WebhookRecovered: true,
    WebhookDisabled: true,
    WebhookRemoved: true,
    WebhookKeysShredded: true,
    WebhookClaimForfeited: true,
  },
  initial,
  decide,
  evolve,
};
export type {
  DisabledBecause,
  LiveWebhook,
  ReceiverAnswer,
  SealedSecret,
  Sighting,
  SigningSecret,
  Webhook,
  WebhookCommand,
  WebhookEvent,
  WebhookRejection,
  WebhookSettings,
};
export { answerIn, describeAnswer, isLive, isOfWebhooks, isWanted };
