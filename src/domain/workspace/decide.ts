import { type Decision, type Message, reject } from '../kernel.ts';
import type { Role } from '../roles.ts';
import type { WorkspaceEvent } from './events.ts';
import type { Member, Workspace } from './state.ts';

type NewMember = { userId: string; email: string; displayName: string; role: Role; departmentIds: readonly string[] };

export type WorkspaceCommand =
  | Message<
      'CreateWorkspace',
      { name: string; slug: string; owner: Pick<NewMember, 'userId' | 'email' | 'displayName'> }
    >
  | Message<'AddMember', NewMember>
  /** Who accepted an invitation: a member from now on; one who is a member already stays what he is. */
  | Message<'AdmitInvited', NewMember & { invitationId: string }>
  | Message<'ChangeMemberRole', { userId: string; role: Role; departmentIds: readonly string[] }>
  | Message<'RemoveMember', { userId: string }>
  /** `confirm` is the slug, so that nobody deletes another one than they think. */
  | Message<'DeleteWorkspace', { confirm: string }>
  /** Somebody else wants the slug, and nothing came of the claim yet. */
  | Message<'ForfeitWorkspaceClaim', object>;

export type WorkspaceRejection =
  | 'WorkspaceNotFound'
  | 'WorkspaceExists'
  | 'MemberExists'
  | 'MemberNotFound'
  | 'LastOwnerRequired'
  | 'ConfirmationMismatch';

const sameRights = (left: Member, right: Member): boolean =>
  left.role === right.role && [...left.departmentIds].sort().join() === [...right.departmentIds].sort().join();

/** One who is limited to departments cannot keep a workspace: he may not even create a department. */
const isFullOwner = ({ role, departmentIds }: Pick<Member, 'role' | 'departmentIds'>): boolean =>
  role === 'OWNER' && departmentIds.length === 0;

const isLastOwner = (member: Member, members: ReadonlyMap<string, Member>): boolean =>
  isFullOwner(member) && [...members.values()].filter(isFullOwner).length === 1;

export const decide = (command: WorkspaceCommand, state: Workspace): Decision<WorkspaceEvent, WorkspaceRejection> => {
  if (command.type === 'CreateWorkspace') return create(command.data, state);
  if (command.type === 'ForfeitWorkspaceClaim') {
    const isOpen = state.status === 'absent' && !state.forfeited;
    return isOpen ? [{ type: 'WorkspaceClaimForfeited', data: {} }] : [];
  }
  if (command.type === 'DeleteWorkspace') return remove(command.data.confirm, state);
  if (state.status !== 'active') return notFound();
  const member = state.members.get(command.data.userId);
  switch (command.type) {
    case 'AddMember':
      if (!member) return [{ type: 'MemberAdded', data: command.data }];
      return sameRights(member, command.data)
        ? []
        : reject('MemberExists', 'This user is already a member with another role.', { field: 'email' });
    case 'AdmitInvited': {
      const { userId, invitationId } = command.data;
      if (state.redeemed.has(invitationId)) return [];
      if (!member) return [{ type: 'MemberAdded', data: command.data }];
      return [{ type: 'MemberInvitationRedeemed', data: { userId, invitationId } }];
    }
    case 'ChangeMemberRole':
      if (!member) return reject('MemberNotFound', 'This user is not a member of the workspace.', { field: 'userId' });
      if (sameRights(member, command.data)) return [];
      if (!isFullOwner(command.data) && isLastOwner(member, state.members)) return lastOwner();
      return [{ type: 'MemberRoleAssigned', data: command.data }];
    case 'RemoveMember':
      if (!member) return [];
      if (isLastOwner(member, state.members)) return lastOwner();
      return [{ type: 'MemberRemoved', data: command.data }];
  }
};

const notFound = () => reject('WorkspaceNotFound', 'There is no such workspace.');

const remove = (confirm: string, state: Workspace): Decision<WorkspaceEvent, WorkspaceRejection> => {
  if (state.status === 'deleted') return [];
  if (state.status === 'absent') return notFound();
  if (confirm !== state.slug) {
    return reject('ConfirmationMismatch', `Deleting is for good. Send the slug of this workspace, ${state.slug}.`, {
      field: 'confirm',
    });
  }
  return [{ type: 'WorkspaceDeleted', data: { slug: state.slug } }];
};

const lastOwner = () =>
  reject(
    'LastOwnerRequired',
    'A workspace keeps at least one OWNER of all its departments. Make another member one first.',
    {
      field: 'role',
    },
  );

const create = (
  { name, slug, owner }: Extract<WorkspaceCommand, { type: 'CreateWorkspace' }>['data'],
  state: Workspace,
): Decision<WorkspaceEvent, WorkspaceRejection> => {
  if (state.status === 'deleted') return notFound();
  if (state.status === 'absent' && state.forfeited) {
    return reject('WorkspaceExists', 'Somebody else took its slug before it came to be.', {
      field: 'slug',
    });
  }
  if (state.status === 'active') {
    return state.slug === slug
      ? []
      : reject('WorkspaceExists', 'This workspace exists under another name.', { field: 'slug' });
  }
  return [
    { type: 'WorkspaceCreated', data: { name, slug } },
    { type: 'MemberAdded', data: { ...owner, role: 'OWNER', departmentIds: [] } },
  ];
};
