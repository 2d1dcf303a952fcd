import type { Random } from '../platform/clock/port.ts';
import type { SealedSecret, Vault } from '../platform/vault/port.ts';

/** As the Standard Webhooks specification writes a symmetric secret: 32 random bytes. */
export const newWebhookSecret = (random: Pick<Random, 'bytes'>): string =>
  `whsec_${Buffer.from(random.bytes(32)).toString('base64')}`;

/** What a sealed secret is bound to: it opens for no other webhook. */
export const webhookBinding = (workspaceId: string, webhookId: string): readonly string[] => [
  ...[workspaceId, 'webhook', webhookId],
];

export const unsealed: SealedSecret = { keyId: '', encryptedData: { iv: '', tag: '', data: '' } };

/** The secret for whoever repeats the request that made it; null once it was replaced or removed. */
export const openWebhookSecret = async (
  vault: Pick<Vault, 'open'>,
  sealed: SealedSecret | undefined,
  binding: readonly string[],
): Promise<string | null> => {
  if (sealed === undefined || sealed.keyId === '') return null;
  const opened = await vault.open(sealed, binding);
  return opened.ok ? opened.plaintext : null;
};
