import type { Message } from '../kernel.ts';
import type { Role } from '../roles.ts';

/** `departmentIds` limits a member to those departments; empty means all of them. */
export type WorkspaceEvent =
  | Message<'WorkspaceCreated', { name: string; slug: string }>
  | Message<
      'MemberAdded',
      {
        userId: string;
        email: string;
        displayName: string;
        role: Role;
        departmentIds: readonly string[];
        invitationId?: string | undefined;
      }
    >
  /** An invitation that somebody accepted who was a member by then: used up, and nothing else. */
  | Message<'MemberInvitationRedeemed', { userId: string; invitationId: string }>
  | Message<'MemberRoleAssigned', { userId: string; role: Role; departmentIds: readonly string[] }>
  | Message<'MemberRemoved', { userId: string }>
  /** Hard: the tables forget it with all its departments, workers, members and tokens; the log does not. */
  | Message<'WorkspaceDeleted', { slug: string }>
  /** Its slug was claimed for it and given to another before it came to be: now it never will. */
  | Message<'WorkspaceClaimForfeited', object>;
