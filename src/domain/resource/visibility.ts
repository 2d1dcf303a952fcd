import { atLeast, type Role } from '../roles.ts';

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

/** Types of which this role sees nothing. */
export const typesHiddenFrom = (role: Role): readonly string[] =>
  Object.keys(restricted).filter((type) => !atLeast(role, visibilityOf(type).readerRole));

/** A job is named after the feature that it works for, and may be seen by whoever sees what that feature has. */
export const maySeeJob = (role: Role, kind: string): boolean =>
  !typesHiddenFrom(role).some((type) => kind.startsWith(`${type}.`));
