import { maskText } from '../../domain/masking.ts';
import type { WebhookEvent } from '../../domain/webhook/index.ts';
import { bigint, choice, integer, json, nullable, string, table, text, timestamp } from '../table.ts';
import { cut } from '../text.ts';

export const webhookStatuses = ['active', 'paused', 'disabled', 'removed'] as const;

/**
 * One row per webhook, never a secret. A removed one stays without its URL. The positions say from where to where in the
 * log it takes events: what happened before it was created, or while it was not active, is not sent. No foreign keys:
 * whoever cleans up after a deleted workspace must still find what is to be ended.
 */
export const webhooks = table<WebhookEvent>()({
  name: 'webhooks',
  version: 1,
  columns: {
    id: string(64),
    workspace_id: string(64),
    url: text(),
    description: string(200),
    event_types: json(),
    department_ids: json(),
    status: choice(webhookStatuses, 'active'),
    reason_code: string(32),
    reason: text(),
    secret_version: integer(),
    previous_valid_until: nullable(timestamp()),
    failing_since: nullable(timestamp()),
    /** Of its newest fact. */
    position: bigint(),
    created_position: bigint(),
    /** Since when it is, or last was, paused or disabled; 0: never. */
    inactive_position: bigint(),
    resumed_position: bigint(),
    created_by: string(128),
    created_at: timestamp(),
    updated_at: timestamp(),
    inactive_at: nullable(timestamp()),
  },
  primaryKey: ['id'],
  indexes: {
    ix_webhook_workspace: ['workspace_id', 'created_at'],
    ix_webhook_status: ['status', 'workspace_id'],
  },
  checks: { ck_webhook_status: 'status' },
  on: {
    WebhookCreated: ({ data, meta }, rows) =>
      rows.insert({
        id: meta.subjectId,
        workspace_id: data.workspaceId,
        url: data.url,
        description: cut(data.description, 200),
        event_types: data.eventTypes,
        department_ids: data.departmentIds,
        secret_version: 1,
        position: meta.position,
        created_position: meta.position,
        created_by: cut(meta.actor.id, 128),
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    WebhookRevised: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        url: data.url,
        description: cut(data.description, 200),
        event_types: data.eventTypes,
        department_ids: data.departmentIds,
        ...seen(meta),
      }),
    WebhookSecretRotated: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        secret_version: data.secretVersion,
        previous_valid_until: data.previousValidUntil,
        ...seen(meta),
      }),
    WebhookPaused: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { status: 'paused', reason_code: '', reason: null, ...inactive(meta) }),
    WebhookDisabled: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        status: 'disabled',
        reason_code: data.reasonCode,
        reason: maskText(data.reason),
        ...inactive(meta),
      }),
    WebhookResumed: ({ meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ status: 'active', reason_code: '', reason: null, failing_since: null, inactive_at: null },
        ...{ resumed_position: meta.position, ...seen(meta) },
      }),
    WebhookFailureBegan: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { failing_since: data.since, ...seen(meta) }),
    WebhookRecovered: ({ meta }, rows) => rows.patch(meta.subjectId, { failing_since: null, ...seen(meta) }),
    WebhookRemoved: ({ meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...{ status: 'removed', url: null, description: '', reason_code: '', reason: null, failing_since: null },
        ...{ previous_valid_until: null, ...inactive(meta) },
      }),
    WebhookKeysShredded: 'ignored',
    WebhookClaimForfeited: 'ignored',
  },
});

type Meta = { readonly position: bigint; readonly recordedAt: number };
const seen = ({ position, recordedAt }: Meta) => ({ position, updated_at: recordedAt });
const inactive = (meta: Meta) => ({
  ...{ inactive_position: meta.position, inactive_at: meta.recordedAt },
  ...seen(meta),
});
