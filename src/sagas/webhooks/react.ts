import type { Aggregates } from '../../commands/aggregates.ts';
import { enqueueJob } from '../../commands/job.ts';
import { enqueueDelivery } from '../../commands/webhookDelivery.ts';
import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import type { WebhookEvent } from '../../domain/webhook/index.ts';
import type { Position } from '../../platform/eventLog/port.ts';
import { systemEnvelope } from '../envelope.ts';
import type { Reactor } from '../reactor.ts';
import { createRegistry, type Registry, type Subscription } from './registry.ts';
import { isOfDelivery, isWithinReach } from './told.ts';

export const shredKind = 'webhook.shred';

export type ReactDeps = {
  readonly aggregates: Pick<Aggregates, 'job' | 'webhook' | 'workspace' | 'resourceRelation'>;
  /** Every webhook that is not removed, with everything up to `position`. */
  readonly subscriptions: (position: Position) => Promise<readonly Subscription[]>;
};

const name = 'webhooks';
const isOfWebhook = (event: Recorded<OpslogEvent>): event is Recorded<WebhookEvent> =>
  event.meta.category === 'webhook';

/** Turns each event that a webhook wants into a job that delivers it, and ends the webhooks of deleted workspaces. */
export const webhookReactor = (deps: ReactDeps): Reactor => {
  let registry: Registry | undefined;
  return {
    name,
    wants: (event) =>
      registry === undefined ||
      isOfWebhook(event) ||
      event.type === 'WorkspaceDeleted' ||
      registry.wantedBy(event).length > 0,
    react: async (event) => {
      registry ??= createRegistry(await deps.subscriptions(event.meta.position));
      if (isOfWebhook(event)) {
        registry.note(event);
        return follow(deps, event);
      }
      const wanting = registry.wantedBy(event);
      if (wanting.length > 0 && !(await isOfDelivery(deps, event))) {
        for (const webhook of wanting) {
          if (await isWithinReach(deps, webhook, event)) await enqueue(deps, event, webhook);
        }
      }
      if (event.type === 'WorkspaceDeleted') {
        for (const { webhookId } of registry.ofWorkspace(event.meta.subjectId)) await remove(deps, event, webhookId);
      }
    },
  };
};

const contextOf = ({ meta }: Recorded<OpslogEvent>) => {
  const { workspaceId, requestId, correlationId, eventId } = meta;
  return { workspaceId, departmentId: '', requestId, correlationId, causationId: eventId };
};

const enqueue = async (deps: ReactDeps, event: Recorded<OpslogEvent>, to: Subscription): Promise<void> => {
  const { webhookId } = to;
  const envelope = systemEnvelope(name, contextOf(event), event.meta.eventId, webhookId);
  const enqueued = await enqueueDelivery(deps, to, event, envelope);
  if (!enqueued.ok) throw new Error(`${event.meta.eventId} cannot be delivered: ${enqueued.rejection.rejected}`);
};

const remove = async ({ aggregates }: ReactDeps, event: Recorded<OpslogEvent>, webhookId: string): Promise<void> => {
  const envelope = systemEnvelope(name, contextOf(event), event.meta.eventId, 'remove', webhookId);
  const removed = await aggregates.webhook.send(webhookId, { type: 'RemoveWebhook', data: {} }, envelope);
  if (!removed.ok) throw new Error(`The webhook ${webhookId} cannot be removed: ${removed.rejection.rejected}`);
};

/** Keys that are not needed any more are destroyed: at once, or when the time of two secrets is over. */
const follow = async (deps: ReactDeps, event: Recorded<WebhookEvent>): Promise<void> => {
  const { subjectId, workspaceId } = event.meta;
  switch (event.type) {
    case 'WebhookRemoved':
      return shred(deps, event, 0);
    case 'WebhookSecretRotated': {
      await shred(deps, event, event.data.previousValidUntil);
      // One that was still valid beside the last ended with this rotation.
      return shred(deps, event, 0);
    }
    case 'WebhookCreated': {
      // In the very moment of the deletion: the list of then may not have had it.
      const { state } = await deps.aggregates.workspace.load(workspaceId);
      if (state.status === 'deleted') await remove(deps, event, subjectId);
    }
  }
};

const shred = async (deps: ReactDeps, event: Recorded<WebhookEvent>, runAt: number): Promise<void> => {
  const { eventId, subjectId, workspaceId } = event.meta;
  const when = runAt === 0 ? 'now' : 'later';
  const enqueued = await enqueueJob(
    deps,
    {
      ...{ kind: shredKind, workspaceId, subjectId, dedupeKey: `${eventId}:${when}`, priority: 2 },
      ...{ runAt, maxAttempts: 1_000 },
    },
    systemEnvelope(name, contextOf(event), eventId, 'shred', when),
  );
  if (!enqueued.ok) throw new Error(`Keys of ${subjectId} cannot be destroyed: ${enqueued.rejection.rejected}`);
};
