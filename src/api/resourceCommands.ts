import { z } from 'zod';
import {
  createResource,
  createResourceSchema,
  describeResource,
  describeResourceSchema,
  removeResource,
  tagResource,
  tagsSchema,
} from '../commands/resource.ts';
import type { Subject } from '../commands/subjects.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { enterDepartment, type Membership, needAllDepartments } from './guard.ts';
import { answer, jsonBody, noInput, noQuery, type Operation } from './operation.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { enterResource, mayChange } from './resourceGuard.ts';
import { createdResource, describedResource, taggedResource } from './resourceModels.ts';

const tag = 'Resources';
const all = '/workspaces/{workspaceId}/resources';
const one = '/workspaces/{workspaceId}/resources/{resourceId}';
const problems = ['WorkspaceNotFound', 'ResourceNotFound', 'ResourceExists', 'ResourceTagsExhausted'] as const;

const create = workspaceOperation(
  {
    id: 'createResource',
    method: 'post',
    path: all,
    tag,
    summary: 'Note a thing that is not managed here',
    description: 'It can be tagged, related and found like everything else, and is of the type `custom`.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(createResourceSchema),
    success: { status: 201, description: 'Created', schema: createdResource },
    problems: [...problems, 'DepartmentNotFound'],
  },
  async ({ deps, who, body, envelope }) => {
    const { departmentId = '' } = body;
    const refused = departmentId === '' ? needAllDepartments(who) : await enterDepartment(deps, who, departmentId);
    if (refused && isRefusal(refused)) return refused;
    const request = envelope(who.caller, { workspaceId: who.workspaceId, departmentId });
    return answer(await createResource(deps, who.workspaceId, body, request), request, (created) => ({
      status: 201,
      body: created,
      headers: { Location: `/workspaces/${who.workspaceId}/resources/${created.id}` },
    }));
  },
);

type CustomRefusal = Refusal<'ResourceNotFound' | 'ResourceManaged' | 'RoleInsufficient'>;

/** One that was made by hand, and that the caller may change. */
const enterCustom = async (deps: ApiDeps, who: Membership, id: string): Promise<Subject | CustomRefusal> => {
  const subject = await enterResource(deps, who, id);
  if (isRefusal(subject)) return subject;
  if (subject.type !== 'custom') {
    return refuse('ResourceManaged', `It is named, described and removed as what it is: a ${subject.type}.`, {
      details: { type: subject.type },
    });
  }
  return mayChange(who, subject) ?? subject;
};

const describe = workspaceOperation(
  {
    id: 'describeResource',
    method: 'patch',
    path: one,
    tag,
    summary: 'Rename a resource that was made by hand, or describe it anew',
    description: 'What is not given stays as it is.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(describeResourceSchema),
    success: { status: 200, description: 'Described', schema: describedResource },
    problems: [...problems, 'ResourceManaged'],
  },
  async ({ deps, who, params: { resourceId }, body, envelope }) => {
    const subject = await enterCustom(deps, who, resourceId);
    if (isRefusal(subject)) return subject;
    const { workspaceId } = who;
    const request = envelope(who.caller, { workspaceId, departmentId: subject.departmentId });
    const described = await describeResource(deps, { workspaceId, resourceId }, body, request);
    return answer(described, request, (shown) => ({ status: 200, body: shown }));
  },
);

const remove = workspaceOperation(
  {
    id: 'removeResource',
    method: 'delete',
    path: one,
    tag,
    summary: 'Remove a resource that was made by hand',
    description: 'Its tags and relations go with it. With `at`, it is still shown as it was.',
    role: 'MEMBER',
    ...noInput,
    success: { status: 204, description: 'Removed', schema: z.null() },
    problems: [...problems, 'ResourceManaged'],
  },
  async ({ deps, who, params: { resourceId }, envelope }) => {
    const subject = await enterCustom(deps, who, resourceId);
    if (isRefusal(subject)) return subject;
    const { workspaceId } = who;
    const request = envelope(who.caller, { workspaceId, departmentId: subject.departmentId });
    const removed = await removeResource(deps, { workspaceId, resourceId }, request);
    return answer(removed, request, () => ({ status: 204, body: null }));
  },
);

const tagging = (
  { id, verb, type }: { id: string; verb: 'tag' | 'untag'; type: 'TagResource' | 'UntagResource' },
  summary: string,
) =>
  workspaceOperation(
    {
      id,
      method: 'post',
      path: `${one}/${verb}` as const,
      tag,
      summary,
      description: 'A tag is a key such as `team`, or a key with a value such as `env=production`.',
      role: 'MEMBER',
      query: noQuery,
      body: jsonBody(tagsSchema),
      success: { status: 200, description: 'The tags from now on', schema: taggedResource },
      problems,
    },
    async ({ deps, who, params: { resourceId }, body: { tags }, envelope }) => {
      const subject = await enterResource(deps, who, resourceId);
      if (isRefusal(subject)) return subject;
      const refused = mayChange(who, subject);
      if (refused) return refused;
      const { workspaceId } = who;
      const request = envelope(who.caller, { workspaceId, departmentId: subject.departmentId });
      const tagged = await tagResource(deps, { workspaceId, subject }, { type, tags }, request);
      return answer(tagged, request, (shown) => ({ status: 200, body: { id: shown.id, tags: [...shown.tags] } }));
    },
  );

const addTags = tagging({ id: 'tagResource', verb: 'tag', type: 'TagResource' }, 'Tag a resource of any type');
const removeTags = tagging(
  { id: 'untagResource', verb: 'untag', type: 'UntagResource' },
  'Take tags from a resource of any type',
);

export const resourceCommandOperations: readonly Operation[] = [create, describe, remove, addTags, removeTags];
