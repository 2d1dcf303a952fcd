import { reservationId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { release, reserve } from './workspace.ts';

/** Webhooks of one workspace. */
export const maxWebhooks = 20;

const nameOf = (workspaceId: string, slot: number): string => `${workspaceId}/${slot}`;

const ownerOf = async ({ reservation }: Aggregates, workspaceId: string, slot: number): Promise<string> => {
  const { state } = await reservation.load(reservationId(sha256, 'webhook', nameOf(workspaceId, slot)));
  return state.status === 'reserved' ? state.ownerId : '';
};

/** A place that a crash left to a webhook that never came to be, or one that was removed. */
const isVacant = async ({ webhook }: Aggregates, webhookId: string): Promise<boolean> => {
  const { state } = await webhook.load(webhookId);
  return state.status === 'absent' || state.status === 'removed';
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
  const owned = await Promise.all(
    slots.map(async (slot) => ({ slot, owner: await ownerOf(aggregates, workspaceId, slot) })),
  );
  if (owned.some(({ owner }) => owner === webhookId)) return true;
  for (const { slot, owner } of owned) if (owner === '' && (await take(slot))) return true;
  for (const { slot, owner } of owned) {
    if (owner === '' || !(await isVacant(aggregates, owner))) continue;
    await release(aggregates, 'webhook', nameOf(workspaceId, slot), owner, envelope);
    if (await take(slot)) return true;
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
