import { z } from 'zod';
import { changeMemberSchema } from '../commands/workspace.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { enterDepartment, isId, type Membership, mayEnter, mayGrant, noDepartment, scopeOf } from './guard.ts';
import { changedMember, isoTime, member, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';

const tag = 'Members';

const list = workspaceOperation(
  {
    id: 'listMembers',
    method: 'get',
    path: '/workspaces/{workspaceId}/members',
    tag,
    summary: 'Members of a workspace',
    description: 'Whoever is limited to departments sees those who may act there.',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of members', schema: pageOf(member, 'MemberPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.members({ ...page, workspaceId: who.workspaceId, ...scopeOf(who) }),
      ({ workspaceId: _, departmentIds, createdAt, updatedAt, ...row }) => ({
        ...row,
        departmentIds: departmentIds.filter((id) => mayEnter(who, id)),
        createdAt: isoTime(createdAt),
        updatedAt: isoTime(updatedAt),
      }),
    ),
);

/** The rights must be the giver's to give, and the departments must be there. */
export const refuseGrant = async (
  deps: ApiDeps,
  who: Membership,
  { role, departmentIds }: { readonly role: Membership['role']; readonly departmentIds: readonly string[] },
): Promise<Refusal<'RoleInsufficient' | 'DepartmentNotFound'> | undefined> => {
  const refused = mayGrant(who, role, departmentIds);
  if (refused) return refused;
  for (const id of departmentIds) {
    const entered = await enterDepartment(deps, { ...who, departmentIds: [] }, id);
    if (isRefusal(entered)) return { ...noDepartment, field: 'departmentIds' };
  }
  return undefined;
};

/** Only an OWNER deals with an OWNER. */
const refuseTarget = async (
  { aggregates }: ApiDeps,
  who: Membership,
  userId: string,
): Promise<Refusal<'RoleInsufficient' | 'MemberNotFound'> | undefined> => {
  const { state } = await aggregates.workspace.load(who.workspaceId);
  const target = state.status === 'active' && isId(userId) ? state.members.get(userId) : undefined;
  if (!target) return refuse('MemberNotFound', 'This user is not a member of the workspace.', { field: 'userId' });
  return mayGrant(who, target.role, target.departmentIds);
};

/** What a workspace may answer to any command. */
const memberProblems = [
  ...(['WorkspaceNotFound', 'WorkspaceExists', 'MemberExists', 'MemberNotFound'] as const),
  ...(['LastOwnerRequired', 'ConfirmationMismatch'] as const),
] as const;

const change = workspaceOperation(
  {
    id: 'changeMember',
    method: 'patch',
    path: '/workspaces/{workspaceId}/members/{userId}',
    tag,
    summary: 'Change the role and departments of a member',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(changeMemberSchema),
    success: { status: 200, description: 'Changed', schema: changedMember },
    problems: [...memberProblems, 'DepartmentNotFound'],
  },
  async ({ deps, who, params, body, envelope }) => {
    const refused = (await refuseTarget(deps, who, params.userId)) ?? (await refuseGrant(deps, who, body));
    if (refused) return refused;
    const data = { userId: params.userId, role: body.role, departmentIds: [...new Set(body.departmentIds)].sort() };
    const request = envelope(who.caller, { workspaceId: who.workspaceId });
    const sent = await deps.aggregates.workspace.send(who.workspaceId, { type: 'ChangeMemberRole', data }, request);
    return answer(sent.ok ? { ...sent, value: data } : sent, request, (body) => ({ status: 200, body }));
  },
);

const remove = workspaceOperation(
  {
    id: 'removeMember',
    method: 'delete',
    path: '/workspaces/{workspaceId}/members/{userId}',
    tag,
    summary: 'Remove a member',
    role: 'ADMIN',
    ...noInput,
    success: { status: 204, description: 'Removed', schema: z.null() },
    problems: memberProblems,
  },
  async ({ deps, who, params: { userId }, envelope }) => {
    const refused = await refuseTarget(deps, who, userId);
    if (refused) return refused;
    const request = envelope(who.caller, { workspaceId: who.workspaceId });
    const sent = await deps.aggregates.workspace.send(
      who.workspaceId,
      { type: 'RemoveMember', data: { userId } },
      request,
    );
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

const leave = workspaceOperation(
  {
    id: 'leaveWorkspace',
    method: 'post',
    path: '/workspaces/{workspaceId}/leave',
    tag,
    summary: 'Leave a workspace',
    description: 'Ends the membership of the caller, and the API tokens that he gave out. The last OWNER stays.',
    role: 'VIEWER',
    ...noInput,
    success: { status: 204, description: 'Left', schema: z.null() },
    problems: memberProblems,
  },
  async ({ deps, who: { caller, workspaceId }, envelope }) => {
    if (caller.kind === 'apiToken')
      return refuse('RoleInsufficient', 'An API token is no member. Revoke it, or sign in as whoever leaves.');
    const request = envelope(caller, { workspaceId });
    const command = { type: 'RemoveMember', data: { userId: caller.userId } } as const;
    const sent = await deps.aggregates.workspace.send(workspaceId, command, request);
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

export const memberOperations: readonly Operation[] = [list, change, remove, leave];
