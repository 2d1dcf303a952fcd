import type { Role } from '../domain/roles.ts';
import {
  authenticate,
  type DepartmentMembership,
  enterDepartment,
  enterWorkspace,
  type Membership,
  needRole,
} from './guard.ts';
import { isRefusal } from './problem.ts';
import type { ApiRequest } from './request.ts';

type Asking = Pick<ApiRequest, 'deps' | 'raw'>;

/** A stream outlives its guard: sessions end, tokens are revoked, members leave while it is open. */
export const stillAllowed = async (
  request: Asking,
  { workspaceId, departmentId }: DepartmentMembership,
  role: Role,
): Promise<boolean> => {
  const membership = await membershipNow(request, workspaceId);
  if (!membership) return false;
  const inside = await enterDepartment(request.deps, membership, departmentId);
  return !isRefusal(inside) && needRole(inside, role) === undefined;
};

/** For a stream of a whole workspace: whoever may see more or less than when it began opens it again. */
export const sameRights = async (request: Asking, before: Membership): Promise<boolean> => {
  const now = await membershipNow(request, before.workspaceId);
  if (!now || now.role !== before.role || now.departmentIds.length !== before.departmentIds.length) return false;
  return now.departmentIds.every((id) => before.departmentIds.includes(id));
};

const membershipNow = async ({ deps, raw }: Asking, workspaceId: string): Promise<Membership | undefined> => {
  const caller = await authenticate(deps, raw.headers.authorization);
  const membership = isRefusal(caller) ? caller : await enterWorkspace(deps, caller, workspaceId);
  return isRefusal(membership) ? undefined : membership;
};
