import { derivedId } from '../domain/identifiers.ts';
import { reject } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { type ReservedKind, release, reserve } from './workspace.ts';

/**
 * Makes sure that a holder never needs the name any more, and answers whether that is so. One of whom nothing has come to be
 * may have crashed, or be at work this very moment: its claim is forfeited in its own stream, so that it can only end in a no.
 */
export type GiveUp = (ownerId: string, envelope: Envelope) => Promise<boolean>;

export const nameTaken = reject('NameTaken', 'This name is taken.');

/** Claims a name. What a crash left held is given back on the way, and of several who want it at once one gets it. */
export const claimName = async (
  aggregates: Pick<Aggregates, 'reservation'>,
  { kind, name, ownerId }: { readonly kind: ReservedKind; readonly name: string; readonly ownerId: string },
  giveUp: GiveUp,
  envelope: Envelope,
) => {
  const attempt = async () => {
    const claimed = await reserve(aggregates, kind, name, ownerId, envelope);
    // A claim of before that was given to somebody else since comes again as having been made.
    const isOurs = claimed.ok && claimed.state.status === 'reserved' && claimed.state.ownerId === ownerId;
    return claimed.ok && !isOurs ? ({ ok: false, rejection: nameTaken } as const) : claimed;
  };
  const first = await attempt();
  if (first.ok || first.rejection.rejected !== 'NameTaken' || envelope.dryRun) return first;
  const holder = String(first.rejection.details?.['ownerId'] ?? '');
  // Commands of their own: under the id of the claim they would be taken for the claim.
  const { expectedRevision: _, ...unconditional } = envelope;
  const own = (what: string): Envelope => {
    const commandId = derivedId(sha256, what, envelope.commandId, holder);
    return { ...unconditional, commandId, commandDigest: '', fresh: false };
  };
  if (holder === '' || !(await giveUp(holder, own('forfeit-claim')))) return first;
  await release(aggregates, kind, name, holder, own('free-name'));
  return attempt();
};
