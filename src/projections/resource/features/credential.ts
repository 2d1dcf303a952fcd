import type { CredentialEvent } from '../../../domain/credential/index.ts';
import { featureMapping } from '../graphChange.ts';
import { belongsTo } from '../relation.ts';

/** Its name and of what kind it is, for those who may list credentials. */
export const credentialResources = featureMapping<CredentialEvent>({
  CredentialCreated: ({ data: { workspaceId, departmentId, name, details }, meta: { subjectId: id } }) => {
    const resource = {
      ...{ id, type: 'credential', kind: details.kind, workspaceId, departmentId },
      name,
      status: 'active',
    };
    const inDepartment = departmentId === '' ? [] : [belongsTo({ id, workspaceId, departmentId })];
    return [{ change: 'resourceAdded', resource }, ...inDepartment];
  },
  CredentialRenamed: ({ data, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { name: data.name } },
  ],
  CredentialDeleted: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
  CredentialReplaced: 'ignored',
  CredentialDescribed: 'ignored',
  CredentialShredded: 'ignored',
  CredentialClaimForfeited: 'ignored',
});
