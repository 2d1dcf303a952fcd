import { apiTokens } from './apiToken/apiTokens.ts';
import { auditLogs } from './audit/auditLogs.ts';
import { credentials } from './credential/credentials.ts';
import { departments } from './department/departments.ts';
import { edgeDomains } from './edgeDomain/edgeDomains.ts';
import { edgeWorkerMaintenance } from './edgeMaintenance/edgeWorkerMaintenance.ts';
import { edgeSecrets } from './edgeSecret/edgeSecrets.ts';
import { edgeWorkerAuditLogs } from './edgeWorker/edgeWorkerAuditLogs.ts';
import { edgeWorkerDeploymentSteps } from './edgeWorker/edgeWorkerDeploymentSteps.ts';
import { edgeWorkerOutbox } from './edgeWorker/edgeWorkerOutbox.ts';
import { edgeWorkerScripts } from './edgeWorker/edgeWorkerScripts.ts';
import { edgeWorkers } from './edgeWorker/edgeWorkers.ts';
import { edgeWorkerVersions } from './edgeWorker/edgeWorkerVersions.ts';
import { events } from './event/events.ts';
import { invitations } from './invitation/invitations.ts';
import { jobs } from './job/jobs.ts';
import { jobTurns } from './job/jobTurns.ts';
import { resourceRelations } from './resource/resourceRelations.ts';
import { resourceRelationVersions } from './resource/resourceRelationVersions.ts';
import { resources } from './resource/resources.ts';
import { resourceTags } from './resource/resourceTags.ts';
import { resourceVersions } from './resource/resourceVersions.ts';
import { sessions } from './session/sessions.ts';
import { users } from './user/users.ts';
import { webhooks } from './webhook/webhooks.ts';
import { workspaceMembers } from './workspace/workspaceMembers.ts';
import { workspaces } from './workspace/workspaces.ts';

/** Every read table, parents before the tables that refer to them. */
export const tables = [
  // Organisation
  users,
  sessions,
  workspaces,
  workspaceMembers,
  departments,
  apiTokens,
  invitations,
  // Edge
  edgeWorkers,
  edgeWorkerVersions,
  edgeWorkerOutbox,
  edgeWorkerDeploymentSteps,
  edgeWorkerScripts,
  edgeWorkerMaintenance,
  edgeSecrets,
  edgeDomains,
  edgeWorkerAuditLogs,
  // Credentials
  credentials,
  // One graph over everything
  resources,
  resourceTags,
  resourceRelations,
  resourceVersions,
  resourceRelationVersions,
  // Work outside
  jobs,
  jobTurns,
  webhooks,
  // Compliance
  auditLogs,
  events,
] as const;
