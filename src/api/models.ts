import { z } from 'zod';
import { idField, roleField, secretAnswer } from '../commands/fields.ts';
import { explanation } from './explanationModel.ts';

// What the API answers. A model with an id becomes a named schema of the OpenAPI document.

const time = z.iso.datetime().meta({ description: 'RFC 3339, UTC.' });
const optionalTime = time.nullable();
const digest = z
  .string()
  .regex(/^[0-9a-f]{64}$/)
  .meta({ description: 'SHA-256, hexadecimal.' });
const count = z.number().int().min(0);

export const isoTime = (ms: number): string => new Date(ms).toISOString();
export const isoTimeOrNull = (ms: number | null): string | null => (ms === null || ms === 0 ? null : isoTime(ms));

const mustChangePassword = z.boolean().meta({
  description: 'The password was made by the program: change it first, as little else is allowed.',
});

export const openedSession = z
  .strictObject({
    id: idField,
    userId: idField,
    token: z.string().meta({ ...secretAnswer, description: 'Send it as `Authorization: Bearer <token>`.' }),
    expiresAt: time,
    mustChangePassword,
  })
  .meta({ id: 'OpenedSession' });

export const me = z
  .discriminatedUnion('kind', [
    z.strictObject({
      kind: z.literal('user'),
      id: idField,
      email: z.string(),
      displayName: z.string(),
      sessionExpiresAt: time,
      mustChangePassword,
    }),
    z.strictObject({
      kind: z.literal('apiToken'),
      id: idField,
      name: z.string(),
      workspaceId: idField,
      role: roleField,
      departmentId: idField.nullable(),
      expiresAt: optionalTime,
    }),
  ])
  .meta({ id: 'Me' });

export const workspace = z
  .strictObject({
    id: idField,
    name: z.string(),
    slug: z.string(),
    role: roleField.meta({ description: 'What the caller is here.' }),
    departmentIds: z.array(idField).meta({ description: 'Where the caller may act; empty: everywhere.' }),
    createdAt: time.optional(),
  })
  .meta({ id: 'Workspace' });

export const department = z
  .strictObject({ id: idField, workspaceId: idField, name: z.string(), slug: z.string(), createdAt: time.optional() })
  .meta({ id: 'Department' });

const memberFields = {
  userId: idField,
  email: z.string(),
  displayName: z.string(),
  role: roleField,
  departmentIds: z.array(idField).meta({ description: 'Empty: every department.' }),
};
export const member = z.strictObject({ ...memberFields, createdAt: time, updatedAt: time }).meta({ id: 'Member' });
export const changedMember = z
  .strictObject({ userId: idField, role: roleField, departmentIds: z.array(idField) })
  .meta({ id: 'ChangedMember' });

const apiTokenFields = {
  id: idField,
  workspaceId: idField,
  name: z.string(),
  role: roleField,
  departmentId: idField.nullable(),
  expiresAt: optionalTime,
};
export const apiToken = z
  .strictObject({
    ...apiTokenFields,
    expiresSoon: z.boolean().meta({ description: 'It ends within 14 days: put another one in its place.' }),
    lastUsedAt: optionalTime.meta({ description: 'Noted once an hour; null when it was never used.' }),
    revokedAt: optionalTime,
    createdAt: time,
  })
  .meta({ id: 'ApiToken' });
export const issuedApiToken = z
  .strictObject({
    ...apiTokenFields,
    token: z.string().meta({ ...secretAnswer, description: 'Shown now and never again; only its digest is kept.' }),
  })
  .meta({ id: 'IssuedApiToken' });

const workerStatus = z.enum(['draft', 'active', 'paused']);
const deploymentKind = z.enum(['deploy', 'rollback']);
const ticketStatus = z.enum(['pending', 'leased', 'uncertain', 'completed', 'failed', 'cancelled']);

