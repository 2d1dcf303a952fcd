import { z } from 'zod';
import type { OpslogEvent } from '../domain/catalog.ts';

type EventType = OpslogEvent['type'];
type DataOf<Type extends EventType> = Extract<OpslogEvent, { readonly type: Type }>['data'];

const id = z.string().meta({ description: 'An identifier.' });
const sha256 = z.string().meta({ description: 'SHA-256, lower-case hex.' });
const time = z.number().int().meta({ description: 'Milliseconds since the epoch.' });
const durationMs = z.number().int().meta({ description: 'Milliseconds.' });
const count = z.number().int();
const role = z.enum(['OWNER', 'ADMIN', 'MEMBER', 'VIEWER']);
const texts = z.array(z.string()).readonly();
const secret = z.string().meta({ description: 'Masked wherever it leaves the log.' });
const initialUntil = time.meta({ description: 'The program made the password: to be changed before this time.' });
const settledState = z.enum(['ready', 'deployed', 'superseded', 'failed']);
const ofTicket = { ticketId: id, versionId: id };
const placement = { provider: z.string(), scope: z.string() };
const claim = z.number().int().meta({ description: 'Counts those who held the name, from 1.' });
const domainFacts = z.record(z.string(), z.string()).readonly();
const sealed = z
  .object({ iv: z.string(), tag: z.string(), data: z.string() })
  .readonly()
  .meta({ description: 'Sealed under the data key; masked wherever it leaves the log.' });
const credentialDetails = z.discriminatedUnion('kind', [
  z
    .object({
      kind: z.literal('sshKey'),
      ...{ userName: z.string(), keyType: z.string(), publicKey: z.string(), fingerprint: z.string() },
      isGenerated: z.boolean(),
    })
    .readonly(),
  z.object({ kind: z.literal('sshPassword'), userName: z.string() }).readonly(),
  z.object({ kind: z.literal('apiToken'), provider: z.string() }).readonly(),
  z.object({ kind: z.literal('registryLogin'), registry: z.string(), userName: z.string() }).readonly(),
  z.object({ kind: z.literal('generic'), fieldNames: texts }).readonly(),
]);
const credentialValue = {
  details: credentialDetails.meta({ description: 'What may be known of it; nothing in here is secret.' }),
  ...{ keyId: id, encryptedData: sealed, digest: secret },
};
const giver = z.object({ kind: z.enum(['user', 'apiToken', 'system']), id: z.string() }).readonly();
const nothing = z.object({});
const inWorkspaceOrDepartment = {
  workspaceId: id,
  departmentId: z.string().meta({ description: "'' for one of the whole workspace." }),
};
const incarnation = z
  .string()
  .meta({ description: 'Tells a resource that came back under its id from the one before.' });
const notes = z.record(z.string(), z.string()).readonly().meta({ description: 'Masked before it was written.' });
const tagging = { workspaceId: id, incarnation, tags: texts.meta({ description: 'All tags from now on.' }) };
const relationEnd = z
  .object({ id, type: z.string(), departmentId: inWorkspaceOrDepartment.departmentId, incarnation })
  .readonly();
const webhookSettings = {
  url: z.string(),
  description: z.string(),
  eventTypes: texts.meta({ description: '`*`, `edgeWorker.*` or `edgeWorker.DeploymentCompleted`.' }),
  departmentIds: texts.meta({ description: 'Empty: of the whole workspace.' }),
};
const jobData = z.record(z.string(), z.union([z.string(), z.number(), z.boolean()])).readonly();

