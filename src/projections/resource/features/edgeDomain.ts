import type { EdgeDomainEvent } from '../../../domain/edgeDomain/index.ts';
import { featureMapping } from '../graphChange.ts';

export const edgeDomainResources = featureMapping<EdgeDomainEvent>({
  DomainAttachmentRequested: ({ data, meta: { subjectId: id } }) => {
    const { companyId: workspaceId, departmentId, hostname: name, provider, claim, adopt } = data;
    const of = { id, type: 'edgeDomain', workspaceId, departmentId };
    const resource = { ...of, name, provider, status: 'attaching', metadata: { claim, adopt } };
    const relation = {
      ...{ workspaceId, sourceId: id, type: 'resolves_to', targetId: data.workerId, madeBy: 'feature' as const },
      ...{ sourceDepartmentId: departmentId, targetDepartmentId: departmentId },
    };
    return [
      // Of whoever was refused this name before.
      ...(claim > 1 ? [{ change: 'resourceRemoved' as const, id }] : []),
      { change: 'resourceAdded', resource },
      { change: 'relationPut', relation },
    ];
  },
  DomainAttached: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { status: 'attached' } }],
  DomainAttachmentRefused: ({ data, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { status: 'refused', detail: data.code } },
  ],
  DomainDetachmentRequested: ({ meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { status: 'detaching' } },
  ],
  DomainDetached: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
  DomainVerified: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { detail: 'verified' } }],
  DomainVerificationFailed: ({ data, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { detail: `not verified: ${data.reason}` } },
  ],
  DomainAttachmentAbandoned: 'ignored',
  DomainCertificateStored: 'ignored',
  DomainCertificateRemoved: 'ignored',
});