const deploymentFields = {
  ticketId: idField,
  workspaceId: idField,
  departmentId: idField,
  workerId: idField,
  versionId: idField.nullable(),
  revision: count.nullable(),
  kind: deploymentKind.nullable(),
  status: ticketStatus,
  attempts: count,
  maxAttempts: count,
  cancelRequested: z.boolean(),
  plan: z.array(z.string()).meta({ description: 'The steps in the order in which they are performed.' }),
  reasonCode: z.string().nullable(),
  reason: z.string().nullable(),
  url: z.string().nullable().meta({ description: 'Where the worker answers once the deployment has completed.' }),
  next: z
    .strictObject({
      action: z.enum(['start', 'retry', 'probe', 'report']),
      at: optionalTime.meta({ description: 'Null: at once.' }),
      description: z.string(),
    })
    .nullable()
    .meta({ description: 'What happens next and when; null for a settled deployment.' }),
  createdAt: time,
  updatedAt: time,
  completedAt: optionalTime,
};
export const deployment = z.strictObject(deploymentFields).meta({ id: 'Deployment' });
export const deploymentWithSteps = z
  .strictObject({
    ...deploymentFields,
    explanation,
    steps: z.array(
      z.strictObject({
        sequence: count,
        attempt: count,
        step: z.string(),
        outcome: z.enum(['done', 'refused', 'retry', 'uncertain']),
        detail: z.string().nullable(),
        mode: z.enum(['perform', 'probe']).meta({ description: 'Whether it was done or only looked at.' }),
        facts: z.record(z.string(), z.string()).meta({ description: 'What was asked, answered and found outside.' }),
        startedAt: time,
        durationMs: z.number().min(0),
      }),
    ),
  })
  .meta({ id: 'DeploymentWithSteps' });

export const admittedDeployment = z
  .strictObject({
    ticketId: idField,
    workerId: idField,
    versionId: idField,
    revision: count,
    kind: deploymentKind,
    statusUrl: z.string().meta({ description: 'Poll this path for the state of the deployment.' }),
  })
  .meta({ id: 'AdmittedDeployment' });
export const cancelledDeployment = z
  .strictObject({
    ticketId: idField,
    cancelled: z.boolean().meta({ description: 'False: a runner is at work and will confirm, or report too late.' }),
  })
  .meta({ id: 'CancelledDeployment' });

const workerFields = {
  id: idField,
  workspaceId: idField,
  departmentId: idField,
  scriptName: z.string(),
  status: workerStatus,
  liveRevision: count.nullable(),
  url: z.string().nullable().meta({ description: 'Where it answers; null before its first deployment.' }),
  drift: z
    .string()
    .nullable()
    .meta({ description: 'What a reconciliation found to run instead of the live revision; null for nothing.' }),
};
export const worker = z
  .strictObject({
    ...workerFields,
    newestRevision: count,
    deployment: z
      .strictObject({ ticketId: idField, revision: count, kind: deploymentKind, status: ticketStatus })
      .nullable()
      .meta({ description: 'The newest deployment.' }),
  })
  .meta({ id: 'Worker' });
export const workerInCompany = z
  .strictObject({ ...workerFields, latestDeployment: deployment.nullable(), createdAt: time, updatedAt: time })
  .meta({ id: 'WorkerInCompany' });

const secretFields = {
  name: z.string(),
  version: count.meta({ description: 'Counts the values of this secret from 1.' }),
  digest: z
    .string()
    .regex(/^[0-9a-f]{32}$/)
    .meta({ description: 'Of the value, keyed: equal values of this secret have equal digests.' }),
};
const pinnedSecret = z.strictObject(secretFields);
export const storedSecret = z
  .strictObject({ ...secretFields, position: z.string().meta({ description: 'As in `Opslog-Position`.' }) })
  .meta({ id: 'StoredSecret' });
export const secret = z
  .strictObject({
    ...secretFields,
    liveVersion: count.nullable().meta({ description: 'The version that the live revision reads.' }),
    revisions: z
      .array(z.strictObject({ revision: count, version: count }))
      .meta({ description: 'The newest revisions that read it, and which version each of them reads.' }),
    storedBy: z.string().nullable(),
    storedAt: time,
    createdAt: time,
  })
  .meta({ id: 'Secret' });