/** The shape of every event's data, checked by the compiler to be the domain's own. */
export const eventSchemas = {
  UserRegistered: z.object({
    ...{ email: z.string(), displayName: z.string(), passwordHash: secret },
    initialUntil: initialUntil.optional(),
  }),
  UserPasswordReplaced: z.object({ passwordHash: secret, initialUntil: initialUntil.optional() }),
  UserPasswordRehashed: z.object({ passwordHash: secret }),
  UserSessionsEnded: z.object({
    epoch: count,
    keptSessionId: z.string().meta({ description: "The one that goes on; '' when none does." }),
  }),
  SessionOpened: z.object({
    ...{ userId: id, tokenDigest: secret, expiresAt: time },
    epoch: count.optional(),
    userAgent: z.string().optional(),
  }),
  SessionUsed: z.object({ usedAt: time.meta({ description: 'Noted once an hour at most.' }) }),
  SessionRevoked: nothing,
  WorkspaceCreated: z.object({ name: z.string(), slug: z.string() }),
  MemberAdded: z.object({
    ...{ userId: id, email: z.string(), displayName: z.string(), role },
    departmentIds: texts.meta({ description: 'Limits the member to these; empty: every department.' }),
    invitationId: z.string().optional().meta({ description: 'The invitation that was accepted.' }),
  }),
  MemberInvitationRedeemed: z.object({ userId: id, invitationId: id }),
  MemberRoleAssigned: z.object({ userId: id, role, departmentIds: texts }),
  MemberRemoved: z.object({ userId: id }),
  WorkspaceDeleted: z.object({ slug: z.string() }),
  DepartmentCreated: z.object({ workspaceId: id, name: z.string(), slug: z.string() }),
  DepartmentRemoved: z.object({ workspaceId: id, slug: z.string() }),
  DepartmentClaimForfeited: z.object({ workspaceId: id }),
  WorkspaceClaimForfeited: z.object({}),
  ApiTokenIssued: z.object({
    ...{ workspaceId: id, name: z.string(), digest: secret, role },
    departmentId: z.string().meta({ description: "'' means every department." }),
    expiresAt: z.number().int().meta({ description: 'Milliseconds since the epoch; 0 means never.' }),
    issuedBy: giver.optional(),
  }),
  ApiTokenUsed: z.object({ usedAt: time.meta({ description: 'Noted once an hour at most.' }) }),
  ApiTokenRevoked: nothing,
  InvitationIssued: z.object({
    ...{ workspaceId: id, email: z.string(), role, digest: secret, expiresAt: time },
    departmentIds: texts.meta({ description: 'Limits the member to these; empty: every department.' }),
    issuedBy: giver,
  }),
  InvitationAccepted: z.object({ userId: id }),
  InvitationRevoked: nothing,
  NameReserved: z.object({ kind: z.string(), ownerId: id }),
  NameReleased: z.object({ ownerId: id }),
  EdgeWorkerCreated: z.object({ companyId: id, departmentId: id, scriptName: z.string() }),
  RevisionSubmitted: z.object({
    versionId: id,
    revision: count.meta({ description: 'Counts the revisions of a worker from 1.' }),
    language: z.enum(['javascript', 'typescript']),
    entryPoint: z.string(),
    compatibilityDate: z.string(),
    compatibilityFlags: texts,
    variables: z.record(z.string(), z.string()).readonly().meta({ description: 'Values are masked outside the log.' }),
    environmentDigest: sha256,
    sourceDigest: sha256,
    sourceBytes: count,
    sourceFiles: count,
    bundleDigest: sha256,
    bundleBytes: count,
    sbomDigest: sha256,
    sbom: z.string().meta({ description: 'CycloneDX JSON; left out of messages when it is long.' }),
    buildReceipt: z.string().meta({ description: 'DSSE envelope, JSON; left out of messages when it is long.' }),
    secrets: z
      .array(z.object({ name: z.string(), version: count, digest: z.string() }).readonly())
      .readonly()
      .optional()
      .meta({ description: 'Secrets that the revision reads, by version; never a value.' }),
    schedules: z
      .array(z.object({ cron: z.string(), timeZone: z.string() }).readonly())
      .readonly()
      .optional(),
  }),
  DeploymentAdmitted: z.object({
    ...{ ...ofTicket, revision: count, kind: z.enum(['deploy', 'rollback']), provider: z.string() },
    ...{ scope: z.string(), steps: texts, dedupeKey: z.string(), admissionSequence: count, maxAttempts: count },
  }),
  DeploymentLeased: z.object({ ...ofTicket, leaseId: id, holder: z.string(), attempt: count, leasedUntil: time }),
  DeploymentLeaseRenewed: z.object({ ticketId: id, leaseId: id, leasedUntil: time }),
  DeploymentStepRecorded: z.object({
    ...{ ticketId: id, sequence: count, attempt: count, step: z.string() },
    outcome: z.enum(['done', 'refused', 'retry', 'uncertain']),
    ...{ detail: z.string(), startedAt: time, durationMs },
    mode: z.enum(['perform', 'probe']).optional().meta({ description: 'Whether it was done or only looked at.' }),
    facts: z.record(z.string(), z.string()).readonly().optional(),
  }),
  DeploymentRetryScheduled: z.object({ ...ofTicket, reason: z.string(), nextAttemptAt: time }),
  DeploymentBecameUncertain: z.object({ ...ofTicket, step: z.string(), reason: z.string(), nextAttemptAt: time }),
  DeploymentCompleted: z.object({
    ...{ ...ofTicket, revision: count, supersededVersionId: z.string(), url: z.string() },
    workerStatus: z.enum(['active', 'paused']),
    ...{ provider: z.string().optional(), scope: z.string().optional() },
  }),
  DeploymentFailed: z.object({
    ...{ ...ofTicket, reasonCode: z.string(), reason: z.string(), revisionState: settledState },
  }),
  DeploymentCancelRequested: z.object({ ticketId: id }),
  DeploymentCancelled: z.object({ ...ofTicket, revisionState: settledState }),
  EdgeWorkerPaused: nothing,
  EdgeWorkerResumed: nothing,
  EdgeWorkerRetired: z.object({ reason: z.string() }),
  EdgeWorkerScriptRemoved: z.object(placement),
  EdgeWorkerDeleted: z.object({ reason: z.string(), scriptName: z.string() }),
  EdgeWorkerDriftFound: z.object({
    ...{ ...placement, kind: z.enum(['missing', 'changed']), expected: z.string(), found: z.string() },
    by: z.string().meta({ description: "Who deployed it, as the provider names them; '' when unknown." }),
  }),
  EdgeWorkerDriftSettled: z.object({ how: z.string() }),
  RevisionArtifactsReleased: z.object({ versionIds: texts }),
  EdgeSecretStored: z.object({
    ...{ companyId: id, departmentId: id, name: z.string() },
    version: count.meta({ description: 'Counts the values of this secret from 1, also over a removal.' }),
    keyId: id,
    encryptedData: z
      .object({ iv: z.string(), tag: z.string(), data: z.string() })
      .readonly()
      .meta({ description: 'Sealed under the data key; masked wherever it leaves the log.' }),
    digest: secret,
  }),
  EdgeSecretRemoved: z.object({ name: z.string(), version: count, keyIds: texts }),
  EdgeSecretShredded: z.object({ keyIds: texts }),
  DomainAttachmentRequested: z.object({
    ...{ claim, hostname: z.string().meta({ description: 'ASCII, lower case.' }) },
    ...{ companyId: id, departmentId: id, workerId: id, scriptName: z.string(), ...placement },
    adopt: z.boolean().meta({ description: 'May take over what is there and not ours.' }),
  }),
  DomainAttached: z.object({ claim, facts: domainFacts }),
  DomainAttachmentRefused: z.object({ claim, code: z.string(), reason: z.string(), owner: z.string() }),
  DomainAttachmentAbandoned: z.object({ claim, facts: domainFacts }),
  DomainVerified: z.object({ claim, verificationId: id, detail: z.string(), facts: domainFacts }),
  DomainVerificationFailed: z.object({ claim, verificationId: id, reason: z.string(), facts: domainFacts }),
  DomainDetachmentRequested: z.object({ claim, reason: z.string() }),
  DomainDetached: z.object({ claim, facts: domainFacts }),
  DomainCertificateStored: z.object({
    ...{ claim, names: texts, issuer: z.string(), notBefore: time, notAfter: time, fingerprint: z.string() },
    ...{ keyId: id, encryptedData: sealed, digest: secret, replacedKeyId: z.string() },
  }),
  DomainCertificateRemoved: z.object({ claim, keyId: id, fingerprint: z.string() }),
  EdgeScopeRegistered: z.object({ epoch: count }),
  EdgeMaintenanceBegan: z.object({ reason: z.string() }),
  EdgeMaintenanceEnded: z.object({ epoch: count }),
  EdgeBackupFenceRaised: z.object({ fenceId: id, owner: z.string(), expiresAt: time }),
  EdgeBackupFenced: z.object({ fenceId: id, epoch: count }),
  EdgeBackupFenceReleased: z.object({ fenceId: id }),
  EdgeBackupCompleted: z.object({ fenceId: id, position: z.string(), manifestDigest: z.string(), bytes: count }),
  EdgeBackupAbandoned: z.object({ fenceId: id, reason: z.string() }),
  EdgeScopeRestored: z.object({ restoreId: id, epoch: count, fromPosition: z.string() }),
  EdgeScopeResynced: z.object({ epoch: count, started: count, stopped: count, kept: count, failed: count }),
  ArtifactCleanupRequested: z.object({
    ...{ workerId: id, digests: texts, reason: z.string(), requestedAt: time, dueAt: time },
  }),
  ArtifactCleanupLeased: z.object({ leaseId: id, holder: z.string(), attempt: count, leasedUntil: time }),
  ArtifactCleanupRetryScheduled: z.object({ reason: z.string(), nextAttemptAt: time }),
  ArtifactCleanupCompleted: z.object({ removed: texts, kept: texts }),
  ControlActionRefused: z.object({
    ...{ action: z.string(), resourceType: z.string(), resourceId: id },
    ...{ result: z.enum(['denied', 'refused']), reasonCode: z.string() },
    digest: z.string().meta({ description: "HMAC-SHA-256 of the request's body, hex; '' when none was read." }),
  }),
  ControlRefusalsOmitted: z.object({ count, windowStart: time, windowMs: durationMs }),
  CredentialCreated: z.object({
    ...{ workspaceId: id, name: z.string(), description: z.string(), ...credentialValue },
    departmentId: z.string().meta({ description: "'' means the whole workspace." }),
  }),
  CredentialReplaced: z.object({
    ...credentialValue,
    version: count.meta({ description: 'Counts the values of this credential from 1.' }),
    replacedKeyId: id,
  }),
  CredentialRenamed: z.object({ name: z.string(), previousName: z.string(), tenure: count }),
  CredentialDescribed: z.object({ description: z.string() }),
  CredentialDeleted: z.object({
    name: z.string(),
    reason: z.enum(['requested', 'department_removed', 'workspace_deleted']),
    keyIds: texts,
  }),
  CredentialShredded: z.object({ keyIds: texts }),
  CredentialClaimForfeited: z.object({ tenure: z.number() }),
  CredentialUsed: z.object({
    ...{ credentialId: id, version: count, purpose: z.string(), subjectId: id },
    windowStart: time.meta({ description: 'Beginning of the hour; one fact stands for all uses within it.' }),
  }),
  ResourceCreated: z.object({
    ...{ ...inWorkspaceOrDepartment, kind: z.string(), name: z.string() },
    ...{ description: z.string(), provider: z.string(), notes },
  }),
  ResourceRenamed: z.object({ workspaceId: id, name: z.string() }),
  ResourceDescribed: z.object({ workspaceId: id, description: z.string(), provider: z.string(), notes }),
  ResourceTagged: z.object({ ...tagging, added: texts }),
  ResourceUntagged: z.object({ ...tagging, removed: texts }),
  ResourceRemoved: z.object({ workspaceId: id }),
  ResourceRelationCreated: z.object({
    ...{ workspaceId: id, relationType: z.string(), source: relationEnd, target: relationEnd },
  }),
  ResourceRelationRemoved: z.object({ workspaceId: id }),
  JobEnqueued: z.object({
    kind: z.string(),
    workspaceId: id,
    departmentId: z.string().meta({ description: "'' means the whole workspace." }),
    subjectId: z.string(),
    payload: jobData.meta({ description: 'References only, no secrets.' }),
    priority: count.meta({ description: 'From 0, the most urgent, to 9.' }),
    runAt: time,
    maxAttempts: count,
    dedupeKey: z.string(),
  }),
  JobLeased: z.object({
    ...{ leaseId: id, holder: z.string(), attempt: count, leasedAt: time, leasedUntil: time },
    mode: z.enum(['perform', 'probe']),
  }),
  JobLeaseRenewed: z.object({ leaseId: id, leasedUntil: time }),
  JobProgressRecorded: z.object({ leaseId: id, percent: count, note: z.string() }),
  JobStepRecorded: z.object({ leaseId: id, attempt: count, step: z.string(), result: jobData }),
  JobAttemptRecorded: z.object({
    attempt: count,
    outcome: z.enum(['done', 'refused', 'retry', 'uncertain', 'cancelled', 'lost']),
    ...{ detail: z.string(), startedAt: time, durationMs },
  }),
  JobRetryScheduled: z.object({ reason: z.string(), nextAttemptAt: time }),
  JobBecameUncertain: z.object({ reason: z.string(), nextAttemptAt: time }),
  JobSucceeded: z.object({
    ...{ detail: z.string(), result: jobData },
    attempted: z
      .object({ attempt: count, startedAt: time, durationMs })
      .exactOptional()
      .meta({ description: 'The attempt that did it; an earlier version told it as JobAttemptRecorded before.' }),
  }),
  JobFailed: z.object({ reasonCode: z.string(), reason: z.string() }),
  JobDied: z.object({ leaseId: id, reasonCode: z.string(), reason: z.string() }),
  JobCancelRequested: nothing,
  JobCancelled: z.object({ detail: z.string() }),
  JobRedriven: z.object({ redrives: count, runAt: time }),
  WebhookCreated: z.object({ ...webhookSettings, workspaceId: id, keyId: id, encryptedData: sealed }),
  WebhookRevised: z.object(webhookSettings),
  WebhookSecretRotated: z.object({
    ...{ keyId: id, encryptedData: sealed, secretVersion: count },
    previousValidUntil: time.meta({ description: 'Until then both secrets sign.' }),
  }),
  WebhookPaused: nothing,
  WebhookResumed: nothing,
  WebhookFailureBegan: z.object({ since: time, detail: z.string() }),
  WebhookRecovered: nothing,
  WebhookDisabled: z.object({ reasonCode: z.enum(['failing', 'gone']), reason: z.string() }),
  WebhookRemoved: z.object({ keyIds: texts }),
  WebhookKeysShredded: z.object({ keyIds: texts }),
  WebhookClaimForfeited: z.object({}),
} as const satisfies { readonly [Type in EventType]: z.ZodType<DataOf<Type>> };

// The line above finds a field that a schema lacks; this one a field or a value that the domain does not have.
type Drifted = {
  [Type in EventType]: [keyof DataOf<Type>] extends [never] ? never : Differs<Type>;
}[EventType];
type Differs<Type extends EventType, Schema = z.output<(typeof eventSchemas)[Type]>> =
  DataOf<Type> extends Schema ? (keyof Schema extends keyof DataOf<Type> ? never : Type) : Type;
({}) satisfies Record<Drifted, never>;

/** JSON Schema (draft 2020-12) of an event's data. */
export const eventJsonSchema = (type: EventType): object => {
  const { $schema: _, ...schema } = z.toJSONSchema(eventSchemas[type], {
    // `readonly` says something to the compiler, and nothing to a consumer.
    override: ({ jsonSchema }) => void delete jsonSchema.readOnly,
  });
  return schema;
};

export const isEventType = (name: string): name is EventType => Object.hasOwn(eventSchemas, name);
