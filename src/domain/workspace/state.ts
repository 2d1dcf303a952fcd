import type { Role } from '../roles.ts';
import type { WorkspaceEvent } from './events.ts';

export type Member = { readonly role: Role; readonly departmentIds: readonly string[] };

export type Workspace =
  | { readonly status: 'absent'; readonly forfeited?: true }
  /** Gone for good: its id is never used again, its slug may be. */
  | { readonly status: 'deleted'; readonly slug: string }
  | {
      readonly status: 'active';
      readonly name: string;
      readonly slug: string;
      readonly members: ReadonlyMap<string, Member>;
      /** Ids of the invitations that were accepted: each leads to a membership once, whatever became of it. */
      readonly redeemed: ReadonlySet<string>;
    };

export const initial: Workspace = { status: 'absent' };

const withMember = (state: Workspace, userId: string, member: Member | undefined): Workspace => {
  if (state.status !== 'active') return state;
  const members = new Map(state.members);
  if (member) members.set(userId, member);
  else members.delete(userId);
  return { ...state, members };
};

const rightsOf = ({ role, departmentIds }: Member): Member => ({ role, departmentIds });

const withRedeemed = (state: Workspace, invitationId: string | undefined): Workspace =>
  state.status === 'active' && invitationId !== undefined
    ? { ...state, redeemed: new Set([...state.redeemed, invitationId]) }
    : state;

export const evolve = (state: Workspace, event: WorkspaceEvent): Workspace => {
  switch (event.type) {
    case 'WorkspaceCreated':
      return {
        status: 'active',
        name: event.data.name,
        slug: event.data.slug,
        members: new Map(),
        redeemed: new Set(),
      };
    case 'MemberAdded':
      return withMember(withRedeemed(state, event.data.invitationId), event.data.userId, rightsOf(event.data));
    case 'MemberInvitationRedeemed':
      return withRedeemed(state, event.data.invitationId);
    case 'MemberRoleAssigned':
      return withMember(state, event.data.userId, rightsOf(event.data));
    case 'MemberRemoved':
      return withMember(state, event.data.userId, undefined);
    case 'WorkspaceDeleted':
      return { status: 'deleted', slug: event.data.slug };
    case 'WorkspaceClaimForfeited':
      return state.status === 'absent' ? { status: 'absent', forfeited: true } : state;
    default:
      event satisfies never;
      return state;
  }
};
