import type { Actor, Message } from '../kernel.ts';
import type { Role } from '../roles.ts';

/**
 * `digest` is the SHA-256 of the token, hex. `departmentIds` empty means all of them. `issuedBy` must still be able to
 * grant this when it is accepted.
 */
export type InvitationEvent =
  | Message<
      'InvitationIssued',
      {
        workspaceId: string;
        email: string;
        role: Role;
        departmentIds: readonly string[];
        digest: string;
        expiresAt: number;
        issuedBy: Pick<Actor, 'kind' | 'id'>;
      }
    >
  /** It is used up: who accepted it becomes a member, now or when a crash is made up for. */
  | Message<'InvitationAccepted', { userId: string }>
  | Message<'InvitationRevoked', Record<never, never>>;
