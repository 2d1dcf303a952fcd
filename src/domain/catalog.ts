import { type ApiTokenEvent, type ApiTokenRejection, apiToken } from './apiToken/index.ts';
import { type ArtifactCleanupEvent, type ArtifactCleanupRejection, artifactCleanup } from './artifactCleanup/index.ts';
import { type ControlAuditEvent, controlAudit } from './controlAudit/index.ts';
import { type CredentialEvent, type CredentialRejection, credential } from './credential/index.ts';
import { type CredentialUseEvent, credentialUse } from './credentialUse/index.ts';
import { type DepartmentEvent, type DepartmentRejection, department } from './department/index.ts';
import { type EdgeDomainEvent, type EdgeDomainRejection, edgeDomain } from './edgeDomain/index.ts';
import { type EdgeMaintenanceEvent, type EdgeMaintenanceRejection, edgeMaintenance } from './edgeMaintenance/index.ts';
import { type EdgeSecretEvent, type EdgeSecretRejection, edgeSecret } from './edgeSecret/index.ts';
import { type EdgeWorkerEvent, type EdgeWorkerRejection, edgeWorker } from './edgeWorker/index.ts';
import { type InvitationEvent, type InvitationRejection, invitation } from './invitation/index.ts';
import { type JobEvent, type JobRejection, job } from './job/index.ts';
import { type ReservationEvent, type ReservationRejection, reservation } from './reservation/index.ts';
import { type ResourceEvent, type ResourceRejection, resource } from './resource/index.ts';
import {
  type ResourceRelationEvent,
  type ResourceRelationRejection,
  resourceRelation,
} from './resourceRelation/index.ts';
import { type SessionEvent, type SessionRejection, session } from './session/index.ts';
import { type UserEvent, type UserRejection, user } from './user/index.ts';
import { type WebhookEvent, type WebhookRejection, webhook } from './webhook/index.ts';
import { type WorkspaceEvent, type WorkspaceRejection, workspace } from './workspace/index.ts';

/** Every aggregate of Opslog, one line each. */
export const catalog = {
  // Organisation
  user,
  session,
  workspace,
  department,
  apiToken,
  invitation,
  reservation,
  // Edge
  edgeWorker,
  edgeSecret,
  edgeDomain,
  edgeMaintenance,
  artifactCleanup,
  controlAudit,
  // Credentials
  credential,
  credentialUse,
  // One graph over everything
  resource,
  resourceRelation,
  // Work outside
  job,
  webhook,
} as const;

export type Category = keyof typeof catalog;

export type OpslogEvent =
  | UserEvent
  | SessionEvent
  | WorkspaceEvent
  | DepartmentEvent
  | ApiTokenEvent
  | InvitationEvent
  | ReservationEvent
  | EdgeWorkerEvent
  | EdgeSecretEvent
  | EdgeDomainEvent
  | EdgeMaintenanceEvent
  | ArtifactCleanupEvent
  | ControlAuditEvent
  | CredentialEvent
  | CredentialUseEvent
  | ResourceEvent
  | ResourceRelationEvent
  | JobEvent
  | WebhookEvent;

export type DomainRejection =
  | UserRejection
  | SessionRejection
  | WorkspaceRejection
  | DepartmentRejection
  | ApiTokenRejection
  | InvitationRejection
  | ReservationRejection
  | EdgeWorkerRejection
  | EdgeSecretRejection
  | EdgeDomainRejection
  | EdgeMaintenanceRejection
  | ArtifactCleanupRejection
  | CredentialRejection
  | ResourceRejection
  | ResourceRelationRejection
  | JobRejection
  | WebhookRejection;

export const isCategory = (name: string): name is Category => Object.hasOwn(catalog, name);
