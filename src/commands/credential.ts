import {
  type CredentialCommand,
  type CredentialDetails,
  type CredentialRejection,
  type DeletionReason,
  nextTenure,
} from '../domain/credential/index.ts';
import { derivedId } from '../domain/identifiers.ts';
import { type Message, reject } from '../domain/kernel.ts';
import type { SshKeys } from '../platform/ssh/port.ts';
import type { SealedSecret, Vault } from '../platform/vault/port.ts';
import type { Aggregates } from './aggregates.ts';
import type { CredentialInput, NewCredential } from './credentialFields.ts';
import { claimCredentialName, nameTaken, releaseName } from './credentialName.ts';
import { type ReadValue, readValue, sealValue, valueDigest } from './credentialValue.ts';
import { type Envelope, onNewStream, sha256 } from './envelope.ts';
import { done, type Outcome } from './outcome.ts';
import type { NotSent } from './send.ts';

type Deps = {
  readonly aggregates: Pick<Aggregates, 'credential' | 'reservation'>;
  readonly vault: Vault;
  readonly sshKeys: SshKeys;
};

/** What the answer to a command says of a credential. */
export type ShownCredential = {
  readonly credentialId: string;
  readonly departmentId: string;
  readonly name: string;
  readonly description: string;
  readonly details: CredentialDetails;
  readonly version: number;
  readonly digest: string;
};

const shownOf = (credentialId: string, state: Omit<ShownCredential, 'credentialId'>): ShownCredential => {
  const { departmentId, name, description, details, version, digest } = state;
  return { credentialId, departmentId, name, description, details, version, digest };
};

const unsealed: SealedSecret = { keyId: '', encryptedData: { iv: '', tag: '', data: '' } };

