import type { Role } from '../roles.ts';
import type { WorkspaceEvent } from './events.ts';

export type Member = { readonly role: Role; readonly departmentIds: readonly string[] };

export type Workspace =
  | { readonly status: 'absent' }
  /** Gone for good: its id is never used again, its slug may be. */
  | { readonly status: 'deleted'; readonly slug: string }
  | {
      readonly status: 'active';
      readonly name: string;
      readonly slug: string;
      readonly members: ReadonlyMap<string, Member>;
    };

export const initial: Workspace = { status: 'absent' };

const withMember = (state: Workspace, userId: string, member: Member | undefined): Workspace => {
  if (state.status !== 'active') return state;
  const members = new Map(state.members);
  if (member) members.set(userId, member);
  else members.delete(userId);
  return { ...state, members };
};

export const evolve = (state: Workspace, event: WorkspaceEvent): Workspace => {
  switch (event.type) {
    case 'WorkspaceCreated':
      return { status: 'active', name: event.data.name, slug: event.data.slug, members: new Map() };
    case 'MemberAdded':
    case 'MemberRoleAssigned':
      return withMember(state, event.data.userId, { role: event.data.role, departmentIds: event.data.departmentIds });
    case 'MemberRemoved':
      return withMember(state, event.data.userId, undefined);
    case 'WorkspaceDeleted':
      return { status: 'deleted', slug: event.data.slug };
    default:
      event satisfies never;
      return state;
  }
};
