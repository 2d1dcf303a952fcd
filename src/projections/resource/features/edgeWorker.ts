import type { EdgeWorkerEvent } from '../../../domain/edgeWorker/index.ts';
import { featureMapping } from '../graphChange.ts';
import { belongsTo } from '../relation.ts';

export const edgeWorkerResources = featureMapping<EdgeWorkerEvent>({
  EdgeWorkerCreated: ({
    data: { companyId: workspaceId, departmentId, scriptName: name },
    meta: { subjectId: id },
  }) => [
    {
      change: 'resourceAdded',
      resource: { ...{ id, type: 'edgeWorker', workspaceId, departmentId }, name, status: 'draft' },
    },
    belongsTo({ id, workspaceId, departmentId }),
  ],
  DeploymentCompleted: ({ data: { workerStatus, provider = 'workerd', scope = '', revision }, meta }) => [
    {
      change: 'resourceRevised',
      id: meta.subjectId,
      facts: { status: workerStatus, provider, detail: '', metadata: { revision, scope } },
    },
  ],
  EdgeWorkerPaused: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { status: 'paused' } }],
  EdgeWorkerResumed: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { status: 'active' } }],
  EdgeWorkerDriftFound: ({ data, meta }) => [
    { change: 'resourceRevised', id: meta.subjectId, facts: { detail: `found ${data.kind}: ${data.found}` } },
  ],
  EdgeWorkerDriftSettled: ({ meta }) => [{ change: 'resourceRevised', id: meta.subjectId, facts: { detail: '' } }],
  EdgeWorkerRetired: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
  EdgeWorkerDeleted: ({ meta }) => [{ change: 'resourceRemoved', id: meta.subjectId }],
  EdgeWorkerScriptRemoved: 'ignored',
  RevisionSubmitted: 'ignored',
  RevisionArtifactsReleased: 'ignored',
  DeploymentAdmitted: 'ignored',
  DeploymentLeased: 'ignored',
  DeploymentLeaseRenewed: 'ignored',
  DeploymentStepRecorded: 'ignored',
  DeploymentRetryScheduled: 'ignored',
  DeploymentBecameUncertain: 'ignored',
  DeploymentFailed: 'ignored',
  DeploymentCancelRequested: 'ignored',
  DeploymentCancelled: 'ignored',
});
