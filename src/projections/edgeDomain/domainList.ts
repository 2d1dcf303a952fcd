import type { Page, PageArgs } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import { at, type RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parseStringMap, parseStrings } from '../values.ts';
import type { edgeDomains } from './edgeDomains.ts';

export type DomainAnswer = {
  readonly domainId: string;
  readonly hostname: string;
  readonly departmentId: string;
  readonly provider: string;
  readonly status: 'attaching' | 'attached' | 'refused' | 'detaching';
  readonly adopt: boolean;
  readonly facts: Readonly<Record<string, string>>;
  readonly refusal: { readonly code: string; readonly reason: string; readonly owner: string | null } | null;
  readonly verification: {
    readonly verified: boolean;
    readonly detail: string;
    readonly facts: Readonly<Record<string, string>>;
    readonly at: number;
  } | null;
  readonly certificate: {
    readonly fingerprint: string;
    readonly issuer: string;
    readonly names: readonly string[];
    readonly notAfter: number;
    readonly storedAt: number;
  } | null;
  readonly attachedAt: number | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

const answerOf = (row: RowOf<typeof edgeDomains>): DomainAnswer => ({
  ...{ domainId: row.id, hostname: row.hostname, departmentId: row.department_id, provider: row.provider },
  ...{ status: row.status, adopt: row.adopt, facts: parseStringMap(row.facts) },
  refusal:
    row.status === 'refused'
      ? { code: row.refusal_code, reason: row.refusal_reason, owner: orNull(row.conflict_owner) }
      : null,
  verification:
    row.verification === 'none' || row.verified_at === null
      ? null
      : {
          ...{ verified: row.verification === 'verified', detail: row.verification_detail },
          ...{ facts: parseStringMap(row.verification_facts), at: row.verified_at },
        },
  certificate:
    row.certificate_not_after === null || row.certificate_stored_at === null
      ? null
      : {
          ...{ fingerprint: row.certificate_fingerprint, issuer: row.certificate_issuer },
          ...{ names: parseStrings(row.certificate_names), notAfter: row.certificate_not_after },
          storedAt: row.certificate_stored_at,
        },
  ...{ attachedAt: row.attached_at, createdAt: row.created_at, updatedAt: row.updated_at },
});

type TenantDepartment = { readonly companyId: string; readonly departmentId: string };

/** By name. */
export const listDomains = async (
  db: ReadDatabase,
  { companyId, departmentId, limit, after }: PageArgs & TenantDepartment,
): Promise<Page<DomainAnswer>> => {
  const rows = await db
    .selectFrom('edge_domains')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .$if(after !== undefined, (query) => query.where('hostname', '>', after?.id ?? ''))
    .orderBy('hostname')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit).map(answerOf);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, next: last === undefined ? null : { key: 0, id: last.hostname } };
};

export const findDomain = async (
  db: ReadDatabase,
  { companyId, departmentId, domainId }: TenantDepartment & { readonly domainId: string },
): Promise<DomainAnswer | undefined> => {
  const row = await db
    .selectFrom('edge_domains')
    .selectAll()
    .where('id', '=', domainId)
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .executeTakeFirst();
  return row && answerOf(row);
};

/** For the reactor that detaches them: the names that a worker holds. */
export const listDomainsOfWorker = async (
  db: ReadDatabase,
  { companyId, workerId }: { readonly companyId: string; readonly workerId: string },
): Promise<readonly { readonly domainId: string; readonly departmentId: string }[]> => {
  const rows = await db
    .selectFrom('edge_domains')
    .select(['id', 'department_id'])
    .where('worker_id', '=', workerId)
    .where('company_id', '=', companyId)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ domainId: row.id, departmentId: row.department_id }));
};

/** For a node: ids of the domains that a provider has or is to have, across tenants. */
export const listDomainsAt = async (
  db: ReadDatabase,
  { provider }: { readonly provider: string },
): Promise<readonly string[]> => {
  const rows = await db
    .selectFrom('edge_domains')
    .select('id')
    .where('provider', '=', provider)
    .where('status', '!=', 'refused')
    .orderBy('id')
    .execute();
  return rows.map((row) => row.id);
};

/** For metrics, across tenants: certificates of held names that end before this time. */
export const countCertificates = async (
  db: ReadDatabase,
  { endBefore }: { readonly endBefore: number },
): Promise<number> => {
  const row = await db
    .selectFrom('edge_domains')
    .select((eb) => eb.fn.countAll().as('count'))
    .where('certificate_not_after', '<', at(endBefore))
    .executeTakeFirstOrThrow();
  return Number(row.count);
};
