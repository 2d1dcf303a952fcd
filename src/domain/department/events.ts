import type { Message } from '../kernel.ts';

export type DepartmentEvent =
  | Message<'DepartmentCreated', { workspaceId: string; name: string; slug: string }>
  /** Soft: no row goes, nobody sees it any more, its slug may be used again. */
  | Message<'DepartmentRemoved', { workspaceId: string; slug: string }>
  /** Its slug was claimed for it and given to another before it came to be: now it never will. */
  | Message<'DepartmentClaimForfeited', { workspaceId: string }>;
