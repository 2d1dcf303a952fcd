import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { isForTenants } from '../../domain/publicEvent.ts';
import { isWanted, type WebhookEvent } from '../../domain/webhook/index.ts';

/** What one webhook wants, and from where to where in the log. */
export type Subscription = {
  readonly webhookId: string;
  readonly workspaceId: string;
  readonly eventTypes: readonly string[];
  readonly departmentIds: readonly string[];
  readonly status: 'active' | 'paused' | 'disabled' | 'removed';
  /** Of the newest fact of the webhook that is in here. */
  readonly position: bigint;
  readonly createdPosition: bigint;
  /** When it was last paused or disabled, and resumed; 0n: never. */
  readonly inactivePosition: bigint;
  readonly resumedPosition: bigint;
};

/**
 * Who wants which events, kept beside the log: most events are wanted by nobody, and to ask a database about each would cost
 * more than they do. It begins with what the table has and follows the facts of webhooks as they come by.
 */
export type Registry = {
  /** A fact of a webhook; one that is in here already changes nothing. */
  note(event: Recorded<WebhookEvent>): void;
  wantedBy(event: Recorded<OpslogEvent>): readonly Subscription[];
  ofWorkspace(workspaceId: string): readonly Subscription[];
};

export const createRegistry = (known: readonly Subscription[]): Registry => {
  const byWorkspace = new Map<string, Map<string, Subscription>>();
  const keep = (subscription: Subscription): void => {
    const { workspaceId, webhookId } = subscription;
    const own = byWorkspace.get(workspaceId) ?? new Map<string, Subscription>();
    own.set(webhookId, subscription);
    byWorkspace.set(workspaceId, own);
  };
  for (const each of known) keep(each);
  const find = (webhookId: string, workspaceId: string) => byWorkspace.get(workspaceId)?.get(webhookId);
  return {
    note: (event) => {
      const { subjectId, workspaceId, position } = event.meta;
      const before = find(subjectId, workspaceId);
      if (before !== undefined && position <= before.position) return;
      const after = afterFact(before, event);
      if (after === undefined) return;
      if (after.status === 'removed') byWorkspace.get(workspaceId)?.delete(subjectId);
      else keep({ ...after, position });
    },
    wantedBy: ({ type, meta }) => {
      const own = byWorkspace.get(meta.workspaceId);
      if (own === undefined || own.size === 0 || !isForTenants(type, meta)) return [];
      const { category, departmentId, position } = meta;
      return [...own.values()].filter(
        (each) => takes(each, position) && isWanted(each, { category, type, departmentId }),
      );
    },
    ofWorkspace: (workspaceId) => [...(byWorkspace.get(workspaceId)?.values() ?? [])],
  };
};

/** Nothing from before it was created, and nothing of the time in which it was last paused or disabled. */
const takes = (webhook: Subscription, position: bigint): boolean => {
  if (position <= webhook.createdPosition) return false;
  if (webhook.inactivePosition === 0n || position < webhook.inactivePosition) return true;
  return webhook.status === 'active' && position > webhook.resumedPosition;
};

const afterFact = (before: Subscription | undefined, event: Recorded<WebhookEvent>): Subscription | undefined => {
  const { subjectId: webhookId, position } = event.meta;
  if (event.type === 'WebhookCreated') {
    const { workspaceId, eventTypes, departmentIds } = event.data;
    const positions = { position, createdPosition: position, inactivePosition: 0n, resumedPosition: 0n };
    return { webhookId, workspaceId, eventTypes, departmentIds, status: 'active', ...positions };
  }
  if (before === undefined) return undefined;
  switch (event.type) {
    case 'WebhookRevised': {
      const { eventTypes, departmentIds } = event.data;
      return { ...before, eventTypes, departmentIds };
    }
    case 'WebhookPaused':
      return { ...before, status: 'paused', inactivePosition: position };
    case 'WebhookDisabled':
      return { ...before, status: 'disabled', inactivePosition: position };
    case 'WebhookResumed':
      return { ...before, status: 'active', resumedPosition: position };
    case 'WebhookRemoved':
      return { ...before, status: 'removed' };
    case 'WebhookSecretRotated':
    case 'WebhookFailureBegan':
    case 'WebhookRecovered':
    case 'WebhookKeysShredded':
    case 'WebhookClaimForfeited':
      return before;
    default:
      event satisfies never;
      return before;
  }
};
