/** Rights in a workspace, each including the next: OWNER > ADMIN > MEMBER > VIEWER. */
export type Role = 'OWNER' | 'ADMIN' | 'MEMBER' | 'VIEWER';

export const roles = ['VIEWER', 'MEMBER', 'ADMIN', 'OWNER'] as const satisfies readonly Role[];

const rank: Record<Role, number> = { OWNER: 3, ADMIN: 2, MEMBER: 1, VIEWER: 0 };

export const atLeast = (role: Role, needed: Role): boolean => rank[role] >= rank[needed];

export type Rights = { readonly role: Role; readonly departmentIds: readonly string[] };

/** Nobody gives away more than he has: neither a higher role nor a department that he may not enter. */
export const covers = (giver: Rights, given: Rights): boolean => {
  if (!atLeast(giver.role, given.role)) return false;
  if (giver.departmentIds.length === 0) return true;
  return given.departmentIds.length > 0 && given.departmentIds.every((id) => giver.departmentIds.includes(id));
};
