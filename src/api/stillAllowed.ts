import type { Role } from '../domain/roles.ts';
import { authenticate, type DepartmentMembership, enterDepartment, enterWorkspace, needRole } from './guard.ts';
import { isRefusal } from './problem.ts';
import type { ApiRequest } from './request.ts';

/** A stream outlives its guard: sessions end, tokens are revoked, members leave while it is open. */
export const stillAllowed = async (
  { deps, raw }: Pick<ApiRequest, 'deps' | 'raw'>,
  { workspaceId, departmentId }: DepartmentMembership,
  role: Role,
): Promise<boolean> => {
  const caller = await authenticate(deps, raw.headers.authorization);
  if (isRefusal(caller)) return false;
  const membership = await enterWorkspace(deps, caller, workspaceId);
  if (isRefusal(membership)) return false;
  const inside = await enterDepartment(deps, membership, departmentId);
  return !isRefusal(inside) && needRole(inside, role) === undefined;
};
