import type { ResourceEvent } from '../../../domain/resource/index.ts';
import { featureMapping } from '../graphChange.ts';
import { belongsTo } from '../relation.ts';

/** What was made by hand, and the tags of everything. */
export const customResources = featureMapping<ResourceEvent>({
  ResourceCreated: ({ data, meta: { subjectId: id } }) => {
    const { workspaceId, departmentId, kind, name, description: detail, provider, notes } = data;
    const of = { id, type: 'custom', workspaceId, departmentId };
    const resource = { ...of, kind, name, provider, status: 'active', detail, metadata: notes };
    const inDepartment = departmentId === '' ? [] : [belongsTo({ id, workspaceId, departmentId })];
    return [{ change: 'resourceAdded', resource }, ...inDepartment];
  },
  ResourceRenamed: ({ data, meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { name: data.name } }],
  ResourceDescribed: ({ data: { description: detail, provider, notes: metadata }, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { detail, provider, metadata } },
  ],
  ResourceTagged: ({ data: { workspaceId, tags, added }, meta }) => [
    { change: 'resourceTagged', id: meta.subjectId, workspaceId, tags, added, removed: [] },
  ],
  ResourceUntagged: ({ data: { workspaceId, tags, removed }, meta }) => [
    { change: 'resourceTagged', id: meta.subjectId, workspaceId, tags, added: [], removed },
  ],
  ResourceRemoved: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
});
