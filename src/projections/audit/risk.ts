import type { OpslogEvent } from '../../domain/catalog.ts';

export type Risk = 'low' | 'medium' | 'high';

/** How much harm a wrong one of its kind could do: high for rights and credentials, medium for what serves traffic. */
const risks: Readonly<Record<OpslogEvent['type'], Risk>> = {
  UserRegistered: 'medium',
  UserPasswordReplaced: 'high',
  SessionOpened: 'low',
  SessionRevoked: 'low',
  WorkspaceCreated: 'medium',
  MemberAdded: 'high',
  MemberRoleAssigned: 'high',
  MemberRemoved: 'high',
  DepartmentCreated: 'low',
  ApiTokenIssued: 'high',
  ApiTokenRevoked: 'medium',
  NameReserved: 'low',
  NameReleased: 'low',
  EdgeWorkerCreated: 'low',
  RevisionSubmitted: 'medium',
  DeploymentAdmitted: 'medium',
  DeploymentLeased: 'low',
  DeploymentLeaseRenewed: 'low',
  DeploymentStepRecorded: 'low',
  DeploymentRetryScheduled: 'low',
  DeploymentBecameUncertain: 'medium',
  DeploymentCompleted: 'medium',
  DeploymentFailed: 'medium',
  DeploymentCancelRequested: 'medium',
  DeploymentCancelled: 'medium',
  EdgeWorkerPaused: 'high',
  EdgeWorkerResumed: 'medium',
  EdgeScopeRegistered: 'medium',
  EdgeMaintenanceBegan: 'high',
  EdgeMaintenanceEnded: 'medium',
  ArtifactCleanupRequested: 'low',
  ArtifactCleanupLeased: 'low',
  ArtifactCleanupRetryScheduled: 'low',
  ArtifactCleanupCompleted: 'medium',
};

export const riskOf = (type: OpslogEvent['type']): Risk => risks[type];
