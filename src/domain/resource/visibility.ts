import type { Role } from '../roles.ts';

/** Who may see a resource, beside those who are kept out of its department. */
export type Visibility = {
  /** Of the whole workspace: `members` is everybody in it, `unlimited` those who are not limited to departments. */
  readonly audience: 'members' | 'unlimited';
  /** The lowest role that may see it. */
  readonly readerRole: Role;
};

const everybody: Visibility = { audience: 'members', readerRole: 'VIEWER' };

/** Types that not everybody in the workspace sees. */
const restricted: Readonly<Record<string, Visibility>> = {
  credential: { audience: 'unlimited', readerRole: 'MEMBER' },
  webhook: { audience: 'unlimited', readerRole: 'ADMIN' },
};

export const visibilityOf = (type: string): Visibility =>
  (Object.hasOwn(restricted, type) ? restricted[type] : undefined) ?? everybody;
