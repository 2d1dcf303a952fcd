import { z } from 'zod';
import { sha256 } from '../commands/envelope.ts';
import {
  acceptInvitationSchema,
  inviteMember,
  inviteMemberSchema,
  registerByInvitationSchema,
} from '../commands/invitation.ts';
import { acceptInvitation, type Joined, registerByInvitation, showInvitation } from '../commands/redeemInvitation.ts';
import { reservationId } from '../domain/identifiers.ts';
import { publicOperation, rateExceeded, signedInOperation, workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { isId, type Membership, mayGrant, scopeOf } from './guard.ts';
import { invitation, issuedInvitation, joined, shownInvitation } from './invitationModels.ts';
import { refuseGrant } from './member.ts';
import { isoTime, isoTimeOrNull, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { refuse } from './problem.ts';
import { nobody } from './request.ts';

const tag = 'Invitations';

const list = workspaceOperation(
  {
    id: 'listInvitations',
    method: 'get',
    path: '/workspaces/{workspaceId}/invitations',
    tag,
    summary: 'Invitations to a workspace',
    description: 'Open, accepted, revoked and expired ones, without their tokens.',
    role: 'ADMIN',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of invitations', schema: pageOf(invitation, 'InvitationPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.invitations({ ...page, workspaceId: who.workspaceId, ...scopeOf(who) }),
      ({ departmentIds, status, expiresAt, settledAt, createdAt, ...row }) => ({
        ...row,
        status: status === 'open' && deps.clock.now() >= expiresAt ? ('expired' as const) : status,
        departmentIds: [...departmentIds],
        expiresAt: isoTime(expiresAt),
        settledAt: isoTimeOrNull(settledAt),
        createdAt: isoTime(createdAt),
      }),
    ),
);

/** Whoever sees every member may be told that this is one; that the address has an account elsewhere, nobody is. */
const refuseMember = async ({ aggregates }: ApiDeps, { workspaceId, departmentIds }: Membership, email: string) => {
  if (departmentIds.length > 0) return undefined;
  const { state: reservation } = await aggregates.reservation.load(reservationId(sha256, 'email', email));
  const { state } = await aggregates.workspace.load(workspaceId);
  if (reservation.status !== 'reserved' || state.status !== 'active') return undefined;
  if (!state.members.has(reservation.ownerId)) return undefined;
  return refuse('MemberExists', 'This person is a member already. Change the role instead.', { field: 'email' });
};

const invite = workspaceOperation(
  {
    id: 'inviteMember',
    method: 'post',
    path: '/workspaces/{workspaceId}/invitations',
    tag,
    summary: 'Invite a person',
    description:
      'Answers with a token that is in this answer and nowhere else. Whoever has it and the address becomes a member, ' +
      'once, with these rights; nobody is told whether the address has an account here.',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(inviteMemberSchema),
    success: { status: 201, description: 'Invited', schema: issuedInvitation },
    problems: [
      ...(['WorkspaceNotFound', 'DepartmentNotFound', 'MemberExists'] as const),
      ...(['InvitationNotFound', 'InvitationExists', 'InvitationSettled'] as const),
    ],
  },
  async ({ deps, who, body, envelope }) => {
    const refused = (await refuseGrant(deps, who, body)) ?? (await refuseMember(deps, who, body.email));
    if (refused) return refused;
    const { workspaceId } = who;
    const request = envelope(who.caller, { workspaceId });
    return answer(await inviteMember(deps, workspaceId, body, request), request, (issued) => {
      const { invitationId, departmentIds, expiresAt, ...rest } = issued;
      return {
        status: 201,
        body: {
          ...{ id: invitationId, workspaceId, ...rest },
          ...{ departmentIds: [...departmentIds], expiresAt: isoTime(expiresAt) },
        },
      };
    });
  },
);

const noInvitation = refuse('InvitationNotFound', 'There is no such invitation in this workspace.');

const revoke = workspaceOperation(
  {
    id: 'revokeInvitation',
    method: 'delete',
    path: '/workspaces/{workspaceId}/invitations/{invitationId}',
    tag,
    summary: 'Revoke an invitation',
    role: 'ADMIN',
    ...noInput,
    success: { status: 204, description: 'Revoked', schema: z.null() },
    problems: ['WorkspaceNotFound', 'InvitationNotFound', 'InvitationExists', 'InvitationSettled'],
  },
  async ({ deps, who, params: { invitationId }, envelope }) => {
    if (!isId(invitationId)) return noInvitation;
    const { workspaceId } = who;
    const { state } = await deps.aggregates.invitation.load(invitationId);
    if (state.status === 'absent' || state.workspaceId !== workspaceId) return noInvitation;
    const refused = mayGrant(who, state.role, state.departmentIds);
    if (refused) return refused;
    const request = envelope(who.caller, { workspaceId });
    const command = { type: 'RevokeInvitation', data: { workspaceId } } as const;
    const sent = await deps.aggregates.invitation.send(invitationId, command, request);
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

const tooMany = (seconds: number) => (seconds === 0 ? undefined : rateExceeded(seconds));

const show = publicOperation(
  {
    id: 'showInvitation',
    method: 'post',
    path: '/auth/invitations/show',
    tag,
    summary: 'What an invitation is for',
    description: 'For whoever holds its token. A POST, so that the token is in no address and no log.',
    query: noQuery,
    body: jsonBody(acceptInvitationSchema),
    command: false,
    success: { status: 200, description: 'The invitation', schema: shownInvitation },
    problems: ['InvitationNotFound'],
    admit: ({ limiters, address }) => tooMany(limiters.signIn(address)),
  },
  async ({ deps, body }) => {
    const shown = await showInvitation(deps, body.token);
    if (!shown) return refuse('InvitationNotFound', 'This invitation does not exist, or can no longer be accepted.');
    const { departmentIds, expiresAt, ...rest } = shown;
    return { status: 200, body: { ...rest, departmentIds: [...departmentIds], expiresAt: isoTime(expiresAt) } };
  },
);

const memberOf = (value: Joined) => ({ ...value, departmentIds: [...value.departmentIds] });

const joinProblems = [
  ...(['InvitationNotFound', 'InvitationExists', 'InvitationSettled', 'WorkspaceNotFound', 'WorkspaceExists'] as const),
  ...(['MemberExists', 'MemberNotFound', 'LastOwnerRequired', 'ConfirmationMismatch'] as const),
] as const;

const register = publicOperation(
  {
    id: 'registerByInvitation',
    method: 'post',
    path: '/auth/invitations/register',
    tag,
    summary: 'Register by an invitation, and join',
    description:
      'For a person who has no account here: registers one for the address that was invited, and joins. Sign in afterwards. ' +
      'Sent again with the same token and password it answers the same.',
    query: noQuery,
    body: jsonBody(registerByInvitationSchema),
    success: { status: 201, description: 'Registered and joined', schema: joined },
    problems: [...joinProblems, 'SignInRequired', 'UserExists', 'UserNotFound', 'NameTaken', 'PasswordRefused'],
    admit: ({ limiters, address }) => tooMany(limiters.signIn(address)),
  },
  async ({ deps, body, envelope }) => {
    // Keys of different people must not meet: the token stands for the actor until there is one.
    const command = envelope({ ...nobody, actor: { kind: 'user', id: sha256(body.token) } });
    return answer(await registerByInvitation(deps, body, command), command, (value) => ({
      status: 201,
      body: memberOf(value),
    }));
  },
);

const accept = signedInOperation(
  {
    id: 'acceptInvitation',
    method: 'post',
    path: '/auth/invitations/accept',
    tag,
    summary: 'Accept an invitation as the account of its address',
    query: noQuery,
    body: jsonBody(acceptInvitationSchema),
    success: { status: 200, description: 'Joined', schema: joined },
    problems: [...joinProblems, 'InvitationAddressDiffers', 'RoleInsufficient'],
  },
  async ({ deps, who, body, envelope }) => {
    if (who.kind === 'apiToken') return refuse('RoleInsufficient', 'An API token joins no workspace. Sign in.');
    const command = envelope(who);
    return answer(await acceptInvitation(deps, who.userId, body.token, command), command, (value) => ({
      status: 200,
      body: memberOf(value),
    }));
  },
);

export const invitationOperations: readonly Operation[] = [list, invite, revoke, show, register, accept];
