import type { Page, PageArgs, RevisionAnswer, RevisionWithEvidence } from '../answers.ts';
import { beforeCursor, pageOf } from '../page.ts';
import type { ReadDatabase } from '../schema.ts';
import type { RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parsePinnedSecrets, parseSchedules, parseStringMap, parseStrings } from '../values.ts';
import type { edgeWorkerVersions } from './edgeWorkerVersions.ts';

type TenantDepartment = { readonly companyId: string; readonly departmentId: string };

/** Everything but the two evidence documents, which may be large. */
const summary = [
  'id',
  'company_id',
  'department_id',
  'worker_id',
  'revision',
  'state',
  'language',
  'entry_point',
  'compatibility_date',
  'compatibility_flags',
  'variables',
  'secrets',
  'schedules',
  'environment_digest',
  'source_digest',
  'source_bytes',
  'source_files',
  'bundle_digest',
  'bundle_bytes',
  'sbom_digest',
  'created_by',
  'created_at',
  'deployed_at',
  'retired_at',
  'updated_at',
] as const;

const answerOf = (row: Pick<RowOf<typeof edgeWorkerVersions>, (typeof summary)[number]>): RevisionAnswer => ({
  versionId: row.id,
  workerId: row.worker_id,
  companyId: row.company_id,
  departmentId: row.department_id,
  revision: row.revision,
  state: row.state,
  language: row.language,
  entryPoint: row.entry_point,
  compatibilityDate: row.compatibility_date,
  compatibilityFlags: parseStrings(row.compatibility_flags),
  variableNames: Object.keys(parseStringMap(row.variables)),
  secrets: parsePinnedSecrets(row.secrets),
  schedules: parseSchedules(row.schedules),
  environmentDigest: row.environment_digest,
  sourceDigest: row.source_digest,
  sourceBytes: row.source_bytes,
  sourceFiles: row.source_files,
  bundleDigest: row.bundle_digest,
  bundleBytes: row.bundle_bytes,
  sbomDigest: row.sbom_digest,
  createdBy: orNull(row.created_by),
  createdAt: row.created_at,
  deployedAt: row.deployed_at,
  retiredAt: row.retired_at,
  updatedAt: row.updated_at,
});

export const listRevisions = async (
  db: ReadDatabase,
  { companyId, departmentId, limit, after }: PageArgs & TenantDepartment,
): Promise<Page<RevisionAnswer>> => {
  const rows = await db
    .selectFrom('edge_worker_versions')
    .select(summary)
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .$if(after !== undefined, (query) => query.where(beforeCursor('revision', 'id', after)))
    .orderBy('revision', 'desc')
    .orderBy('id', 'desc')
    .limit(limit + 1)
    .execute();
  return pageOf(rows.map(answerOf), limit, (row) => ({ key: row.revision, id: row.versionId }));
};

export const findRevision = async (
  db: ReadDatabase,
  { companyId, departmentId, revision }: TenantDepartment & { revision: number },
): Promise<RevisionWithEvidence | undefined> => {
  const row = await db
    .selectFrom('edge_worker_versions')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .where('revision', '=', revision)
    .executeTakeFirst();
  return row && { ...answerOf(row), sbom: orNull(row.sbom ?? ''), buildReceipt: orNull(row.build_receipt ?? '') };
};

/** Those of the digests that a revision refers to, as source or as bundle; one past retention refers to nothing. */
export const findReferencedDigests = async (
  db: ReadDatabase,
  { digests }: { digests: readonly string[] },
): Promise<ReadonlySet<string>> => {
  const found = new Set<string>();
  const wanted = [...new Set(digests)];
  for (let start = 0; start < wanted.length; start += 500) {
    const some = wanted.slice(start, start + 500);
    const [sources, bundles] = [
      await kept(db).select('source_digest').where('source_digest', 'in', some).execute(),
      await kept(db).select('bundle_digest').where('bundle_digest', 'in', some).execute(),
    ];
    for (const row of sources) found.add(row.source_digest);
    for (const row of bundles) found.add(row.bundle_digest);
  }
  return found;
};

const kept = (db: ReadDatabase) => db.selectFrom('edge_worker_versions').where('retired_at', 'is', null);
