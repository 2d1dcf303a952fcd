import { z } from 'zod';
import { idField } from '../commands/fields.ts';
import {
  relateResources,
  relateResourcesSchema,
  relationTypeField,
  unrelateResources,
} from '../commands/resourceRelation.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { isId, type Membership } from './guard.ts';
import { pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { enterResource, mayChange, viewOf } from './resourceGuard.ts';
import { relatedResources, relation, showRelation } from './resourceModels.ts';

const tag = 'Resources';
const all = '/workspaces/{workspaceId}/resource-relations';

const noRelation = refuse('ResourceRelationNotFound', 'There is no such relation in this workspace.');
const managed = refuse(
  'ResourceRelationManaged',
  'This relation follows from what a feature does, and goes with that alone.',
);

const filter = z.strictObject({
  ...pagingFields,
  resourceId: idField.optional().meta({ description: 'At either end.' }),
  type: relationTypeField.optional(),
});

const list = workspaceOperation(
  {
    id: 'listResourceRelations',
    method: 'get',
    path: all,
    tag,
    summary: 'Relations between resources, oldest first',
    description: 'Those of which the caller may see both ends.',
    role: 'VIEWER',
    query: filter,
    body: noBody,
    success: { status: 200, description: 'A page of relations', schema: pageOf(relation, 'ResourceRelationPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query: { limit, cursor, ...given } }) => {
    const { queries, view } = viewOf(deps, who);
    return pageReply(
      request,
      { limit, cursor },
      (page) => queries.relations({ ...page, ...view, ...given }),
      showRelation,
    );
  },
);

const relate = workspaceOperation(
  {
    id: 'relateResources',
    method: 'post',
    path: all,
    tag,
    summary: 'Relate a resource to another one',
    description: 'The same relation again is the one that is there. It ends with either of the resources.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(relateResourcesSchema),
    success: { status: 201, description: 'Related; or it was before', schema: relatedResources },
    problems: [
      ...(['WorkspaceNotFound', 'ResourceNotFound', 'ResourceRelationNotFound'] as const),
      ...(['ResourceRelationInvalid', 'ResourceRelationManaged'] as const),
    ],
  },
  async ({ deps, who, body: { sourceId, type, targetId }, envelope }) => {
    const source = await enterResource(deps, who, sourceId);
    if (isRefusal(source)) return { ...source, field: 'sourceId' };
    const target = await enterResource(deps, who, targetId);
    if (isRefusal(target)) return { ...target, field: 'targetId' };
    const refused = mayChange(who, source);
    if (refused) return refused;
    const request = envelope(who.caller, { workspaceId: who.workspaceId, departmentId: source.departmentId });
    const related = await relateResources(deps, who.workspaceId, { source, type, target }, request);
    return answer(related, request, (shown) => ({ status: 201, body: shown }));
  },
);

type RelationRefusal = Refusal<'ResourceRelationNotFound' | 'ResourceRelationManaged' | 'RoleInsufficient'>;

/** One that was made by hand and that the caller may remove, from the log; it ended with either of its ends. */
const enterRelation = async (
  deps: ApiDeps,
  who: Membership,
  relationId: string,
): Promise<{ readonly departmentId: string } | RelationRefusal> => {
  if (!isId(relationId)) return noRelation;
  const { state } = await deps.aggregates.resourceRelation.load(relationId);
  if (state.status !== 'active' || state.workspaceId !== who.workspaceId) {
    // Only the tables have those of features; this only chooses the words for a no.
    const shown = await deps.queries.relation({ ...viewOf(deps, who).view, relationId });
    return shown?.madeBy === 'feature' ? managed : noRelation;
  }
  const source = await enterResource(deps, who, state.source.id);
  const target = await enterResource(deps, who, state.target.id);
  if (isRefusal(source) || isRefusal(target)) return noRelation;
  const isOfThisLife =
    source.incarnation === state.source.incarnation && target.incarnation === state.target.incarnation;
  if (!isOfThisLife) return noRelation;
  return mayChange(who, source) ?? source;
};

const remove = workspaceOperation(
  {
    id: 'unrelateResources',
    method: 'delete',
    path: '/workspaces/{workspaceId}/resource-relations/{relationId}',
    tag,
    summary: 'Remove a relation that was made by hand',
    role: 'MEMBER',
    ...noInput,
    success: { status: 204, description: 'Removed', schema: z.null() },
    problems: [
      ...(['WorkspaceNotFound', 'ResourceNotFound', 'ResourceRelationNotFound'] as const),
      ...(['ResourceRelationInvalid', 'ResourceRelationManaged'] as const),
    ],
  },
  async ({ deps, who, params: { relationId }, envelope }) => {
    const found = await enterRelation(deps, who, relationId);
    if (isRefusal(found)) return found;
    const { workspaceId } = who;
    const request = envelope(who.caller, { workspaceId, departmentId: found.departmentId });
    const removed = await unrelateResources(deps, { workspaceId, relationId }, request);
    return answer(removed, request, () => ({ status: 204, body: null }));
  },
);

export const resourceRelationOperations: readonly Operation[] = [list, relate, remove];
