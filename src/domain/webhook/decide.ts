import { type Decision, type Message, reject } from '../kernel.ts';
import type { DisabledBecause, SealedSecret, WebhookEvent, WebhookSettings } from './events.ts';
import { isLive, type LiveWebhook, type Webhook } from './state.ts';

export type WebhookCommand =
  | Message<'CreateWebhook', WebhookSettings & SealedSecret & { workspaceId: string }>
  | Message<'ReviseWebhook', WebhookSettings>
  | Message<'RotateWebhookSecret', SealedSecret & { now: number; overlapMs: number }>
  | Message<'PauseWebhook', object>
  | Message<'ResumeWebhook', object>
  /** A delivery failed. `disableAfterMs`: so long may it go on. */
  | Message<'NoteDeliveryFailure', { now: number; detail: string; disableAfterMs: number }>
  | Message<'NoteDeliverySuccess', object>
  | Message<'DisableWebhook', { reasonCode: DisabledBecause; reason: string }>
  | Message<'RemoveWebhook', object>
  | Message<'ConfirmWebhookKeysShred', { keyIds: readonly string[] }>
  /** Somebody else wants its place, and nothing came of the claim yet. */
  | Message<'ForfeitWebhookClaim', object>;

export type WebhookRejection = 'WebhookNotFound' | 'WebhookExists';

type Outcome = Decision<WebhookEvent, WebhookRejection>;

export const decide = (command: WebhookCommand, state: Webhook): Outcome => {
  switch (command.type) {
    case 'CreateWebhook':
      return create(command.data, state);
    case 'ConfirmWebhookKeysShred':
      return confirmShred(command.data.keyIds, state);
    case 'ForfeitWebhookClaim':
      return state.status === 'absent' && !state.forfeited ? [{ type: 'WebhookClaimForfeited', data: {} }] : [];
    case 'RemoveWebhook':
      if (state.status === 'absent') return notFound();
      return isLive(state) ? [{ type: 'WebhookRemoved', data: { keyIds: keysOf(state) } }] : [];
    default:
      return isLive(state) ? decideLive(command, state) : notFound();
  }
};

const notFound = () => reject('WebhookNotFound', 'There is no such webhook in this workspace.');

const create = (data: Extract<WebhookCommand, { type: 'CreateWebhook' }>['data'], state: Webhook): Outcome => {
  if (state.status === 'absent') {
    return state.forfeited
      ? reject('WebhookExists', 'Its place was given to another before it came to be.')
      : [{ type: 'WebhookCreated', data }];
  }
  // Its creation comes again: what became of it since is not undone.
  return state.workspaceId === data.workspaceId ? [] : reject('WebhookExists', 'Another webhook has this id.');
};

const keysOf = ({ secret, doomedKeys }: LiveWebhook): readonly string[] => [
  ...new Set([...doomedKeys.map(({ keyId }) => keyId), secret.keyId]),
];

const confirmShred = (destroyed: readonly string[], state: Webhook): Outcome => {
  if (state.status === 'absent') return [];
  const keyIds = state.doomedKeys.map(({ keyId }) => keyId).filter((keyId) => destroyed.includes(keyId));
  return keyIds.length === 0 ? [] : [{ type: 'WebhookKeysShredded', data: { keyIds } }];
};

const decideLive = (
  command: Exclude<
    WebhookCommand,
    { type: 'CreateWebhook' | 'ConfirmWebhookKeysShred' | 'RemoveWebhook' | 'ForfeitWebhookClaim' }
  >,
  state: LiveWebhook,
): Outcome => {
  switch (command.type) {
    case 'ReviseWebhook':
      return sameSettings(command.data, state) ? [] : [{ type: 'WebhookRevised', data: command.data }];
    case 'RotateWebhookSecret': {
      const { keyId, encryptedData, now, overlapMs } = command.data;
      if (keyId === state.secret.keyId) return [];
      const secretVersion = state.secret.version + 1;
      const data = { keyId, encryptedData, secretVersion, previousValidUntil: now + overlapMs };
      return [{ type: 'WebhookSecretRotated', data }];
    }
    // From one rest into another there is no fact: since when nothing is sent would be lost.
    case 'PauseWebhook':
      return state.status === 'active' ? [{ type: 'WebhookPaused', data: {} }] : [];
    case 'ResumeWebhook':
      return state.status === 'active' ? [] : [{ type: 'WebhookResumed', data: {} }];
    case 'NoteDeliveryFailure':
      return noteFailure(command.data, state);
    case 'NoteDeliverySuccess':
      return state.failingSince === 0 ? [] : [{ type: 'WebhookRecovered', data: {} }];
    case 'DisableWebhook':
      return state.status === 'active' ? [{ type: 'WebhookDisabled', data: command.data }] : [];
  }
};

const noteFailure = (
  { now, detail, disableAfterMs }: Extract<WebhookCommand, { type: 'NoteDeliveryFailure' }>['data'],
  state: LiveWebhook,
): Outcome => {
  // What is sent while nothing should be sent says nothing of the receiver.
  if (state.status !== 'active') return [];
  if (state.failingSince === 0) return [{ type: 'WebhookFailureBegan', data: { since: now, detail } }];
  if (now - state.failingSince < disableAfterMs) return [];
  const days = Math.round((now - state.failingSince) / 86_400_000);
  const reason = `Nothing but failures for ${days} days; the last one: ${detail}`;
  return [{ type: 'WebhookDisabled', data: { reasonCode: 'failing', reason } }];
};

const sameSettings = (one: WebhookSettings, other: WebhookSettings): boolean =>
  one.url === other.url &&
  one.description === other.description &&
  one.eventTypes.join() === other.eventTypes.join() &&
  one.departmentIds.join() === other.departmentIds.join();
