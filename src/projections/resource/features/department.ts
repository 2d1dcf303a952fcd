import type { DepartmentEvent } from '../../../domain/department/index.ts';
import { featureMapping } from '../graphChange.ts';

export const departmentResources = featureMapping<DepartmentEvent>({
  DepartmentCreated: ({ data: { workspaceId, name, slug }, meta: { subjectId: id } }) => [
    {
      change: 'resourceAdded',
      resource: {
        ...{ id, type: 'department', workspaceId, departmentId: id },
        name,
        status: 'active',
        metadata: { slug },
      },
    },
  ],
  DepartmentClaimForfeited: 'ignored',
  DepartmentRemoved: ({ meta }) => [{ change: 'departmentRemoved', departmentId: meta.subjectId }],
});
