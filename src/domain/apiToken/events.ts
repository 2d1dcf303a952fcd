import type { Message } from '../kernel.ts';
import type { Role } from '../roles.ts';

/** `digest` is the SHA-256 of the token, hex. `departmentId` '' means every department; `expiresAt` 0 means never. */
export type ApiTokenEvent =
  | Message<
      'ApiTokenIssued',
      { workspaceId: string; name: string; digest: string; role: Role; departmentId: string; expiresAt: number }
    >
  | Message<'ApiTokenRevoked', Record<never, never>>;
