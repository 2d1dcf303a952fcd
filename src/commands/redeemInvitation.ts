import { derivedId, reservationId } from '../domain/identifiers.ts';
import type { Invitation, InvitationRejection } from '../domain/invitation/index.ts';
import { atLeast, covers, type Rights } from '../domain/roles.ts';
import type { WorkspaceRejection } from '../domain/workspace/index.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { Aggregates } from './aggregates.ts';
import { claimKey } from './claimKey.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { rightsOfGiver } from './givers.ts';
import type { RegisterByInvitation } from './invitation.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import { objectionTo } from './passwordRules.ts';
import { parseToken, sameDigest } from './tokens.ts';
import { reserve } from './workspace.ts';

type Deps = {
  readonly aggregates: Pick<Aggregates, 'apiToken' | 'invitation' | 'reservation' | 'user' | 'workspace'>;
  readonly clock: { now(): number };
};

type Alive = Extract<Invitation, { readonly status: 'open' | 'accepted' }> & {
  readonly invitationId: string;
  readonly workspaceName: string;
};

const unknownInvitation = notSent(
  'InvitationNotFound',
  'This invitation does not exist, or can no longer be accepted. Ask for another one.',
);

/** Undefined for every reason why nobody can accept it. One that was accepted is found, for whoever accepted it. */
const findInvitation = async (deps: Deps, token: string): Promise<Alive | undefined> => {
  const parsed = parseToken(token);
  if (parsed?.kind !== 'invitation') return undefined;
  const { state } = await deps.aggregates.invitation.load(parsed.id);
  if (state.status === 'absent' || state.status === 'revoked') return undefined;
  if (!sameDigest(state.digest, parsed.digest)) return undefined;
  const { state: workspace } = await deps.aggregates.workspace.load(state.workspaceId);
  if (workspace.status !== 'active') return undefined;
  const found = { ...state, invitationId: parsed.id, workspaceName: workspace.name };
  if (state.status === 'accepted') return found;
  if (deps.clock.now() >= state.expiresAt) return undefined;
  // What the giver lost is lost for what he promised, too.
  const giver = await rightsOfGiver(deps, state.workspaceId, state.issuedBy);
  return giver && atLeast(giver.role, 'ADMIN') && covers(giver, state) ? found : undefined;
};

/** Who has the address, if anybody has registered it. */
const accountOf = async ({ aggregates }: Deps, email: string) => {
  const { state } = await aggregates.reservation.load(reservationId(sha256, 'email', email));
  const userId = state.status === 'reserved' ? state.ownerId : '';
  const { state: user } = userId === '' ? { state: undefined } : await aggregates.user.load(userId);
  return { userId, user: user?.status === 'registered' ? user : undefined };
};

export type InvitationShown = Rights & {
  readonly workspaceId: string;
  readonly workspaceName: string;
  readonly email: string;
  readonly expiresAt: number;
  readonly hasAccount: boolean;
};

/** For whoever holds the token, before he accepts. */
export const showInvitation = async (deps: Deps, token: string): Promise<InvitationShown | undefined> => {
  const found = await findInvitation(deps, token);
  if (found?.status !== 'open') return undefined;
  const { workspaceId, workspaceName, email, role, departmentIds, expiresAt } = found;
  const hasAccount = (await accountOf(deps, email)).user !== undefined;
  return { workspaceId, workspaceName, email, role, departmentIds, expiresAt, hasAccount };
};

export type Joined = Rights & {
  readonly userId: string;
  readonly email: string;
  readonly workspaceId: string;
  readonly workspaceName: string;
};

type Person = { readonly userId: string; readonly email: string; readonly displayName: string };
type JoinRejection = InvitationRejection | WorkspaceRejection;

/**
 * Used up first, so that a revocation that comes in between wins or loses as a whole; then the membership. The workspace
 * remembers the invitation, so that nobody who was removed comes back with it.
 */
const join = async (
  { aggregates, clock }: Deps,
  invitation: Alive,
  person: Person,
  envelope: Envelope,
): Promise<Outcome<Joined, JoinRejection>> => {
  const { workspaceId, workspaceName, invitationId, role, departmentIds } = invitation;
  const { expectedRevision: _, ...unconditional } = envelope;
  const request = { ...unconditional, workspaceId, actor: { kind: 'user', id: person.userId } } as const;
  const acceptance = { type: 'AcceptInvitation', data: { userId: person.userId, now: clock.now() } } as const;
  const accepted = await aggregates.invitation.send(invitationId, acceptance, request);
  if (!accepted.ok) return accepted;
  const member = { ...person, role, departmentIds, invitationId };
  const admitted = await aggregates.workspace.send(workspaceId, { type: 'AdmitInvited', data: member }, request);
  if (!admitted.ok) return admitted;
  const rights = admitted.state.status === 'active' ? admitted.state.members.get(person.userId) : undefined;
  if (!rights) return unknownInvitation;
  const { userId, email } = person;
  return done({ userId, email, workspaceId, workspaceName, ...rights }, admitted, accepted, admitted);
};

