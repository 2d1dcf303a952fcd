import { reservationId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { claimName, type GiveUp } from './claimName.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { release, reserve } from './workspace.ts';

/** Webhooks of one workspace. */
export const maxWebhooks = 20;

const nameOf = (workspaceId: string, slot: number): string => `${workspaceId}/${slot}`;

const ownerOf = async ({ reservation }: Aggregates, workspaceId: string, slot: number): Promise<string> => {
  const { state } = await reservation.load(reservationId(sha256, 'webhook', nameOf(workspaceId, slot)));
  return state.status === 'reserved' ? state.ownerId : '';
};

/** Was it removed? One that has not come to be, as after a crash, never will: somebody may be at work on it. */
const giveUp = async ({ webhook }: Aggregates, webhookId: string, envelope: Envelope): Promise<boolean> => {
  const sent = await webhook.send(webhookId, { type: 'ForfeitWebhookClaim', data: {} }, envelope);
  return sent.ok && (sent.state.status === 'absent' || sent.state.status === 'removed');
};

/**
 * One of the places of the workspace, or false when all are taken. Places are streams, so that creations at the same time,
 * in whatever process, meet in them: a count in a read table would let them all through.
 */
export const takeWebhookSlot = async (
  aggregates: Aggregates,
  workspaceId: string,
  webhookId: string,
  envelope: Envelope,
): Promise<boolean> => {
  const slots = Array.from({ length: maxWebhooks }, (_, index) => index + 1);
  const take = async (slot: number): Promise<boolean> =>
    (await reserve(aggregates, 'webhook', nameOf(workspaceId, slot), webhookId, envelope)).ok;
  const vacate: GiveUp = (holder, how) => giveUp(aggregates, holder, how);
  const owned = await Promise.all(
    slots.map(async (slot) => ({ slot, owner: await ownerOf(aggregates, workspaceId, slot) })),
  );
  if (owned.some(({ owner }) => owner === webhookId)) return true;
  for (const { slot, owner } of owned) if (owner === '' && (await take(slot))) return true;
  for (const { slot, owner } of owned) {
    const claim = { kind: 'webhook', name: nameOf(workspaceId, slot), ownerId: webhookId } as const;
    const claimed = owner === '' ? undefined : await claimName(aggregates, claim, vacate, envelope);
    if (claimed?.ok) return true;
  }
  return false;
};

export const leaveWebhookSlot = async (
  aggregates: Aggregates,
  workspaceId: string,
  webhookId: string,
  envelope: Envelope,
): Promise<void> => {
  for (let slot = 1; slot <= maxWebhooks; slot += 1) {
    if ((await ownerOf(aggregates, workspaceId, slot)) !== webhookId) continue;
    await release(aggregates, 'webhook', nameOf(workspaceId, slot), webhookId, envelope);
  }
};
