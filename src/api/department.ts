import { z } from 'zod';
import { createDepartment, createDepartmentSchema, removeDepartment } from '../commands/department.ts';
import { catalog } from '../domain/catalog.ts';
import { departmentOperation, workspaceOperation } from './define.ts';
import { needAllDepartments, noDepartment, scopeOf } from './guard.ts';
import { department, isoTime, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { stateIn } from './pointInTime.ts';

const tag = 'Departments';

const list = workspaceOperation(
  {
    id: 'listDepartments',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments',
    tag,
    summary: 'Departments of a workspace',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of departments', schema: pageOf(department, 'DepartmentPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.departments({ ...page, workspaceId: who.workspaceId, ...scopeOf(who) }),
      ({ createdAt, ...row }) => ({ ...row, createdAt: isoTime(createdAt) }),
    ),
);

const create = workspaceOperation(
  {
    id: 'createDepartment',
    method: 'post',
    path: '/workspaces/{workspaceId}/departments',
    tag,
    summary: 'Create a department',
    description: 'A department owns at most one edge worker.',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(createDepartmentSchema),
    success: { status: 201, description: 'Created', schema: department },
    problems: ['WorkspaceNotFound', 'NameTaken', 'DepartmentExists', 'DepartmentNotFound'],
  },
  async ({ deps, who, body, envelope }) => {
    const refused = needAllDepartments(who);
    if (refused) return refused;
    const request = envelope(who.caller, { workspaceId: who.workspaceId });
    return answer(
      await createDepartment(deps, who.workspaceId, body, request),
      request,
      ({ departmentId, ...row }) => ({
        status: 201,
        body: { id: departmentId, ...row },
        headers: { Location: `/workspaces/${who.workspaceId}/departments/${departmentId}` },
      }),
    );
  },
);

const get = departmentOperation(
  {
    id: 'getDepartment',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}',
    tag,
    summary: 'One department',
    role: 'VIEWER',
    query: noQuery,
    body: noBody,
    success: { status: 200, description: 'The department', schema: department },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound'],
  },
  async ({ deps, who }) => {
    const { state, revision, createdAt } = await stateIn(deps.log, catalog.department, who.departmentId);
    if (state.status !== 'active') return noDepartment;
    const { workspaceId, name, slug } = state;
    return {
      status: 200,
      revision,
      body: { id: who.departmentId, workspaceId, name, slug, createdAt: isoTime(createdAt) },
    };
  },
);

const remove = departmentOperation(
  {
    id: 'removeDepartment',
    method: 'delete',
    path: '/workspaces/{workspaceId}/departments/{departmentId}',
    tag,
    summary: 'Remove a department',
    description:
      'It is hidden from now on and its worker is taken off the air for good. Nothing on record is deleted, and the ' +
      'slug may be used again.',
    role: 'ADMIN',
    ...noInput,
    success: { status: 204, description: 'Removed', schema: z.null() },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'DepartmentExists'],
  },
  async ({ deps, who, envelope }) => {
    const request = envelope(who.caller, who);
    return answer(await removeDepartment(deps, who, request), request, () => ({ status: 204, body: null }));
  },
);

export const departmentOperations: readonly Operation[] = [list, create, get, remove];
