import type {
  EdgeWorkerCommand,
  EdgeWorkerRejection,
  PinnedSecret,
  RevisionFacts,
  Schedule,
} from '../domain/edgeWorker/index.ts';
import { derivedId, edgeWorkerId, scriptNameOf } from '../domain/identifiers.ts';
import type { ArtifactStore } from '../platform/artifacts/port.ts';
import type { Built, Project, Refused } from '../platform/builder/port.ts';
import type { Log } from '../platform/log/port.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { done, notSent, type Outcome } from './outcome.ts';
import { environmentDigestOf, secretsToPin } from './pinnedSecrets.ts';
import { type ReadSubmission, readSubmission, type Submission, type SubmissionReader } from './submission.ts';

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
