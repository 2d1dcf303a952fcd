import type { SealedSecret, WebhookEvent, WebhookSettings } from './events.ts';

export type SigningSecret = SealedSecret & { readonly version: number };
/** A key that is to be destroyed, not before a time. */
export type DoomedKey = { readonly keyId: string; readonly notBefore: number };

type Known = WebhookSettings & {
  readonly workspaceId: string;
  readonly doomedKeys: readonly DoomedKey[];
};

export type LiveWebhook = Known & {
  readonly status: 'active' | 'paused' | 'disabled';
  readonly secret: SigningSecret;
  /** The secret of before, while both are valid. */
  readonly previous: (SigningSecret & { readonly validUntil: number }) | undefined;
  /** When the failures began that nothing but failures followed; 0 when the last delivery arrived. */
  readonly failingSince: number;
};

export type Webhook =
  | { readonly status: 'absent'; readonly forfeited?: true }
  | LiveWebhook
  | (Known & { readonly status: 'removed' });

export const initial: Webhook = { status: 'absent' };

export const isLive = (state: Webhook): state is LiveWebhook => state.status !== 'absent' && state.status !== 'removed';

export const evolve = (state: Webhook, event: WebhookEvent): Webhook => {
  if (event.type === 'WebhookCreated') {
    const { keyId, encryptedData, ...settings } = event.data;
    const secret = { keyId, encryptedData, version: 1 };
    return { ...settings, status: 'active', secret, previous: undefined, failingSince: 0, doomedKeys: [] };
  }
  if (event.type === 'WebhookClaimForfeited') {
    return state.status === 'absent' ? { status: 'absent', forfeited: true } : state;
  }
  if (state.status === 'absent') return state;
  if (event.type === 'WebhookKeysShredded') {
    return { ...state, doomedKeys: state.doomedKeys.filter(({ keyId }) => !event.data.keyIds.includes(keyId)) };
  }
  return state.status === 'removed' ? state : evolveLive(state, event);
};

const evolveLive = (
  state: LiveWebhook,
  event: Exclude<WebhookEvent, { type: 'WebhookCreated' | 'WebhookKeysShredded' | 'WebhookClaimForfeited' }>,
): Webhook => {
  switch (event.type) {
    case 'WebhookRevised':
      return { ...state, ...event.data };
    case 'WebhookSecretRotated': {
      const { keyId, encryptedData, secretVersion, previousValidUntil: validUntil } = event.data;
      // Three secrets are never valid at once: the oldest ends here.
      const ended = state.previous ? [{ keyId: state.previous.keyId, notBefore: 0 }] : [];
      const kept = state.doomedKeys.filter((each) => each.keyId !== state.previous?.keyId);
      return {
        ...state,
        secret: { keyId, encryptedData, version: secretVersion },
        previous: { ...state.secret, validUntil },
        doomedKeys: [...kept, ...ended, { keyId: state.secret.keyId, notBefore: validUntil }],
      };
    }
    case 'WebhookPaused':
      return { ...state, status: 'paused' };
    case 'WebhookResumed':
      return { ...state, status: 'active', failingSince: 0 };
    case 'WebhookFailureBegan':
      return { ...state, failingSince: event.data.since };
    case 'WebhookRecovered':
      return { ...state, failingSince: 0 };
    case 'WebhookDisabled':
      return { ...state, status: 'disabled' };
    case 'WebhookRemoved': {
      const { secret: _, previous: __, failingSince: ___, ...known } = state;
      const doomedKeys = event.data.keyIds.map((keyId) => ({ keyId, notBefore: 0 }));
      // Where it led and what it was for ends with it.
      return { ...known, status: 'removed', url: '', description: '', doomedKeys };
    }
    default:
      event satisfies never;
      return state;
  }
};
