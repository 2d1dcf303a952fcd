import type { CredentialEvent, CredentialValue } from '../../domain/credential/index.ts';
import { credentialKinds } from '../../domain/credential/index.ts';
import type { CredentialUseEvent } from '../../domain/credentialUse/index.ts';
import { choice, integer, json, nullable, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

const newValue = ({ details, encryptedData, digest }: Readonly<CredentialValue>) => ({
  kind: details.kind,
  details,
  encrypted_data: { iv: encryptedData.iv, tag: encryptedData.tag, data: encryptedData.data },
  digest,
});

/**
 * One row per credential. `encrypted_data` is the newest value, sealed, and nothing but noise without its data key, which no
 * database holds; it goes with the deletion. Nothing is opened from here: whoever uses a credential reads the log.
 */
export const credentials = table<CredentialEvent | CredentialUseEvent>()({
  name: 'credentials',
  version: 1,
  columns: {
    id: string(64),
    workspace_id: string(64),
    /** `''`: of the whole workspace. */
    department_id: string(64),
    name: string(255),
    description: string(500),
    kind: choice(credentialKinds, 'generic'),
    /** What may be known of the value, by its kind. */
    details: json(),
    version: integer(),
    digest: string(64),
    /** `{ iv, tag, data }` in base64: AES-256-GCM, authenticated with the workspace id. */
    encrypted_data: json(),
    status: choice(['active', 'deleted'], 'active'),
    stored_by: string(128),
    stored_at: timestamp(),
    last_used_at: nullable(timestamp()),
    last_used_for: string(128),
    last_used_on: string(128),
    deleted_by: string(128),
    deleted_at: nullable(timestamp()),
    /** When the keys of all values of before were known to be destroyed. */
    shredded_at: nullable(timestamp()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  primaryKey: ['id'],
  generated: { active_name: { column: 'name', when: { status: ['active'] } } },
  unique: { uq_credential_workspace_name: ['workspace_id', 'active_name'] },
  indexes: { ix_credential_workspace_created: ['workspace_id', 'created_at'] },
  checks: { ck_credential_kind: 'kind', ck_credential_status: 'status' },
  on: {
    CredentialClaimForfeited: 'ignored',
    CredentialCreated: ({ data, meta }, rows) =>
      rows.insert({
        ...{ id: meta.subjectId, workspace_id: data.workspaceId, department_id: data.departmentId },
        ...{ name: cut(data.name, 255), description: cut(data.description, 500), version: 1, ...newValue(data) },
        ...{ stored_by: meta.actor.id, stored_at: meta.recordedAt },
        ...{ created_at: meta.recordedAt, updated_at: meta.recordedAt },
      }),
    CredentialReplaced: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ version: data.version, ...newValue(data) },
        ...{ stored_by: meta.actor.id, stored_at: meta.recordedAt, updated_at: meta.recordedAt },
      }),
    CredentialRenamed: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { name: cut(data.name, 255), updated_at: meta.recordedAt }),
    CredentialDescribed: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { description: cut(data.description, 500), updated_at: meta.recordedAt }),
    CredentialUsed: ({ data, meta }, rows) =>
      rows.patch(data.credentialId, {
        ...{ last_used_at: meta.recordedAt, last_used_for: cut(data.purpose, 128) },
        last_used_on: cut(data.subjectId, 128),
      }),
    CredentialDeleted: ({ data, meta }, rows) => {
      // The tables forget what a deleted workspace had.
      if (data.reason === 'workspace_deleted') {
        rows.remove(meta.subjectId);
        return;
      }
      rows.patch(meta.subjectId, {
        ...{ status: 'deleted', encrypted_data: null, digest: '' },
        ...{ deleted_by: meta.actor.id, deleted_at: meta.recordedAt, shredded_at: null, updated_at: meta.recordedAt },
      });
    },
    CredentialShredded: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { shredded_at: meta.recordedAt, updated_at: meta.recordedAt }),
  },
});
