import type { EdgeSecretEvent } from '../../domain/edgeSecret/index.ts';
import type { Page } from '../answers.ts';
import type { ReadDatabase } from '../schema.ts';
import { integer, nullable, type RowOf, string, table, timestamp } from '../table.ts';
import { orNull } from '../text.ts';

/**
 * One row per secret: its newest version and what became of it, never a value, sealed or not. No foreign keys: whoever
 * cleans up after a deleted company must still find what is to be destroyed.
 */
export const edgeSecrets = table<EdgeSecretEvent>()({
  name: 'edge_secrets',
  version: 1,
  columns: {
    id: string(64),
    company_id: string(64),
    department_id: string(64),
    name: string(64),
    version: integer(),
    digest: string(64),
    /** Versions that can still be read; 0 once the secret was removed. */
    readable_versions: integer(),
    stored_by: string(128),
    stored_at: timestamp(),
    removed_by: string(128),
    removed_at: nullable(timestamp()),
    /** When the data keys of the removed values were known to be destroyed. */
    shredded_at: nullable(timestamp()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  primaryKey: ['id'],
  unique: { uq_edge_secret_department_name: ['department_id', 'name'] },
  indexes: { ix_edge_secret_tenant: ['company_id', 'department_id', 'name'] },
  on: {
    EdgeSecretStored: ({ data, meta }, rows) => {
      const id = meta.subjectId;
      const stored = { version: data.version, digest: data.digest, stored_by: meta.actor.id };
      const times = { stored_at: meta.recordedAt, updated_at: meta.recordedAt };
      if (data.version === 1) {
        const of = { id, company_id: data.companyId, department_id: data.departmentId, name: data.name };
        rows.insert({ ...of, ...stored, ...times, readable_versions: 1, created_at: meta.recordedAt });
        return;
      }
      rows.patch(id, { ...stored, ...times, removed_by: '', removed_at: null, shredded_at: null });
      rows.increment(id, 'readable_versions', 1);
    },
    EdgeSecretRemoved: ({ meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ readable_versions: 0, removed_by: meta.actor.id, removed_at: meta.recordedAt },
        ...{ shredded_at: null, updated_at: meta.recordedAt },
      }),
    EdgeSecretShredded: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { shredded_at: meta.recordedAt, updated_at: meta.recordedAt }),
  },
});

export type SecretAnswer = {
  readonly secretId: string;
  readonly name: string;
  readonly version: number;
  readonly digest: string;
  readonly storedBy: string | null;
  readonly storedAt: number;
  readonly createdAt: number;
};

const answerOf = (row: RowOf<typeof edgeSecrets>): SecretAnswer => ({
  secretId: row.id,
  name: row.name,
  version: row.version,
  digest: row.digest,
  storedBy: orNull(row.stored_by),
  storedAt: row.stored_at,
  createdAt: row.created_at,
});

type TenantDepartment = { readonly companyId: string; readonly departmentId: string };

/** Secrets that can be read of a company, or of one department of it: for whoever removes them with their owner. */
export const listReadableSecrets = async (
  db: ReadDatabase,
  { companyId, departmentId }: { readonly companyId: string; readonly departmentId?: string | undefined },
): Promise<readonly { readonly secretId: string; readonly departmentId: string }[]> => {
  const rows = await db
    .selectFrom('edge_secrets')
    .select(['id', 'department_id'])
    .where('company_id', '=', companyId)
    .$if(departmentId !== undefined, (query) => query.where('department_id', '=', departmentId ?? ''))
    .where('removed_at', 'is', null)
    .orderBy('id')
    .execute();
  return rows.map((row) => ({ secretId: row.id, departmentId: row.department_id }));
};

/** By name, without the removed ones. */
export const listSecrets = async (
  db: ReadDatabase,
  { companyId, departmentId, limit, after }: TenantDepartment & { limit: number; after?: { id: string } | undefined },
): Promise<Page<SecretAnswer>> => {
  const rows = await db
    .selectFrom('edge_secrets')
    .selectAll()
    .where('company_id', '=', companyId)
    .where('department_id', '=', departmentId)
    .where('removed_at', 'is', null)
    .$if(after !== undefined, (query) => query.where('name', '>', after?.id ?? ''))
    .orderBy('name')
    .limit(limit + 1)
    .execute();
  const page = rows.slice(0, limit).map(answerOf);
  const last = rows.length > limit ? page.at(-1) : undefined;
  return { rows: page, next: last === undefined ? null : { key: last.version, id: last.name } };
};
