import type { SendRejection } from '../commands/send.ts';
import type { ApiTokenRejection } from '../domain/apiToken/index.ts';
import type { ArtifactCleanupRejection } from '../domain/artifactCleanup/index.ts';
import type { CredentialRejection } from '../domain/credential/index.ts';
import type { DepartmentRejection } from '../domain/department/index.ts';
import type { EdgeDomainRejection } from '../domain/edgeDomain/index.ts';
import type { EdgeMaintenanceRejection } from '../domain/edgeMaintenance/index.ts';
import type { EdgeSecretRejection } from '../domain/edgeSecret/index.ts';
import type { EdgeWorkerRejection } from '../domain/edgeWorker/index.ts';
import type { InvitationRejection } from '../domain/invitation/index.ts';
import type { JobRejection } from '../domain/job/index.ts';
import type { ReservationRejection } from '../domain/reservation/index.ts';
import type { ResourceRejection } from '../domain/resource/index.ts';
import type { ResourceRelationRejection } from '../domain/resourceRelation/index.ts';
import type { SessionRejection } from '../domain/session/index.ts';
import type { UserRejection } from '../domain/user/index.ts';
import type { WebhookRejection } from '../domain/webhook/index.ts';
import type { WorkspaceRejection } from '../domain/workspace/index.ts';
import type { SubmissionRejection } from '../platform/builder/port.ts';

// The HTTP status of every rejection, one table per feature: a new rejection does not compile until it has one.
const user = { UserNotFound: 404, UserExists: 409 } as const satisfies Record<UserRejection, number>;

const session = {
  SessionNotFound: 404,
  CredentialsInvalid: 401,
  PasswordRefused: 422,
  PasswordExpired: 401,
} as const satisfies Record<SessionRejection | 'CredentialsInvalid' | 'PasswordRefused' | 'PasswordExpired', number>;

const workspace = {
  WorkspaceNotFound: 404,
  WorkspaceExists: 409,
  MemberExists: 409,
  MemberNotFound: 404,
  LastOwnerRequired: 409,
  ConfirmationMismatch: 422,
} as const satisfies Record<WorkspaceRejection, number>;

const department = { DepartmentExists: 409, DepartmentNotFound: 404 } as const satisfies Record<
  DepartmentRejection | 'DepartmentNotFound',
  number
>;

const apiToken = { ApiTokenNotFound: 404, ApiTokenExists: 409 } as const satisfies Record<ApiTokenRejection, number>;

const invitation = {
  InvitationNotFound: 404,
  InvitationExists: 409,
  InvitationSettled: 409,
  InvitationAddressDiffers: 409,
  SignInRequired: 409,
} as const satisfies Record<InvitationRejection | 'InvitationAddressDiffers' | 'SignInRequired', number>;

const reservation = { NameTaken: 409 } as const satisfies Record<ReservationRejection, number>;

const edgeWorker = {
  EdgeWorkerNotFound: 404,
  EdgeWorkerPaused: 409,
  EdgeWorkerNotDeployed: 409,
  EdgeWorkerRetired: 409,
  EdgeWorkerPlacedElsewhere: 409,
  RevisionNotFound: 404,
  RevisionEvidenceMissing: 409,
  RevisionRetired: 409,
  RollbackTargetMissing: 409,
  DeploymentAlive: 409,
  EdgeWorkersMaintenance: 409,
  TicketNotFound: 404,
  TicketSettled: 409,
  TicketNotDue: 409,
  LeaseHeld: 409,
  LeaseLost: 409,
} as const satisfies Record<EdgeWorkerRejection | ArtifactCleanupRejection, number>;

const edgeSecret = {
  EdgeSecretNotFound: 404,
  SecretVersionsExhausted: 409,
  SecretInUse: 409,
  SecretGone: 409,
} as const satisfies Record<EdgeSecretRejection | 'SecretInUse' | 'SecretGone', number>;

const credential = {
  CredentialNotFound: 404,
  CredentialExists: 409,
  CredentialKindFixed: 422,
  SshKeyInvalid: 422,
} as const satisfies Record<CredentialRejection | 'SshKeyInvalid', number>;

