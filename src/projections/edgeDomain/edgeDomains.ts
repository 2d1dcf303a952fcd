import type { EdgeDomainEvent } from '../../domain/edgeDomain/index.ts';
import { boolean, choice, integer, json, nullable, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

/**
 * One row per host name that somebody holds, or that was last refused. No foreign keys: the names of a deleted company
 * must still be found, to be detached. The log keeps who had a name before.
 */
export const edgeDomains = table<EdgeDomainEvent>()({
  name: 'edge_domains',
  version: 1,
  columns: {
    id: string(64),
    hostname: string(253),
    company_id: string(64),
    department_id: string(64),
    worker_id: string(64),
    script_name: string(63),
    provider: string(32),
    scope: string(64),
    status: choice(['attaching', 'attached', 'refused', 'detaching'], 'attaching'),
    claim: integer(),
    adopt: boolean(),
    facts: json(),
    refusal_code: string(64),
    refusal_reason: string(500),
    /** Who has the name outside, as the provider names them. */
    conflict_owner: string(255),
    verification: choice(['none', 'verified', 'failed'], 'none'),
    verification_detail: string(500),
    verification_facts: json(),
    verified_at: nullable(timestamp()),
    /** '' while there is none. Never the certificate itself, nor its key. */
    certificate_fingerprint: string(128),
    certificate_issuer: string(255),
    certificate_names: json(),
    certificate_not_after: nullable(timestamp()),
    certificate_stored_at: nullable(timestamp()),
    requested_by: string(128),
    attached_at: nullable(timestamp()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  primaryKey: ['id'],
  unique: { uq_edge_domain_hostname: ['hostname'] },
  indexes: {
    ix_edge_domain_tenant: ['company_id', 'department_id', 'hostname'],
    ix_edge_domain_worker: ['worker_id'],
    ix_edge_domain_provider: ['provider', 'status'],
  },
  checks: { ck_edge_domain_status: 'status', ck_edge_domain_verification: 'verification' },
  on: {
    DomainAttachmentRequested: ({ data, meta }, rows) => {
      const { hostname, claim, adopt, provider, scope } = data;
      const of = { company_id: data.companyId, department_id: data.departmentId, worker_id: data.workerId };
      const times = { created_at: meta.recordedAt, updated_at: meta.recordedAt };
      // The row of whoever was refused this name before.
      rows.remove(meta.subjectId);
      rows.insert({
        ...{ id: meta.subjectId, hostname, claim, adopt, provider, scope, ...of, ...times },
        ...{ script_name: data.scriptName, requested_by: cut(meta.actor.id, 128) },
        ...{ facts: {}, verification_facts: {}, certificate_names: [] },
      });
    },
    DomainAttached: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ status: 'attached', facts: data.facts, attached_at: meta.recordedAt, updated_at: meta.recordedAt },
      }),
    DomainAttachmentRefused: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ status: 'refused', refusal_code: cut(data.code, 64), refusal_reason: cut(data.reason, 500) },
        ...{ conflict_owner: cut(data.owner, 255), updated_at: meta.recordedAt },
      }),
    DomainAttachmentAbandoned: 'ignored',
    DomainVerified: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ verification: 'verified', verification_detail: cut(data.detail, 500), verification_facts: data.facts },
        ...{ verified_at: meta.recordedAt, updated_at: meta.recordedAt },
      }),
    DomainVerificationFailed: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ verification: 'failed', verification_detail: cut(data.reason, 500), verification_facts: data.facts },
        ...{ verified_at: meta.recordedAt, updated_at: meta.recordedAt },
      }),
    DomainDetachmentRequested: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'detaching', updated_at: meta.recordedAt }),
    DomainDetached: ({ meta }, rows) => rows.remove(meta.subjectId),
    DomainCertificateStored: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ certificate_fingerprint: cut(data.fingerprint, 128), certificate_issuer: cut(data.issuer, 255) },
        ...{ certificate_names: data.names, certificate_not_after: data.notAfter },
        ...{ certificate_stored_at: meta.recordedAt, updated_at: meta.recordedAt },
      }),
    DomainCertificateRemoved: ({ meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ certificate_fingerprint: '', certificate_issuer: '', certificate_names: [] },
        ...{ certificate_not_after: null, certificate_stored_at: null, updated_at: meta.recordedAt },
      }),
  },
});
