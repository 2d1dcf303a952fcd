import { z } from 'zod';
import { resourceRelationId } from '../domain/identifiers.ts';
import type { RelationEnd, ResourceRelationRejection } from '../domain/resourceRelation/index.ts';
import type { Aggregates } from './aggregates.ts';
import { claimKey } from './claimKey.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { idField } from './fields.ts';
import { done, type Outcome } from './outcome.ts';
import type { Subject } from './subjects.ts';

/** Types that have a meaning of their own here; any other word will do as well. */
export const relationTypes = [
  ...['belongs_to', 'deployed_on', 'runs_container', 'has_domain', 'resolves_to', 'monitors', 'has_deployment'],
  ...['depends_on', 'uses'],
] as const;

export const relationTypeField = z
  .string()
  .regex(/^[a-z][a-z0-9_]{0,31}$/, 'A word such as depends_on: lower case, digits and _, 32 at most.')
  .meta({ description: `How the source relates to the target: ${relationTypes.join(', ')}, or a word of your own.` });

export const relateResourcesSchema = z.strictObject({
  sourceId: idField,
  type: relationTypeField,
  targetId: idField,
});

export type RelatedResources = {
  readonly id: string;
  readonly sourceId: string;
  readonly type: string;
  readonly targetId: string;
};

type Deps = { readonly aggregates: Aggregates };

const endOf = ({ id, type, departmentId, incarnation }: Subject): RelationEnd => ({
  ...{ id, type, departmentId, incarnation },
});

/** Both ends were found in the log, in this workspace. The same relation again is the one that is there. */
export const relateResources = async (
  { aggregates }: Deps,
  workspaceId: string,
  { source, type, target }: { readonly source: Subject; readonly type: string; readonly target: Subject },
  envelope: Envelope,
): Promise<Outcome<RelatedResources, ResourceRelationRejection>> => {
  const id = resourceRelationId(sha256, source.id, type, target.id);
  const data = { workspaceId, relationType: type, source: endOf(source), target: endOf(target) };
  const command = { type: 'CreateResourceRelation', data } as const;
  const rehearsed = await aggregates.resourceRelation.send(id, command, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  const reused = await claimKey(aggregates, id, envelope);
  if (reused) return { ok: false, rejection: reused };
  const sent = await aggregates.resourceRelation.send(id, command, envelope);
  return sent.ok ? done({ id, sourceId: source.id, type, targetId: target.id }, sent, sent) : sent;
};

export const unrelateResources = async (
  { aggregates }: Deps,
  { workspaceId, relationId }: { readonly workspaceId: string; readonly relationId: string },
  envelope: Envelope,
): Promise<Outcome<null, ResourceRelationRejection>> => {
  const command = { type: 'RemoveResourceRelation', data: { workspaceId } } as const;
  const sent = await aggregates.resourceRelation.send(relationId, command, envelope);
  return sent.ok ? done(null, sent, sent) : sent;
};