const revisionFields = {
  versionId: idField,
  workerId: idField,
  revision: count,
  language: z.enum(['javascript', 'typescript']),
  entryPoint: z.string(),
  compatibilityDate: z.string(),
  compatibilityFlags: z.array(z.string()),
  variableNames: z.array(z.string()),
  secrets: z.array(pinnedSecret).meta({ description: 'The versions of secrets that it reads, for good.' }),
  schedules: z
    .array(z.strictObject({ cron: z.string(), timeZone: z.string() }))
    .meta({ description: 'When its scheduled handler is called while it is live.' }),
  environmentDigest: digest,
  sourceDigest: digest,
  sourceBytes: count,
  sourceFiles: count,
  bundleDigest: digest,
  bundleBytes: count,
  sbomDigest: digest,
};
export const revision = z
  .strictObject({
    ...revisionFields,
    state: z.enum([
      'uploading',
      'ready',
      'deploy_pending',
      'deploying',
      'deployed',
      'superseded',
      'failed',
      'uncertain',
    ]),
    createdBy: z.string().nullable(),
    createdAt: time,
    deployedAt: optionalTime,
    retiredAt: optionalTime.meta({ description: 'Since when its source and bundle are no longer kept.' }),
  })
  .meta({ id: 'Revision' });
export const submittedRevision = z
  .strictObject({ ...revisionFields, warnings: z.array(z.string()) })
  .meta({ id: 'SubmittedRevision' });

export const auditStatus = z.enum(['success', 'failure', 'refused']);
export const riskLevel = z.enum(['low', 'medium', 'high']);
export const auditEntry = z
  .strictObject({
    id: idField,
    sequence: count,
    action: z.string(),
    actor: z.strictObject({ type: z.string(), id: z.string().nullable(), authMethod: z.string() }),
    resource: z.strictObject({ type: z.string(), id: z.string() }),
    departmentId: z.string().nullable(),
    riskLevel,
    status: auditStatus,
    requestId: z.string().nullable(),
    correlationId: z.string().nullable(),
    causationId: z.string().nullable(),
    ip: z.string().nullable().meta({ description: 'Where the caller called from.' }),
    metadata: z.unknown(),
    createdAt: time,
    previousHash: z.string().nullable(),
    hash: z.string(),
  })
  .meta({ id: 'AuditEntry' });

export const live = z.strictObject({ status: z.literal('live') }).meta({ id: 'Live' });
export const readiness = z
  .strictObject({
    ready: z.boolean(),
    checks: z.array(z.strictObject({ name: z.string(), ok: z.boolean(), detail: z.string().optional() })),
    lag: z.strictObject({ events: z.number(), ms: z.number() }),
  })
  .meta({ id: 'Readiness' });

export const problem = z
  .strictObject({
    type: z.string().meta({ description: 'Path of the page that explains this problem.' }),
    title: z.string(),
    status: z.number().int(),
    detail: z.string(),
    code: z.string(),
    field: z.string().optional(),
    errors: z.array(z.strictObject({ pointer: z.string(), detail: z.string() })).optional(),
    details: z.record(z.string(), z.union([z.string(), z.number()])).optional(),
    requestId: z.string(),
  })
  .meta({ id: 'Problem', description: 'RFC 9457.' });

export const dryRun = z
  .strictObject({
    dryRun: z.literal(true),
    events: z.array(z.strictObject({ type: z.string(), data: z.unknown() })),
  })
  .meta({ id: 'DryRun', description: 'The facts that the command would have led to; secrets are masked.' });

export const pageOf = <Item extends z.ZodType>(item: Item, name: string) =>
  z
    .strictObject({
      items: z.array(item),
      next: z.string().nullable().meta({ description: 'Send it as `cursor` for the next page; null on the last one.' }),
    })
    .meta({ id: name });
