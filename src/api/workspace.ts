import { z } from 'zod';
import {
  createWorkspace,
  createWorkspaceSchema,
  deleteWorkspace,
  deleteWorkspaceSchema,
} from '../commands/workspace.ts';
import { catalog } from '../domain/catalog.ts';
import type { Page, PageArgs, WorkspaceOfUser } from '../projections/answers.ts';
import { signedInOperation, workspaceOperation } from './define.ts';
import { needAllDepartments, noWorkspace } from './guard.ts';
import { isoTime, pageOf, workspace } from './models.ts';
import { answer, jsonBody, noBody, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { stateIn } from './pointInTime.ts';
import { refuse } from './problem.ts';

const tag = 'Workspaces';

const list = signedInOperation(
  {
    id: 'listWorkspaces',
    method: 'get',
    path: '/workspaces',
    tag,
    summary: 'Workspaces of the caller',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of workspaces', schema: pageOf(workspace, 'WorkspacePage') },
    problems: [],
  },
  async ({ deps, request, who, query }) => {
    const ask = async (page: PageArgs): Promise<Page<WorkspaceOfUser>> => {
      if (who.kind === 'session') return deps.queries.workspacesOfUser({ ...page, userId: who.userId });
      const own = await deps.queries.workspace({ workspaceId: who.workspaceId });
      const rights = { role: who.role, departmentIds: who.departmentId === '' ? [] : [who.departmentId] };
      return { rows: own ? [{ ...own, ...rights }] : [], next: null };
    };
    return pageReply(request, query, ask, ({ createdAt, departmentIds, ...row }) => ({
      ...row,
      departmentIds: [...departmentIds],
      createdAt: isoTime(createdAt),
    }));
  },
);

const create = signedInOperation(
  {
    id: 'createWorkspace',
    method: 'post',
    path: '/workspaces',
    tag,
    summary: 'Create a workspace',
    description:
      'A workspace is a company. Whoever creates it is its first OWNER. Unless the operator lets everybody who is signed in, ' +
      'only the administrator of the installation may.',
    query: noQuery,
    body: jsonBody(createWorkspaceSchema),
    success: { status: 201, description: 'Created', schema: workspace },
    problems: [
      'NameTaken',
      'WorkspaceExists',
      'WorkspaceNotFound',
      'MemberExists',
      'MemberNotFound',
      'LastOwnerRequired',
      'ConfirmationMismatch',
      'RoleInsufficient',
    ],
  },
  async ({ deps, who, body, envelope }) => {
    if (who.kind === 'apiToken')
      return refuse('RoleInsufficient', 'An API token acts in its own workspace only. Sign in.');
    if (!deps.mayCreateWorkspace(who.userId))
      return refuse(
        'RoleInsufficient',
        'Workspaces are created here by the administrator of the installation. Ask there.',
      );
    const { state } = await deps.aggregates.user.load(who.userId, { maxAgeMs: 60_000 });
    if (state.status === 'absent') throw new Error(`User ${who.userId} has a session but is not there.`);
    const owner = { userId: who.userId, email: state.email, displayName: state.displayName };
    const request = envelope(who);
    return answer(await createWorkspace(deps, body, owner, request), request, ({ workspaceId, name, slug }) => ({
      status: 201,
      body: { id: workspaceId, name, slug, role: 'OWNER' as const, departmentIds: [] },
      headers: { Location: `/workspaces/${workspaceId}` },
    }));
  },
);

const get = workspaceOperation(
  {
    id: 'getWorkspace',
    method: 'get',
    path: '/workspaces/{workspaceId}',
    tag,
    summary: 'One workspace',
    role: 'VIEWER',
    query: noQuery,
    body: noBody,
    success: { status: 200, description: 'The workspace', schema: workspace },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, who }) => {
    const { state, revision, createdAt } = await stateIn(deps.log, catalog.workspace, who.workspaceId);
    if (state.status !== 'active') return noWorkspace;
    const { name, slug } = state;
    const rights = { role: who.role, departmentIds: [...who.departmentIds] };
    return {
      status: 200,
      revision,
      body: { id: who.workspaceId, name, slug, ...rights, createdAt: isoTime(createdAt) },
    };
  },
);

const remove = workspaceOperation(
  {
    id: 'deleteWorkspace',
    method: 'delete',
    path: '/workspaces/{workspaceId}',
    tag,
    summary: 'Delete a workspace for good',
    description:
      'With it go its departments, workers, revisions, members and API tokens, and every script of it is taken down. ' +
      'Afterwards it answers like one that never was. What was deployed stays on record for the operator.',
    role: 'OWNER',
    query: noQuery,
    body: jsonBody(deleteWorkspaceSchema),
    success: { status: 204, description: 'Deleted', schema: z.null() },
    problems: [
      'WorkspaceNotFound',
      'WorkspaceExists',
      'MemberExists',
      'MemberNotFound',
      'LastOwnerRequired',
      'ConfirmationMismatch',
    ],
  },
  async ({ deps, who, body, envelope }) => {
    const refused = needAllDepartments(who);
    if (refused) return refused;
    const request = envelope(who.caller, { workspaceId: who.workspaceId });
    return answer(await deleteWorkspace(deps, who.workspaceId, body, request), request, () => ({
      status: 204,
      body: null,
    }));
  },
);

export const workspaceOperations: readonly Operation[] = [list, create, get, remove];
