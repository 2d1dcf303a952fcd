import { apiTokenOperations } from './apiToken.ts';
import { auditOperations } from './audit.ts';
import { credentialOperations } from './credential.ts';
import { departmentOperations } from './department.ts';
import { deploymentOperations } from './deployment.ts';
import { diffOperations } from './diff.ts';
import { edgeDomainOperations } from './edgeDomain.ts';
import { edgeSecretOperations } from './edgeSecret.ts';
import { edgeWorkerOperations } from './edgeWorker.ts';
import { feedOperations } from './feed.ts';
import { invitationOperations } from './invitation.ts';
import { jobOperations } from './job.ts';
import { memberOperations } from './member.ts';
import { metaOperations } from './meta.ts';
import type { Operation } from './operation.ts';
import { ownSessionOperations } from './ownSessions.ts';
import { reconciliationOperations } from './reconciliation.ts';
import { resourceOperations } from './resource.ts';
import { resourceCommandOperations } from './resourceCommands.ts';
import { resourceExportOperations } from './resourceExport.ts';
import { resourceRelationOperations } from './resourceRelation.ts';
import { revisionOperations } from './revision.ts';
import { scheduleOperations } from './schedule.ts';
import { sessionOperations } from './session.ts';
import { webhookOperations } from './webhook.ts';
import { webhookDeliveryOperations } from './webhookDelivery.ts';
import { workerLogOperations } from './workerLogs.ts';
import { workspaceOperations } from './workspace.ts';

/** Every operation of the API: the router and the OpenAPI document are both made from this list. */
export const operations: readonly Operation[] = [
  ...sessionOperations,
  ...ownSessionOperations,
  ...workspaceOperations,
  ...departmentOperations,
  ...memberOperations,
  ...invitationOperations,
  ...apiTokenOperations,
  ...edgeWorkerOperations,
  ...edgeDomainOperations,
  ...reconciliationOperations,
  ...revisionOperations,
  ...deploymentOperations,
  ...scheduleOperations,
  ...edgeSecretOperations,
  ...credentialOperations,
  ...workerLogOperations,
  ...resourceOperations,
  ...resourceCommandOperations,
  ...resourceRelationOperations,
  ...resourceExportOperations,
  ...jobOperations,
  ...webhookOperations,
  ...webhookDeliveryOperations,
  ...diffOperations,
  ...auditOperations,
  ...feedOperations,
  ...metaOperations(() => operations),
];