const edgeDomain = {
  DomainNotFound: 404,
  DomainTaken: 409,
  DomainDetaching: 409,
  DomainNotAttached: 409,
  DomainCertificateManaged: 409,
  DomainNameInvalid: 422,
  DomainNameReserved: 422,
  DomainCertificateInvalid: 422,
} as const satisfies Record<
  EdgeDomainRejection | 'DomainNameInvalid' | 'DomainNameReserved' | 'DomainCertificateInvalid',
  number
>;

const workerLogs = { LogsUnavailable: 409 } as const;

const edgeProvider = { EdgeProviderNotFound: 422 } as const;

const edgeMaintenance = {
  EdgeScopeNotFound: 404,
  BackupUnderWay: 409,
  BackupFenceLost: 409,
} as const satisfies Record<EdgeMaintenanceRejection, number>;

const job = {
  JobNotFound: 404,
  JobExists: 409,
  JobMalformed: 422,
  JobSettled: 409,
  JobNotDue: 409,
  JobNotDead: 409,
  JobCancelNotRequested: 409,
  LeaseHeld: 409,
  LeaseLost: 409,
  LeaseTooLong: 409,
  JobNotCancellable: 409,
} as const satisfies Record<JobRejection | 'JobNotCancellable', number>;

const resource = {
  ResourceNotFound: 404,
  ResourceExists: 409,
  ResourceManaged: 409,
  ResourceTagsExhausted: 409,
  ResourceRelationNotFound: 404,
  ResourceRelationInvalid: 422,
  ResourceRelationManaged: 409,
} as const satisfies Record<ResourceRejection | ResourceRelationRejection | 'ResourceManaged', number>;
const webhook = {
  WebhookNotFound: 404,
  WebhookExists: 409,
  WebhookDeliveryNotFound: 404,
  WebhookLimitReached: 409,
  WebhookUrlRefused: 422,
} as const satisfies Record<
  WebhookRejection | 'WebhookDeliveryNotFound' | 'WebhookLimitReached' | 'WebhookUrlRefused',
  number
>;

const submission = {
  ArchiveBroken: 422,
  ArchiveTooLarge: 413,
  ArchiveEntryRefused: 422,
  SubmissionTooLarge: 413,
  SubmissionPathRefused: 422,
  SubmissionPathDuplicate: 422,
  SubmissionFileNotText: 422,
  SubmissionEmpty: 422,
  EntryPointMissing: 422,
  SourceSyntaxInvalid: 422,
  ImportUnresolved: 422,
  BundleTooLarge: 413,
  BuildTimedOut: 422,
  SettingsInvalid: 422,
  SecretNotFound: 422,
} as const satisfies Record<SubmissionRejection | 'SettingsInvalid' | 'SecretNotFound', number>;

const send = { RevisionMismatch: 412, IdempotencyKeyReused: 422, StreamContended: 409 } as const satisfies Record<
  SendRejection,
  number
>;

/** What can go wrong before a command is understood, or without any fault of the caller. */
const http = {
  RequestInvalid: 400,
  BodyMalformed: 400,
  AuthenticationRequired: 401,
  RoleInsufficient: 403,
  PasswordChangeRequired: 403,
  RouteNotFound: 404,
  MethodNotAllowed: 405,
  RequestTimedOut: 408,
  BodyTooLarge: 413,
  UrlTooLong: 414,
  MediaTypeUnsupported: 415,
  HistoryTooLong: 422,
  RateExceeded: 429,
  HeadersTooLarge: 431,
  InternalFault: 500,
  ServerBusy: 503,
  ProjectionBehind: 503,
  LogUnavailable: 503,
  ReadTablesUnavailable: 503,
  ArtifactStoreUnavailable: 503,
  StorageFull: 503,
} as const;

export const statuses = {
  ...user,
  ...session,
  ...workspace,
  ...department,
  ...apiToken,
  ...invitation,
  ...reservation,
  ...edgeWorker,
  ...edgeSecret,
  ...credential,
  ...edgeDomain,
  ...edgeProvider,
  ...workerLogs,
  ...edgeMaintenance,
  ...job,
  ...resource,
  ...webhook,
  ...submission,
  ...send,
  ...http,
} as const;

export type ProblemCode = keyof typeof statuses;
export type HttpProblem = keyof typeof http;

export const isProblemCode = (name: string): name is ProblemCode => Object.hasOwn(statuses, name);
