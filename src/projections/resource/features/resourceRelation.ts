import type { ResourceRelationEvent } from '../../../domain/resourceRelation/index.ts';
import { featureMapping } from '../graphChange.ts';

export const handMadeRelations = featureMapping<ResourceRelationEvent>({
  ResourceRelationCreated: ({ data: { workspaceId, relationType: type, source, target } }) => [
    {
      change: 'relationPut',
      relation: {
        ...{ workspaceId, sourceId: source.id, type, targetId: target.id, madeBy: 'hand' },
        ...{ sourceDepartmentId: source.departmentId, targetDepartmentId: target.departmentId },
      },
    },
  ],
  ResourceRelationRemoved: ({ meta }) => [{ change: 'relationRemoved', id: meta.subjectId }],
});
