import type { Aggregates } from '../../commands/aggregates.ts';
import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { visibilityOf } from '../../domain/resource/index.ts';
import type { RelationEnd } from '../../domain/resourceRelation/index.ts';

type Known = { readonly aggregates: Pick<Aggregates, 'job' | 'resourceRelation'> };
type Loader<State> = { load(id: string, options?: { readonly maxAgeMs: number }): Promise<{ readonly state: State }> };

/** Of what is asked here nothing ever changes, so any state that was ever seen will do, but that there was none yet. */
const everSeen = async <State extends { readonly status: string }>(
  aggregate: Loader<State>,
  id: string,
): Promise<State> => {
  const { state } = await aggregate.load(id, { maxAgeMs: Number.POSITIVE_INFINITY });
  return state.status === 'absent' ? (await aggregate.load(id)).state : state;
};

/** A delivery that told of deliveries would never end. */
export const isOfDelivery = async (
  { aggregates }: Known,
  { type, data, meta }: Recorded<OpslogEvent>,
): Promise<boolean> => {
  if (meta.category !== 'job') return false;
  const job = type === 'JobEnqueued' ? { kind: data.kind } : await everSeen(aggregates.job, meta.subjectId);
  return 'kind' in job && job.kind.startsWith('webhook.');
};

/**
 * A webhook that tells of some departments tells what somebody may see who is limited to them: a relation of theirs to
 * what is of others, or of the unlimited, is not among it.
 */
export const isWithinReach = async (
  { aggregates }: Known,
  { departmentIds }: { readonly departmentIds: readonly string[] },
  { type, data, meta }: Recorded<OpslogEvent>,
): Promise<boolean> => {
  if (departmentIds.length === 0 || meta.category !== 'resourceRelation') return true;
  const known = type === 'ResourceRelationCreated' ? data : await everSeen(aggregates.resourceRelation, meta.subjectId);
  return 'source' in known && [known.source, known.target].every((end) => isSeen(end, departmentIds));
};

const isSeen = ({ type, departmentId }: RelationEnd, departmentIds: readonly string[]): boolean =>
  departmentId === '' ? visibilityOf(type).audience === 'members' : departmentIds.includes(departmentId);
