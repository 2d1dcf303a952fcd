import { z } from 'zod';
import { isOpen } from '../domain/edgeMaintenance/index.ts';
import type {
  DeploymentKind,
  EdgeWorkerCommand,
  EdgeWorkerRejection,
  PinnedSecret,
  RevisionFacts,
  Schedule,
} from '../domain/edgeWorker/index.ts';
import { derivedId, edgeWorkerId, scriptNameOf } from '../domain/identifiers.ts';
import { type Rejection, reject } from '../domain/kernel.ts';
import type { ArtifactStore } from '../platform/artifacts/port.ts';
import type { Built, Project, Refused } from '../platform/builder/port.ts';
import type { Log } from '../platform/log/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import { environmentDigestOf, refuseGoneSecret, secretsToPin } from './pinnedSecrets.ts';
import { type ReadSubmission, readSubmission, type Submission, type SubmissionReader } from './submission.ts';

const deploymentFields = {
  provider: z
    .enum(['workerd', 'cloudflare'])
    .optional()
    .meta({ description: 'Default: where the worker runs, or where this installation puts new workers.' }),
  supersede: z
    .boolean()
    .optional()
    .meta({ description: 'Cancel a deployment that waits for its turn or its next attempt, in favour of this one.' }),
};

export const deploySchema = z.strictObject({
  revision: z.number().int().min(1).max(1_000_000_000).optional().meta({ description: 'Default: the newest one.' }),
  ...deploymentFields,
});
export const rollbackSchema = z.strictObject({
  revision: z
    .number()
    .int()
    .min(1)
    .max(1_000_000_000)
    .optional()
    .meta({ description: 'Default: the one that was live before.' }),
  ...deploymentFields,
});

export type Tenant = { readonly workspaceId: string; readonly departmentId: string };

export type SubmitDeps = {
  readonly aggregates: Aggregates;
  readonly reader: SubmissionReader;
  readonly builder: { build(project: Project): Promise<Built | Refused> };
  readonly artifacts: ArtifactStore;
  readonly clock: { now(): number };
  readonly log: Pick<Log, 'warn'>;
};

export type SubmittedRevision = Omit<RevisionFacts, 'sbom' | 'buildReceipt' | 'variables' | 'secrets' | 'schedules'> & {
  readonly secrets: readonly PinnedSecret[];
  readonly schedules: readonly Schedule[];
  readonly workerId: string;
  readonly variableNames: readonly string[];
  readonly warnings: readonly string[];
};
export type SubmissionRejection = EdgeWorkerRejection | Refused['rejected'] | 'SettingsInvalid' | 'SecretNotFound';

/**
 * Reads, builds, stores, records, in this order: what is refused leaves nothing behind. A retry builds again, arrives at
 * the same bytes and finds its revision.
 */
export const submitRevision = async (
  deps: SubmitDeps,
  tenant: Tenant,
  submission: Submission,
  envelope: Envelope,
): Promise<Outcome<SubmittedRevision, SubmissionRejection>> => {
  const read = await readSubmission(deps.reader, submission);
  if (!read.ok) return read;
  const { project, settings } = read.value;
  const workerId = edgeWorkerId(sha256, tenant.departmentId);
  const versionId = derivedId(sha256, 'version', envelope.commandId);
  const secrets = await secretsToPin(deps.aggregates, tenant, { workerId, versionId }, settings);
  if (!secrets.ok) return secrets;
  const built = await deps.builder.build(project);
  if ('rejected' in built) return { ok: false, rejection: built };

  const facts = factsOf(project, { ...settings, secrets: secrets.value }, built, versionId);
  const command = commandOf(tenant, facts);
  const tooLarge = refuseTooLarge(command);
  if (tooLarge) return tooLarge;
  const rehearsed = await deps.aggregates.edgeWorker.send(workerId, command, { ...envelope, dryRun: true });
  if (!rehearsed.ok) return rehearsed;
  const sent =
    envelope.dryRun || rehearsed.replayed ? rehearsed : await record(deps, workerId, command, built, envelope);
  if (!sent.ok) return sent;
  const { state } = sent;
  const found =
    state.status === 'absent' ? undefined : state.revisions.find((each) => each.versionId === facts.versionId);
  if (!found) throw new Error(`Revision ${facts.versionId} was recorded but is not there.`);
  const { sbom: _, buildReceipt: __, variables, ...shown } = facts;
  const { warnings } = built;
  const variableNames = Object.keys(variables);
  return done(
    {
      ...shown,
      secrets: found.secrets,
      schedules: found.schedules,
      revision: found.revision,
      workerId,
      variableNames,
      warnings,
    },
    sent,
    sent,
  );
};

