import { z } from 'zod';
import { tagField } from '../commands/resource.ts';
import { relationTypeField } from '../commands/resourceRelation.ts';
import { lineField } from '../commands/texts.ts';
import { workspaceOperation } from './define.ts';
import { isId } from './guard.ts';
import { pageOf } from './models.ts';
import { noBody, noInput, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { noResource, viewOf } from './resourceGuard.ts';
import { resource, resourceGraph, resourceWithRelations, showRelation, showResource } from './resourceModels.ts';

const tag = 'Resources';
const all = '/workspaces/{workspaceId}/resources';
const one = '/workspaces/{workspaceId}/resources/{resourceId}';

const word = lineField(64, 'Equal to this, letter by letter.');
const filter = z.strictObject({
  ...pagingFields,
  type: lineField(64, 'Such as edgeWorker; custom for what was made by hand.').optional(),
  kind: word.optional(),
  status: word.optional(),
  provider: word.optional(),
  departmentId: word.optional(),
  tag: tagField.optional(),
  q: lineField(100, 'Text in the name, in upper or lower case.').optional(),
});

const list = workspaceOperation(
  {
    id: 'listResources',
    method: 'get',
    path: all,
    tag,
    summary: 'Everything that the workspace has, of whatever feature',
    description:
      'Oldest first. With `at`, as it was then; what was deleted with its workspace or can be seen no more is not in it.',
    role: 'VIEWER',
    query: filter,
    body: noBody,
    success: { status: 200, description: 'A page of resources', schema: pageOf(resource, 'ResourcePage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query: { limit, cursor, q: text, ...given } }) => {
    const { queries, view } = viewOf(deps, who);
    return pageReply(
      request,
      { limit, cursor },
      (page) => queries.resources({ ...page, ...view, ...given, text }),
      showResource,
    );
  },
);

/** Relations shown with a resource; the rest is a list of its own. */
const shownRelations = 200;

const get = workspaceOperation(
  {
    id: 'getResource',
    method: 'get',
    path: one,
    tag,
    summary: 'A resource with its relations',
    role: 'VIEWER',
    ...noInput,
    success: { status: 200, description: 'The resource', schema: resourceWithRelations },
    problems: ['WorkspaceNotFound', 'ResourceNotFound'],
  },
  async ({ deps, who, params: { resourceId } }) => {
    if (!isId(resourceId)) return noResource;
    const { queries, view } = viewOf(deps, who);
    const found = await queries.resource({ ...view, resourceId });
    if (!found) return noResource;
    const { rows, next } = await queries.relations({ ...view, resourceId, limit: shownRelations });
    const body = { ...showResource(found), relations: rows.map(showRelation), hasMoreRelations: next !== null };
    return { status: 200, body };
  },
);

const walkQuery = z.strictObject({
  depth: z
    .string()
    .regex(/^[0-8]$/, 'A number from 0 to 8.')
    .transform(Number)
    .default(3)
    .meta({ description: 'Edges from the resource at most, from 0 to 8.' }),
  direction: z
    .enum(['out', 'in', 'both'])
    .default('both')
    .meta({ description: '`out` follows relations from source to target, `in` the other way.' }),
  types: z
    .string()
    .max(330)
    .transform((text) => text.split(','))
    .pipe(z.array(relationTypeField).min(1).max(10))
    .optional()
    .meta({ description: 'Types of relations to follow, with commas between them; all when not given.' }),
});

const maxNodes = 1_000;
const maxEdges = 5_000;

const graph = workspaceOperation(
  {
    id: 'getResourceGraph',
    method: 'get',
    path: `${one}/graph`,
    tag,
    summary: 'What a resource is connected with, over several relations',
    description:
      'A walk from the resource, level by level. Nothing behind what the caller may not see is found. It ends after 1,000 nodes ' +
      'or 5,000 edges, and says so.',
    role: 'VIEWER',
    query: walkQuery,
    body: noBody,
    success: { status: 200, description: 'The nodes and edges that were found', schema: resourceGraph },
    problems: ['WorkspaceNotFound', 'ResourceNotFound'],
  },
  async ({ deps, who, params: { resourceId }, query: walk }) => {
    if (!isId(resourceId)) return noResource;
    const { queries, view } = viewOf(deps, who);
    const found = await queries.graphFrom({ ...view, ...walk, resourceId, maxNodes, maxEdges });
    if (!found) return noResource;
    const nodes = found.nodes.map(({ distance, ...node }) => ({ ...showResource(node), distance }));
    return { status: 200, body: { nodes, edges: found.edges.map(showRelation), cut: found.cut } };
  },
);

export const resourceOperations: readonly Operation[] = [list, get, graph];
