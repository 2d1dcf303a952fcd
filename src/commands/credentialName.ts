import { caseless } from '../domain/caseless.ts';
import { derivedId } from '../domain/identifiers.ts';
import type { Message } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import { claimName, type GiveUp } from './claimName.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { notSent } from './outcome.ts';
import { release } from './workspace.ts';

type Named = {
  readonly workspaceId: string;
  readonly name: string;
  readonly credentialId: string;
  /** Counts the names of the credential from 1. */
  readonly tenure: number;
};

/**
 * What it is held by, so that spellings of one name meet. Names of before were held by their small letters alone: while such
 * a hold may be there, the second one keeps a name from being given twice.
 */
const heldNames = ({ workspaceId, name }: Named): readonly string[] =>
  [...new Set([caseless(name), name.toLowerCase()])].map((each) => `${workspaceId}/${each}`);

/** Every tenure is an owner of its own: giving an old hold back never touches a newer one of the same credential. */
const holdOf = ({ credentialId, tenure }: Named): string => `${credentialId}/${tenure}`;

export const nameTaken = notSent('NameTaken', 'A credential of this workspace has this name. Choose another one.', {
  field: 'name',
});

type Deps = Pick<Aggregates, 'reservation' | 'credential'>;

/** Claims the name, under a command of its own for each tenure: that of a later one is another claim. */
export const claimCredentialName = async (aggregates: Deps, named: Named, envelope: Envelope) => {
  const ownerId = holdOf(named);
  const commandId = derivedId(sha256, 'claim-name', envelope.commandId, ownerId);
  const giveUp: GiveUp = (holder, how) => isGivenUp(aggregates, named, holder, how);
  const steps: Step[] = [];
  for (const name of heldNames(named)) {
    const claim = { kind: 'credential', name, ownerId } as const;
    const claimed = await claimName(aggregates, claim, giveUp, { ...envelope, commandId });
    // What was claimed already is given up to whoever wants it, and found again when this is tried again.
    if (!claimed.ok) return claimed.rejection.rejected === 'NameTaken' ? nameTaken : claimed;
    steps.push(claimed);
  }
  return { ok: true, events: eventsOf(steps) } as const;
};

type Step = { readonly events: readonly Message<string, object>[] };
const eventsOf = (steps: readonly Step[]) => steps.flatMap(({ events }) => events);

const parseHold = (hold: string): Pick<Named, 'credentialId' | 'tenure'> | undefined => {
  const [, credentialId, tenure] = /^([0-9a-f-]{36})\/(\d{1,9})$/.exec(hold) ?? [];
  return credentialId === undefined ? undefined : { credentialId, tenure: Number(tenure) };
};

/** A tenure that is still to come will not come any more; one that is, or is over, is asked of its credential. */
const isGivenUp = async ({ credential }: Deps, { name }: Named, hold: string, envelope: Envelope): Promise<boolean> => {
  const holder = parseHold(hold);
  if (holder === undefined) return false;
  const { credentialId, tenure } = holder;
  const forfeit = { type: 'ForfeitCredentialClaim', data: { tenure } } as const;
  const sent = await credential.send(credentialId, forfeit, envelope);
  if (!sent.ok) return false;
  const { state } = sent;
  if (state.status !== 'active' || tenure !== state.tenure) return true;
  return caseless(state.name) !== caseless(name);
};

export const releaseName = async (aggregates: Deps, named: Named, envelope: Envelope): Promise<Step> => {
  const steps: Step[] = [];
  for (const name of heldNames(named)) {
    const released = await release(aggregates, 'credential', name, holdOf(named), envelope);
    if (released.ok) steps.push(released);
  }
  return { events: eventsOf(steps) };
};
