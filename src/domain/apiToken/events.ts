import type { Actor, Message } from '../kernel.ts';
import type { Role } from '../roles.ts';

/**
 * `digest` is the SHA-256 of the token, hex. `departmentId` '' means every department; `expiresAt` 0 means never. What
 * `issuedBy` may no longer do, the token may no longer do either; tokens of before this was noted have none.
 */
export type ApiTokenEvent =
  | Message<
      'ApiTokenIssued',
      {
        workspaceId: string;
        name: string;
        digest: string;
        role: Role;
        departmentId: string;
        expiresAt: number;
        issuedBy?: Pick<Actor, 'kind' | 'id'> | undefined;
      }
    >
  /** At most once an hour. */
  | Message<'ApiTokenUsed', { usedAt: number }>
  | Message<'ApiTokenRevoked', Record<never, never>>;