type SubmitRevision = Extract<EdgeWorkerCommand, { type: 'SubmitRevision' }>;

const commandOf = ({ workspaceId, departmentId }: Tenant, facts: Omit<RevisionFacts, 'revision'>): SubmitRevision => ({
  type: 'SubmitRevision',
  data: { ...facts, companyId: workspaceId, departmentId, scriptName: scriptNameOf(sha256, workspaceId, departmentId) },
});

/** The log takes 1 MiB at a time; this leaves room for what goes with a fact. */
const factBytes = 1_000_000;

/** What a revision keeps beside its artifacts must be known to fit before anything is stored. */
const refuseTooLarge = ({ data }: SubmitRevision) => {
  const bytes = Buffer.byteLength(JSON.stringify(data));
  if (bytes <= factBytes) return undefined;
  const reason =
    `The variables, the SBOM and the receipt of this revision take ${bytes} bytes; ${factBytes} are allowed. ` +
    'Look for long variables, very many packages, or packages with very long names or licences.';
  return notSent('SubmissionTooLarge', reason, { details: { bytes, limit: factBytes } });
};

const factsOf = (
  project: Project,
  {
    variables,
    secretNames,
    schedules,
    secrets,
  }: ReadSubmission['settings'] & { readonly secrets: readonly PinnedSecret[] },
  built: Built,
  versionId: string,
): Omit<RevisionFacts, 'revision'> => {
  const { language, entryPoint, compatibilityDate, compatibilityFlags, files } = project;
  const { sourceDigest, bundleDigest, sbomDigest, sbom, buildReceipt } = built;
  return {
    ...{ versionId, language, entryPoint, compatibilityDate, compatibilityFlags, variables },
    environmentDigest: environmentDigestOf({ variables, secretNames, secrets, schedules }),
    ...(secrets.length > 0 && { secrets }),
    ...(schedules.length > 0 && { schedules }),
    ...{ sourceDigest, sourceBytes: built.source.length, sourceFiles: files.length },
    ...{ bundleDigest, bundleBytes: built.bundle.length, sbomDigest, sbom, buildReceipt },
  };
};

const cleanupDelayMs = 60 * 60 * 1000;

const uploadsOf = (built: Built): readonly (readonly [digest: string, bytes: Uint8Array])[] => [
  [built.sourceDigest, built.source],
  [built.bundleDigest, built.bundle],
];

/** The upload precedes the append; what it created becomes a cleanup intent when the append does not happen. */
const record = async (
  deps: SubmitDeps,
  workerId: string,
  command: SubmitRevision,
  built: Built,
  envelope: Envelope,
) => {
  const uploaded = new Set<string>();
  try {
    for (const [digest, bytes] of uploadsOf(built)) {
      // Noted before it is known: a put that fails may have stored the bytes all the same.
      uploaded.add(digest);
      if (!(await deps.artifacts.put(bytes)).created) uploaded.delete(digest);
    }
    const sent = await deps.aggregates.edgeWorker.send(workerId, command, envelope);
    if (!sent.ok) await requestCleanup(deps, workerId, [...uploaded], envelope, sent.rejection.rejected);
    return sent;
  } catch (error) {
    await requestCleanup(deps, workerId, [...uploaded], envelope, 'append_failed');
    throw error;
  }
};

/** Due in an hour, so that a submission of the same bytes that is on its way now is recorded first. */
const requestCleanup = async (
  { aggregates, clock, log }: SubmitDeps,
  workerId: string,
  digests: readonly string[],
  { expectedRevision: _, ...envelope }: Envelope,
  reason: string,
): Promise<void> => {
  if (digests.length === 0) return;
  const requestedAt = clock.now();
  const data = { workerId, digests, reason, requestedAt, dueAt: requestedAt + cleanupDelayMs };
  const id = derivedId(sha256, 'cleanup', envelope.commandId);
  try {
    await aggregates.artifactCleanup.send(id, { type: 'RequestArtifactCleanup', data }, envelope);
  } catch {
    log.warn({ workerId, digests }, 'Artifacts without a revision could not be handed over for cleanup.');
  }
};

