import { Gauge, type Registry } from 'prom-client';
import { deliverKind, replayKind } from '../commands/webhookDelivery.ts';
import type { Parts } from '../parts.ts';
import { systemClock } from '../platform/clock/system.ts';
import type { JobKinds } from '../sagas/jobs/effect.ts';
import type { Reactor } from '../sagas/reactor.ts';
import { deliver } from '../sagas/webhooks/deliver.ts';
import { shredKind, webhookReactor } from '../sagas/webhooks/react.ts';
import { replayDeliveries } from '../sagas/webhooks/replay.ts';
import { shredWebhookKeys } from '../sagas/webhooks/shred.ts';
import { version } from '../version.ts';
import type { JobMetrics } from './jobMetrics.ts';
import type { ReadTablesPart } from './readTables.ts';

export const webhookJobKinds = (
  { aggregates, log, vault, outbound }: Pick<Parts, 'aggregates' | 'log' | 'vault' | 'outbound'>,
  metrics: Pick<JobMetrics, 'delivered'>,
): JobKinds => {
  const webhooks = aggregates.webhook;
  const common = { webhooks, vault, clock: systemClock };
  return {
    [deliverKind]: deliver({ ...common, log, outbound, userAgent: `Opslog/${version}`, observe: metrics.delivered }),
    [replayKind]: replayDeliveries({ aggregates, log }),
    [shredKind]: shredWebhookKeys(common),
  };
};

export const webhookReactors = (
  { aggregates, queries }: Pick<Parts, 'aggregates' | 'queries'>,
  reads: Pick<ReadTablesPart, 'waitFor'>,
): readonly Reactor[] => [
  webhookReactor({
    aggregates,
    subscriptions: async (position) => {
      if ((await reads.waitFor(position, { timeoutMs: 30_000, tables: ['webhooks'] })) !== 'reached') {
        throw new Error('The read tables are behind.');
      }
      return queries.webhookSubscriptions();
    },
  }),
];

/** Counted when somebody asks. No workspace is told, as whoever reads figures may be no member. */
export const createWebhookMetrics = (registry: Registry, { queries }: Pick<Parts, 'queries'>): void => {
  new Gauge({
    name: 'opslog_webhooks',
    help: 'Webhooks by status, and whether their newest delivery failed, in the whole installation.',
    labelNames: ['status', 'failing'] as const,
    registers: [registry],
    async collect() {
      // A database that is away must not take the other figures with it.
      const counts = await queries.webhookCounts().catch(() => []);
      this.reset();
      for (const { status, failing, count } of counts) this.set({ status, failing: String(failing) }, count);
    },
  });
};
