import { derivedId } from '../domain/identifiers.ts';
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

/** What looks alike to people is one name. */
const heldName = ({ workspaceId, name }: Named): string => `${workspaceId}/${name.toLowerCase()}`;

/** Every tenure is an owner of its own: giving an old hold back never touches a newer one of the same credential. */
const holdOf = ({ credentialId, tenure }: Named): string => `${credentialId}/${tenure}`;

export const nameTaken = notSent('NameTaken', 'A credential of this workspace has this name. Choose another one.', {
  field: 'name',
});

type Deps = Pick<Aggregates, 'reservation' | 'credential'>;

/** Claims the name, under a command of its own for each tenure: that of a later one is another claim. */
export const claimCredentialName = async (aggregates: Deps, named: Named, envelope: Envelope) => {
  const ownerId = holdOf(named);
  const claim = { kind: 'credential', name: heldName(named), ownerId } as const;
  const commandId = derivedId(sha256, 'claim-name', envelope.commandId, ownerId);
  const giveUp: GiveUp = (holder, how) => isGivenUp(aggregates, named, holder, how);
  const claimed = await claimName(aggregates, claim, giveUp, { ...envelope, commandId });
  return claimed.ok || claimed.rejection.rejected !== 'NameTaken' ? claimed : nameTaken;
};

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
  return state.name.toLowerCase() !== name.toLowerCase();
};

export const releaseName = (aggregates: Deps, named: Named, envelope: Envelope) =>
  release(aggregates, 'credential', heldName(named), holdOf(named), envelope);
