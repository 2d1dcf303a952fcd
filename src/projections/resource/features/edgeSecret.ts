import type { EdgeSecretEvent } from '../../../domain/edgeSecret/index.ts';
import { featureMapping } from '../graphChange.ts';
import { belongsTo } from '../relation.ts';

/** Its name and how many values it had; never a value, nor a digest of one. */
export const edgeSecretResources = featureMapping<EdgeSecretEvent>({
  // A secret that was removed and is stored again goes on counting: only the tables know whether it is there.
  EdgeSecretStored: ({ data: { companyId: workspaceId, departmentId, name, version }, meta: { subjectId: id } }) => {
    const metadata = { version };
    const resource = { ...{ id, type: 'edgeSecret', workspaceId, departmentId }, name, status: 'stored', metadata };
    return [{ change: 'resourcePut', resource, facts: { metadata } }, belongsTo({ id, workspaceId, departmentId })];
  },
  EdgeSecretRemoved: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
  EdgeSecretShredded: 'ignored',
});
