/** Rights in a workspace, each including the next: OWNER > ADMIN > MEMBER > VIEWER. */
export type Role = 'OWNER' | 'ADMIN' | 'MEMBER' | 'VIEWER';

const rank: Record<Role, number> = { OWNER: 3, ADMIN: 2, MEMBER: 1, VIEWER: 0 };

export const atLeast = (role: Role, needed: Role): boolean => rank[role] >= rank[needed];
