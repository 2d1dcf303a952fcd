import { derivedId } from '../domain/identifiers.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { notSent } from './outcome.ts';
import { release, reserve } from './workspace.ts';

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

/** Claims the name. A hold that nobody needs any more, as after a crash, is given back on the way. */
export const claimName = async (aggregates: Deps, named: Named, envelope: Envelope) => {
  const first = await reserve(aggregates, 'credential', heldName(named), holdOf(named), envelope);
  if (first.ok || first.rejection.rejected !== 'NameTaken') return first;
  const holder = parseHold(String(first.rejection.details?.['ownerId'] ?? ''));
  if (envelope.dryRun || !holder || !(await isOver(aggregates, { ...named, ...holder }))) return nameTaken;
  // A command of its own: under the id of the claim it would be taken for the claim.
  const freeing = { ...envelope, commandId: derivedId(sha256, 'free-name', envelope.commandId) };
  await release(aggregates, 'credential', heldName(named), holdOf({ ...named, ...holder }), freeing);
  const second = await reserve(aggregates, 'credential', heldName(named), holdOf(named), envelope);
  return second.ok || second.rejection.rejected !== 'NameTaken' ? second : nameTaken;
};

const parseHold = (hold: string): Pick<Named, 'credentialId' | 'tenure'> | undefined => {
  const [, credentialId, tenure] = /^([0-9a-f-]{36})\/(\d{1,9})$/.exec(hold) ?? [];
  return credentialId === undefined ? undefined : { credentialId, tenure: Number(tenure) };
};

/** A hold of a tenure that is still to come belongs to somebody who is at work. */
const isOver = async ({ credential }: Deps, { credentialId, tenure, name }: Named): Promise<boolean> => {
  const { state } = await credential.load(credentialId);
  if (state.status === 'absent') return false;
  if (state.status === 'deleted' || tenure < state.tenure) return true;
  return tenure === state.tenure && state.name.toLowerCase() !== name.toLowerCase();
};

export const releaseName = (aggregates: Deps, named: Named, envelope: Envelope) =>
  release(aggregates, 'credential', heldName(named), holdOf(named), envelope);
