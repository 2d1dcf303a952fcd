import { sha256 } from '../../commands/envelope.ts';
import { resourceRelationId } from '../../domain/identifiers.ts';
import type { GraphChange, Relation } from './graphChange.ts';

export const relationIdOf = ({ sourceId, type, targetId }: Pick<Relation, 'sourceId' | 'type' | 'targetId'>): string =>
  resourceRelationId(sha256, sourceId, type, targetId);

/** A resource that is in a department. */
export const belongsTo = (of: {
  readonly id: string;
  readonly workspaceId: string;
  readonly departmentId: string;
}): GraphChange => ({
  change: 'relationPut',
  relation: {
    ...{ workspaceId: of.workspaceId, sourceId: of.id, type: 'belongs_to', targetId: of.departmentId },
    ...{ madeBy: 'feature', sourceDepartmentId: of.departmentId, targetDepartmentId: of.departmentId },
  },
});
