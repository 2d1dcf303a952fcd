import type { Aggregates } from '../../src/commands/aggregates.ts';
import { type Envelope, sha256 } from '../../src/commands/envelope.ts';
import { createResource, describeResource, removeResource, tagResource } from '../../src/commands/resource.ts';
import { relateResources, unrelateResources } from '../../src/commands/resourceRelation.ts';
import { findSubject } from '../../src/commands/subjects.ts';
import { edgeDomainId, edgeSecretId, edgeWorkerId, resourceRelationId } from '../../src/domain/identifiers.ts';

/** The part of a random history that is about the graph: by hand, on resources of every feature. */
export const resourceSteps = [
  ...(['createResource', 'createResource', 'describeResource', 'removeResource'] as const),
  ...(['tagResource', 'tagResource', 'untagResource', 'relate', 'relate', 'relate', 'unrelate'] as const),
] as const;
export type ResourceStep = (typeof resourceSteps)[number];

export const isResourceStep = (what: string): what is ResourceStep => resourceSteps.some((each) => each === what);

/** What there may be to tag and relate in a department; most of it is not there at any one time. */
const candidates = (departmentId: string, made: readonly string[]): readonly string[] => [
  departmentId,
  edgeWorkerId(sha256, departmentId),
  edgeSecretId(sha256, departmentId, 'API_KEY'),
  edgeSecretId(sha256, departmentId, 'TOKEN'),
  ...['www0.example.com', 'www1.example.com', 'www2.example.com'].map((name) => edgeDomainId(sha256, name)),
  ...made,
];

const tags = ['team', 'env=production', 'env=test', 'tier/1', 'on_call=a@b'] as const;
const types = ['depends_on', 'belongs_to', 'uses', 'resolves_to'] as const;

export const performResourceStep = async (
  aggregates: Aggregates,
  made: string[],
  { what, pick, choice }: { readonly what: ResourceStep; readonly pick: number; readonly choice: number },
  text: string,
  { id: departmentId, workspaceId }: { readonly id: string; readonly workspaceId: string },
  envelope: Envelope,
): Promise<void> => {
  const ids = candidates(departmentId, made);
  const idAt = (index: number): string => ids[index % ids.length] ?? departmentId;
  const subject = await findSubject(aggregates, workspaceId, idAt(pick + choice));
  const other = await findSubject(aggregates, workspaceId, idAt(choice));
  const type = types[choice % types.length] ?? 'uses';
  const deps = { aggregates };
  switch (what) {
    case 'createResource': {
      const notes = {
        description: `about ${text}`.slice(0, 200),
        provider: 'hetzner',
        metadata: { api_token: 'x', rack: text },
      };
      const of = choice % 3 === 0 ? {} : { departmentId };
      const given = { name: `${text} 100%_${choice}`, kind: 'switch', ...notes, ...of };
      const created = await createResource(deps, workspaceId, given, envelope);
      if (created.ok) made.push(created.value.id);
      return;
    }
    case 'describeResource':
      await describeResource(deps, { workspaceId, resourceId: idAt(pick) }, { name: `${text} ${choice}` }, envelope);
      return;
    case 'removeResource':
      await removeResource(deps, { workspaceId, resourceId: idAt(pick) }, envelope);
      return;
    case 'tagResource':
    case 'untagResource': {
      if (!subject) return;
      const chosen = [tags[pick % tags.length] ?? 'team', tags[choice % tags.length] ?? 'team'];
      const how = {
        type: what === 'tagResource' ? ('TagResource' as const) : ('UntagResource' as const),
        tags: chosen,
      };
      await tagResource(deps, { workspaceId, subject }, how, envelope);
      return;
    }
    case 'relate':
      if (subject && other)
        await relateResources(deps, workspaceId, { source: subject, type, target: other }, envelope);
      return;
    case 'unrelate': {
      const relationId = resourceRelationId(sha256, idAt(pick + choice), type, idAt(choice));
      await unrelateResources(deps, { workspaceId, relationId }, envelope);
      return;
    }
    default:
      what satisfies never;
  }
};
