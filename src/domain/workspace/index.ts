import type { Decider } from '../kernel.ts';
import type { Role } from '../roles.ts';
import { decide, type WorkspaceCommand, type WorkspaceRejection } from './decide.ts';
import type { WorkspaceEvent } from './events.ts';
import { evolve, initial, type Member, type Workspace } from './state.ts';

export const workspace: Decider<WorkspaceCommand, WorkspaceEvent, Workspace, WorkspaceRejection> = {
  category: 'workspace',
  events: {
    WorkspaceCreated: true,
    MemberAdded: true,
    MemberInvitationRedeemed: true,
    MemberRoleAssigned: true,
    MemberRemoved: true,
    WorkspaceDeleted: true,
    WorkspaceClaimForfeited: true,
  },
  initial,
  decide,
  evolve,
};
export type { Member, Role, Workspace, WorkspaceCommand, WorkspaceEvent, WorkspaceRejection };
