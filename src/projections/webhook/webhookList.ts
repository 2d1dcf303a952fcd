import type { ReadDatabase } from '../schema.ts';
import type { RowOf } from '../table.ts';
import { orNull } from '../text.ts';
import { parseStrings } from '../values.ts';
import type { webhooks } from './webhooks.ts';

export type WebhookAnswer = {
  readonly webhookId: string;
  readonly workspaceId: string;
  readonly url: string;
  readonly description: string;
  readonly eventTypes: readonly string[];
  readonly departmentIds: readonly string[];
  readonly status: 'active' | 'paused' | 'disabled';
  readonly reasonCode: string | null;
  readonly reason: string | null;
  readonly secretVersion: number;
  readonly previousValidUntil: number | null;
  readonly failingSince: number | null;
  /** Since when it is paused or disabled. */
  readonly inactiveSince: number | null;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** For whoever turns events into deliveries: what is wanted, and from where to where in the log. */
export type WebhookSubscription = Pick<WebhookAnswer, 'webhookId' | 'workspaceId' | 'eventTypes' | 'departmentIds'> & {
  readonly status: 'active' | 'paused' | 'disabled' | 'removed';
  readonly position: bigint;
  readonly createdPosition: bigint;
  readonly inactivePosition: bigint;
  readonly resumedPosition: bigint;
};

export type WebhookCount = { readonly status: string; readonly failing: boolean; readonly count: number };

type InWorkspace = { readonly workspaceId: string };

const answersOf = (row: RowOf<typeof webhooks>): readonly WebhookAnswer[] =>
  row.status === 'removed'
    ? []
    : [
        {
          webhookId: row.id,
          workspaceId: row.workspace_id,
          url: row.url ?? '',
          description: row.description,
          eventTypes: parseStrings(row.event_types),
          departmentIds: parseStrings(row.department_ids),
          status: row.status,
          reasonCode: orNull(row.reason_code),
          reason: orNull(row.reason ?? ''),
          secretVersion: row.secret_version,
          previousValidUntil: row.previous_valid_until,
          failingSince: row.failing_since,
          inactiveSince: row.inactive_at,
          createdBy: orNull(row.created_by),
          createdAt: row.created_at,
          updatedAt: row.updated_at,
        },
      ];

/** All of a workspace, oldest first: there are never many. */
export const listWebhooks = async (
  db: ReadDatabase,
  { workspaceId }: InWorkspace,
): Promise<readonly WebhookAnswer[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('status', 'in', ['active', 'paused', 'disabled'])
    .orderBy('created_at')
    .orderBy('id')
    .execute();
  return rows.flatMap(answersOf);
};

export const findWebhook = async (
  db: ReadDatabase,
  { workspaceId, webhookId }: InWorkspace & { readonly webhookId: string },
): Promise<WebhookAnswer | undefined> => {
  const row = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', webhookId)
    .executeTakeFirst();
  return row && answersOf(row)[0];
};

/** Across tenants, without the removed ones. */
export const listSubscriptions = async (db: ReadDatabase): Promise<readonly WebhookSubscription[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .selectAll()
    .where('status', 'in', ['active', 'paused', 'disabled'])
    .orderBy('id')
    .execute();
  return rows.map((row) => ({
    webhookId: row.id,
    workspaceId: row.workspace_id,
    eventTypes: parseStrings(row.event_types),
    departmentIds: parseStrings(row.department_ids),
    status: row.status,
    position: BigInt(row.position),
    createdPosition: BigInt(row.created_position),
    inactivePosition: BigInt(row.inactive_position),
    resumedPosition: BigInt(row.resumed_position),
  }));
};

/** For metrics, across tenants. */
export const countWebhooks = async (db: ReadDatabase): Promise<readonly WebhookCount[]> => {
  const rows = await db
    .selectFrom('webhooks')
    .select((build) => [
      'status',
      build.fn.countAll<number | string>().as('found'),
      build.fn.count<number | string>('failing_since').as('failing'),
    ])
    .where('status', 'in', ['active', 'paused', 'disabled'])
    .groupBy('status')
    .orderBy('status')
    .execute();
  return rows.flatMap(({ status, found, failing }) => [
    { status, failing: true, count: Number(failing) },
    { status, failing: false, count: Number(found) - Number(failing) },
  ]);
};
