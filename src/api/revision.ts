import { z } from 'zod';
import { submitRevision } from '../commands/edgeWorker.ts';
import { type Submission, settingsSchema, submissionSchema } from '../commands/submission.ts';
import type { RevisionWithEvidence } from '../projections/answers.ts';
import { departmentOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { edgeWorkerProblems } from './edgeWorker.ts';
import type { DepartmentMembership } from './guard.ts';
import { isoTime, isoTimeOrNull, pageOf, revision, submittedRevision } from './models.ts';
import { answer, type BodySpec, noBody, noInput, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { invalid, type Refusal, refuse } from './problem.ts';

const tag = 'Revisions';

/** Settings of an archive as query parameters; an `opslog.json` in it may hold them too, and the parameters win. */
const archiveQuery = z.strictObject({
  language: settingsSchema.shape.language,
  entryPoint: settingsSchema.shape.entryPoint,
  compatibilityDate: settingsSchema.shape.compatibilityDate,
  compatibilityFlags: z
    .string()
    .max(2_048)
    .transform((text) => text.split(',').filter((flag) => flag !== ''))
    .pipe(z.array(z.string().regex(/^[a-z0-9_]{1,64}$/)).max(32))
    .optional()
    .meta({ description: 'Separated by commas.' }),
});

/** JSON files, or the bytes of an archive. */
const submissionBody: BodySpec<Submission> = {
  schema: submissionSchema,
  binary: ['application/gzip', 'application/x-gzip', 'application/zip'],
  optional: false,
  limitBytes: (limits) => limits.submissionBytes,
  parse: (payload) => {
    if (payload.kind === 'none') return refuse('BodyMalformed', 'Send JSON with files, a .tar.gz or a .zip.');
    if (payload.kind === 'bytes') {
      const source = { kind: 'archive', bytes: payload.bytes } as const;
      return { body: { source, settings: {} }, content: payload.bytes };
    }
    const parsed = submissionSchema.safeParse(payload.value);
    if (!parsed.success) return invalid(parsed.error, 'body');
    const { files, ...settings } = parsed.data;
    return { body: { source: { kind: 'files', files }, settings }, content: payload.value };
  },
};

const busy = (): Refusal<'ServerBusy'> =>
  refuse('ServerBusy', 'Many submissions of this workspace are being built. Try again in a moment.', {
    retryAfterSeconds: 5,
  });

const submit = departmentOperation(
  {
    id: 'submitRevision',
    method: 'post',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions',
    tag,
    summary: 'Submit source; it is built into a new revision',
    description:
      'JSON with files, a .tar.gz or a .zip. The source is bundled, never executed; the revision keeps an SBOM and a ' +
      'signed build receipt. What is refused leaves nothing behind.',
    role: 'MEMBER',
    query: archiveQuery,
    body: submissionBody,
    success: { status: 201, description: 'Built and recorded', schema: submittedRevision },
    problems: [
      ...edgeWorkerProblems,
      'ArchiveBroken',
      'ArchiveTooLarge',
      'ArchiveEntryRefused',
      'SubmissionTooLarge',
      'SubmissionPathRefused',
      'SubmissionPathDuplicate',
      'SubmissionFileNotText',
      'SubmissionEmpty',
      'EntryPointMissing',
      'SourceSyntaxInvalid',
      'ImportUnresolved',
      'BundleTooLarge',
      'BuildTimedOut',
      'ArtifactStoreUnavailable',
      'StorageFull',
      'SettingsInvalid',
      'SecretNotFound',
    ],
    turn: 'builds',
    // A process is busy with it for some ten milliseconds, and the store for longer.
    weight: () => 10,
    admit: ({ limiters }, owner) => (limiters.turns.builds.isFull(owner) ? busy() : undefined),
  },
  async ({ deps, request, who, query, body, envelope }) => {
    const command = envelope(who.caller, who);
    const submission = { ...body, settings: { ...body.settings, ...query } };
    const outcome = await submitRevision({ ...deps, log: deps.logger }, who, submission, command);
    return answer(outcome, command, (submitted) => ({
      status: 201,
      body: {
        ...submitted,
        compatibilityFlags: [...submitted.compatibilityFlags],
        variableNames: [...submitted.variableNames],
        secrets: [...submitted.secrets],
        schedules: [...submitted.schedules],
        warnings: [...submitted.warnings],
      },
      headers: { Location: `${request.path}/${submitted.revision}` },
    }));
  },
);

const list = departmentOperation(
  {
    id: 'listRevisions',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions',
    tag,
    summary: 'Revisions of the worker, newest first',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of revisions', schema: pageOf(revision, 'RevisionPage') },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound'],
  },
  ({ deps, request, who, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.revisions({ ...page, companyId: who.workspaceId, departmentId: who.departmentId }),
      showRevision,
    ),
);

const showRevision = (row: Omit<RevisionWithEvidence, 'sbom' | 'buildReceipt'>) => ({
  ...{ versionId: row.versionId, workerId: row.workerId, revision: row.revision, state: row.state },
  ...{ language: row.language, entryPoint: row.entryPoint, compatibilityDate: row.compatibilityDate },
  compatibilityFlags: [...row.compatibilityFlags],
  ...{ variableNames: [...row.variableNames], secrets: [...row.secrets] },
  schedules: [...row.schedules],
  ...{ environmentDigest: row.environmentDigest, sourceDigest: row.sourceDigest, sourceBytes: row.sourceBytes },
  ...{ sourceFiles: row.sourceFiles, bundleDigest: row.bundleDigest, bundleBytes: row.bundleBytes },
  ...{ sbomDigest: row.sbomDigest, createdBy: row.createdBy, createdAt: isoTime(row.createdAt) },
  deployedAt: isoTimeOrNull(row.deployedAt),
  retiredAt: isoTimeOrNull(row.retiredAt),
});

const noRevision = refuse('RevisionNotFound', 'This worker has no such revision.');

const find = async (
  { queries }: ApiDeps,
  { workspaceId, departmentId }: DepartmentMembership,
  revision: string,
): Promise<RevisionWithEvidence | undefined> =>
  /^[1-9]\d{0,8}$/.test(revision)
    ? queries.revision({ companyId: workspaceId, departmentId, revision: Number(revision) })
    : undefined;

const get = departmentOperation(
  {
    id: 'getRevision',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions/{revision}',
    tag,
    summary: 'One revision',
    role: 'VIEWER',
    ...noInput,
    success: { status: 200, description: 'The revision', schema: revision },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'RevisionNotFound'],
  },
  async ({ deps, who, params }) => {
    const row = await find(deps, who, params.revision);
    return row ? { status: 200, body: showRevision(row) } : noRevision;
  },
);

const evidenceOf = (
  what: 'sbom' | 'receipt',
  spec: { readonly id: string; readonly summary: string; readonly mediaType: string; readonly description: string },
) =>
  departmentOperation(
    {
      id: spec.id,
      method: 'get',
      path: `/workspaces/{workspaceId}/departments/{departmentId}/worker/revisions/{revision}/${what}`,
      tag,
      summary: spec.summary,
      role: 'VIEWER',
      ...noInput,
      success: { status: 200, description: spec.description, schema: z.string(), mediaType: spec.mediaType },
      problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'RevisionNotFound', 'RevisionEvidenceMissing'],
    },
    async ({ deps, who, params }) => {
      const row = await find(deps, who, params.revision);
      if (!row) return noRevision;
      const body = what === 'sbom' ? row.sbom : row.buildReceipt;
      if (body === null) return refuse('RevisionEvidenceMissing', `Revision ${row.revision} has no build evidence.`);
      return { status: 200, body };
    },
  );

const sbom = evidenceOf('sbom', {
  id: 'getRevisionSbom',
  summary: 'Everything that went into the bundle',
  mediaType: 'application/vnd.cyclonedx+json',
  description: 'A CycloneDX document',
});
const receipt = evidenceOf('receipt', {
  id: 'getRevisionReceipt',
  summary: 'The signed build receipt',
  mediaType: 'application/vnd.dsse.envelope.v1+json',
  description: 'A DSSE envelope around an in-toto statement',
});

export const revisionOperations: readonly Operation[] = [submit, list, get, sbom, receipt];