/** Claims the name, seals, creates: each step finds its own earlier work when a crash or a retry repeats it. */
export const createCredential = async (
  { aggregates, vault, sshKeys }: Deps,
  workspaceId: string,
  { name, description, departmentId = '', value }: NewCredential,
  request: Envelope,
): Promise<Outcome<ShownCredential, CredentialRejection | 'NameTaken' | 'SshKeyInvalid'>> => {
  const credentialId = derivedId(sha256, 'credential', request.commandId);
  const read = await readValue(value, sshKeys);
  if (!read.ok) return read;
  const envelope = onNewStream({ ...request, workspaceId, departmentId });
  const digest = valueDigest(vault, { workspaceId, credentialId }, read.value);
  const { details } = read.value;
  const create = (sealed: SealedSecret, how: Envelope) => {
    const data = { workspaceId, departmentId, name, description, details, digest, ...sealed };
    return aggregates.credential.send(credentialId, { type: 'CreateCredential', data }, how);
  };
  const rehearsed = await create(unsealed, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return forestalled(rehearsed);
  if (rehearsed.replayed || rehearsed.events.length === 0) return shownFirst(credentialId, rehearsed);
  const claimed = await claimCredentialName(aggregates, { workspaceId, name, credentialId, tenure: 1 }, envelope);
  if (!claimed.ok) return claimed;
  if (envelope.dryRun) return shownFirst(credentialId, rehearsed, claimed);
  const created = await sealedFor(vault, { workspaceId, credentialId }, read.value, (sealed) =>
    create(sealed, envelope),
  );
  return created.ok ? shownFirst(credentialId, created, claimed) : forestalled(created);
};

/** The id follows from the command: nobody else has it, but somebody may have been given the name meanwhile. */
const forestalled = (refused: NotSent<CredentialRejection>) =>
  refused.rejection.rejected === 'CredentialExists' ? nameTaken : refused;

type Sent = Extract<Awaited<ReturnType<Aggregates['credential']['send']>>, { ok: true }>;
type Steps = readonly { readonly events: readonly Message<string, object>[] }[];

/** As it was created, also for a retry that comes after it was renamed: the events are those of the first attempt. */
const shownFirst = (credentialId: string, sent: Sent, ...before: Steps) => {
  const created = sent.events.find((event) => event.type === 'CredentialCreated')?.data;
  if (!created) return shownNow(credentialId, sent, ...before);
  return done(shownOf(credentialId, { ...created, version: 1 }), sent, ...before, sent);
};

const shownNow = (credentialId: string, sent: Sent, ...before: Steps) => {
  if (sent.state.status === 'absent') throw new Error(`The credential ${credentialId} was written but is not there.`);
  return done(shownOf(credentialId, sent.state), sent, ...before, sent);
};

/** Seals and sends; a key that nothing was kept under is destroyed again. */
const sealedFor = async <Result extends Sent | NotSent<CredentialRejection>>(
  vault: Vault,
  owner: { readonly workspaceId: string; readonly credentialId: string },
  value: ReadValue,
  send: (sealed: SealedSecret) => Promise<Result>,
): Promise<Result> => {
  const sealed = await sealValue(vault, owner, value);
  const sent = await send(sealed);
  const isKept = sent.ok && sent.events.some(({ data }) => 'keyId' in data && data.keyId === sealed.keyId);
  if (!isKept) await vault.destroy(sealed.keyId).catch(() => undefined);
  return sent;
};

type Owned = { readonly workspaceId: string; readonly credentialId: string };

/** The next version under a new data key; a reaction destroys the old one. The same value again is the same version. */
export const replaceCredential = async (
  { aggregates, vault, sshKeys }: Deps,
  owner: Owned,
  input: CredentialInput,
  envelope: Envelope,
): Promise<Outcome<ShownCredential, CredentialRejection | 'SshKeyInvalid'>> => {
  const { credentialId } = owner;
  const read = await readValue(input, sshKeys);
  if (!read.ok) return read;
  const { details } = read.value;
  const digest = valueDigest(vault, owner, read.value);
  const replace = (sealed: SealedSecret, how: Envelope) =>
    aggregates.credential.send(credentialId, { type: 'ReplaceCredential', data: { details, digest, ...sealed } }, how);
  const rehearsed = await replace(unsealed, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  if (envelope.dryRun || rehearsed.replayed || rehearsed.events.length === 0) return shownNow(credentialId, rehearsed);
  const replaced = await sealedFor(vault, owner, read.value, (sealed) => replace(sealed, envelope));
  return replaced.ok ? shownNow(credentialId, replaced) : replaced;
};

const tries = 3;

/** Claims the new name, renames, gives the old name back. */
export const renameCredential = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  { workspaceId, credentialId }: Owned,
  name: string,
  envelope: Envelope,
): Promise<Outcome<ShownCredential, CredentialRejection | 'NameTaken'>> => {
  for (let attempt = 1; attempt <= tries; attempt += 1) {
    const { state } = await aggregates.credential.load(credentialId);
    const tenure = state.status === 'absent' ? 0 : nextTenure(state, name);
    const heldTenure = state.status === 'absent' ? 0 : state.tenure;
    const rename = (how: Envelope) =>
      aggregates.credential.send(credentialId, { type: 'RenameCredential', data: { name, tenure } }, how);
    const rehearsed = await rename({ ...envelope, dryRun: true });
    if (!rehearsed.ok) return rehearsed;
    if (rehearsed.replayed || isNamed(rehearsed, name, rehearsed.events.length === 0)) {
      return shownNow(credentialId, rehearsed);
    }
    const held = { workspaceId, credentialId, tenure };
    // Also for another spelling of its own name: of before there may be two credentials whose names are one now.
    const claimed = await claimCredentialName(aggregates, { ...held, name }, envelope);
    if (!claimed.ok) return claimed;
    if (envelope.dryRun) return shownNow(credentialId, rehearsed, claimed);
    const renamed = await rename(envelope);
    if (!renamed.ok) return renamed;
    const fact = renamed.events.find((event) => event.type === 'CredentialRenamed')?.data;
    if (fact && tenure === heldTenure) return shownNow(credentialId, renamed, claimed);
    if (fact) {
      const before = { ...held, name: fact.previousName, tenure: heldTenure };
      const released = await releaseName(aggregates, before, envelope);
      return shownNow(credentialId, renamed, claimed, released);
    }
    if (isNamed(renamed, name, true)) return shownNow(credentialId, renamed, claimed);
  }
  return { ok: false, rejection: reject('StreamContended', 'Others keep renaming this at the same time. Try again.') };
};

const isNamed = ({ state }: Sent, name: string, isSettled: boolean): boolean =>
  isSettled && state.status !== 'absent' && state.name === name;

export const describeCredential = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  credentialId: string,
  description: string,
  envelope: Envelope,
): Promise<Outcome<ShownCredential, CredentialRejection>> => {
  const command: CredentialCommand = { type: 'DescribeCredential', data: { description } };
  const described = await aggregates.credential.send(credentialId, command, envelope);
  return described.ok ? shownNow(credentialId, described) : described;
};

/** Nobody reads it from now on; a reaction destroys its keys. Its name is free again. */
export const deleteCredential = async (
  { aggregates }: Pick<Deps, 'aggregates'>,
  credentialId: string,
  reason: DeletionReason,
  envelope: Envelope,
): Promise<Outcome<null, CredentialRejection>> => {
  const command: CredentialCommand = { type: 'DeleteCredential', data: { reason } };
  const deleted = await aggregates.credential.send(credentialId, command, envelope);
  if (!deleted.ok) return deleted;
  if (deleted.state.status === 'absent' || deleted.events.length === 0) return done(null, deleted);
  const { workspaceId, name, tenure } = deleted.state;
  const released = await releaseName(aggregates, { workspaceId, name, credentialId, tenure }, envelope);
  return done(null, deleted, deleted, released);
};