/** Signed in as the account of the address: joins. Accepting again is the same membership. */
export const acceptInvitation = async (
  deps: Deps,
  userId: string,
  token: string,
  envelope: Envelope,
): Promise<Outcome<Joined, JoinRejection | 'InvitationAddressDiffers'>> => {
  const found = await findInvitation(deps, token);
  if (!found || (found.status === 'accepted' && found.userId !== userId)) return unknownInvitation;
  const { state: user } = await deps.aggregates.user.load(userId);
  if (user.status === 'absent' || user.email !== found.email) {
    return notSent(
      'InvitationAddressDiffers',
      'The invitation is for another e-mail address. Sign in as that, or ask for an invitation for yours.',
    );
  }
  const person = { userId, email: user.email, displayName: user.displayName };
  const rehearsed = await join(deps, found, person, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  const reused = await claimKey(deps.aggregates, found.invitationId, envelope);
  return reused ? { ok: false, rejection: reused } : join(deps, found, person, envelope);
};

/**
 * Signed out: registers the account of the address that was invited, and joins. Where the address has an account, only
 * its password gets any further. The id of the account follows from the invitation's, so that every retry means the same.
 */
export const registerByInvitation = async (
  deps: Deps & { readonly passwords: Passwords },
  { token, displayName, password }: RegisterByInvitation,
  envelope: Envelope,
): Promise<
  Outcome<Joined, JoinRejection | 'SignInRequired' | 'UserExists' | 'UserNotFound' | 'NameTaken' | 'PasswordRefused'>
> => {
  const found = await findInvitation(deps, token);
  if (!found) return unknownInvitation;
  const { email, invitationId } = found;
  const account = await accountOf(deps, email);
  if (account.user) {
    const { userId, user } = account;
    if (found.status === 'accepted' && found.userId !== userId) return unknownInvitation;
    if (!(await deps.passwords.verify(user.passwordHash, password))) {
      return found.status === 'accepted' ? unknownInvitation : signInFirst;
    }
    // A password that the program made opens nothing but its own change.
    if (user.initialUntil !== 0) return found.status === 'accepted' ? unknownInvitation : signInFirst;
    return join(deps, found, { userId, email, displayName: user.displayName }, envelope);
  }
  if (found.status === 'accepted') return unknownInvitation;
  const objection = objectionTo(password, email);
  if (objection !== undefined) return notSent('PasswordRefused', objection, { field: 'password' });
  // An address that a crash left without its account keeps the id that owns it.
  const userId = account.userId === '' ? derivedId(sha256, 'user', 'invitation', invitationId) : account.userId;
  const passwordHash = await deps.passwords.hash(password);
  const { expectedRevision: _, ...unconditional } = envelope;
  const request = { ...unconditional, actor: { kind: 'user', id: userId } } as const;
  const reserved = await reserve(deps.aggregates, 'email', email, userId, request);
  if (!reserved.ok) {
    // Somebody else registered the address between the look and the claim: look again.
    if (reserved.rejection.rejected === 'NameTaken')
      return registerByInvitation(deps, { token, displayName, password }, envelope);
    return reserved;
  }
  const registration = { type: 'RegisterUser', data: { email, displayName, passwordHash } } as const;
  const registered = await deps.aggregates.user.send(userId, registration, request);
  if (!registered.ok) return registered;
  // Two who registered at once: the password of whoever came first is the one that counts.
  const isOurs = registered.state.status === 'registered' && registered.state.passwordHash === passwordHash;
  if (!isOurs && !registered.replayed) return registerByInvitation(deps, { token, displayName, password }, envelope);
  const joined = await join(deps, found, { userId, email, displayName }, envelope);
  return joined.ok ? { ...joined, events: [...reserved.events, ...registered.events, ...joined.events] } : joined;
};

const signInFirst = notSent(
  'SignInRequired',
  'The address that was invited has an account. Sign in with it, then accept the invitation.',
);