/** A place where workers can run. */
export type EdgePlace = { readonly provider: string; readonly scope: string; readonly steps: readonly string[] };

export type Edge = {
  /** The first is where a worker goes when nobody says where. */
  readonly places: readonly [EdgePlace, ...EdgePlace[]];
  readonly maxAttempts: number;
};

export type AdmittedDeployment = {
  readonly ticketId: string;
  readonly workerId: string;
  readonly versionId: string;
  readonly revision: number;
  readonly kind: DeploymentKind;
};

export type WantedDeployment = {
  readonly kind: DeploymentKind;
  readonly revision: number;
  readonly supersede?: boolean;
  /** '' takes where the worker runs, or else where this installation puts new workers. */
  readonly provider?: string;
};

/** `revision` 0: the newest one to deploy, the one before the live one to roll back. A gate that nobody registered is closed. */
export const admitDeployment = async (
  { aggregates, edge }: { readonly aggregates: Aggregates; readonly edge: Edge },
  departmentId: string,
  { kind, revision, supersede = false, provider: wanted = '' }: WantedDeployment,
  envelope: Envelope,
): Promise<Outcome<AdmittedDeployment, EdgeWorkerRejection | 'EdgeProviderNotFound' | 'SecretGone'>> => {
  const workerId = edgeWorkerId(sha256, departmentId);
  const place = await placeOf(aggregates, edge, workerId, wanted);
  if ('rejected' in place) return { ok: false, rejection: place };
  const { provider, scope, steps } = place;
  const { maxAttempts } = edge;
  const ticketId = derivedId(sha256, 'ticket', envelope.commandId);
  const command: EdgeWorkerCommand = {
    type: 'AdmitDeployment',
    data: {
      ...{ ticketId, kind, revision, provider, scope, steps, maxAttempts },
      gate: (await isGateOpen(aggregates, scope)) ? 'open' : 'closed',
      dedupeKey: envelope.commandId,
      supersede,
    },
  };
  const gone = await refuseGoneSecret(aggregates, { departmentId, workerId }, command, envelope);
  if (gone) return gone;
  const sent = await aggregates.edgeWorker.send(workerId, command, envelope);
  if (!sent.ok) return sent;
  const admitted = sent.events.find((event) => event.type === 'DeploymentAdmitted');
  const ticket = admitted?.data ?? (sent.state.status === 'absent' ? undefined : sent.state.ticket);
  if (ticket?.ticketId !== ticketId) throw new Error(`Deployment ${ticketId} was admitted but is not there.`);
  const { versionId, revision: admittedRevision } = ticket;
  return done({ ticketId, workerId, versionId, revision: admittedRevision, kind }, sent, sent);
};

/** Where the caller wants it, else where the worker runs, else where this installation puts new workers. */
const placeOf = async (
  aggregates: Aggregates,
  { places }: Edge,
  workerId: string,
  wanted: string,
): Promise<EdgePlace | Rejection<'EdgeProviderNotFound'>> => {
  const { state } = await aggregates.edgeWorker.load(workerId, { maxAgeMs: 250 });
  const runsOn = state.status === 'absent' ? '' : (state.placement?.provider ?? '');
  const provider = wanted || runsOn || places[0].provider;
  const names = places.map((each) => each.provider).join(', ');
  return (
    places.find((each) => each.provider === provider) ??
    reject('EdgeProviderNotFound', `This installation has no provider ${provider}. Take one of: ${names}.`, {
      field: 'provider',
    })
  );
};

/** The gate of the cloud is always open; one on-prem that nobody registered is closed. */
const isGateOpen = async (aggregates: Aggregates, scope: string): Promise<boolean> => {
  if (!scope.startsWith('onprem:')) return true;
  return isOpen((await aggregates.edgeMaintenance.load(scope, { maxAgeMs: 250 })).state);
};
