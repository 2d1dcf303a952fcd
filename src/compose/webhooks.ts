import { Gauge, type Registry } from 'prom-client';
import { deliverKind, replayKind, testKind } from '../commands/webhookDelivery.ts';
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
  { aggregates, log, vault, outbound, queries }: Pick<Parts, 'aggregates' | 'log' | 'vault' | 'outbound' | 'queries'>,
  reads: Pick<ReadTablesPart, 'waitFor'>,
  metrics: Pick<JobMetrics, 'delivered'>,
): JobKinds => {
  const webhooks = aggregates.webhook;
  const common = { webhooks, vault, clock: systemClock };
  const sending = deliver({ ...common, log, outbound, userAgent: `Opslog/${version}`, observe: metrics.delivered });
  return {
    ...{ [deliverKind]: sending, [testKind]: sending },
    [replayKind]: replayDeliveries({
      ...{ aggregates, log },
      positions: async (span) => {
        await caughtUp(reads, await log.head(), 'audit_logs');
        return queries.positionsBetween(span);
      },
    }),
    [shredKind]: shredWebhookKeys(common),
  };
};

const caughtUp = async ({ waitFor }: Pick<ReadTablesPart, 'waitFor'>, position: bigint, table: string) => {
  if ((await waitFor(position, { timeoutMs: 30_000, tables: [table] })) !== 'reached') {
    throw new Error('The read tables are behind.');
  }
};

export const webhookReactors = (
  { aggregates, queries }: Pick<Parts, 'aggregates' | 'queries'>,
  reads: Pick<ReadTablesPart, 'waitFor'>,
): readonly Reactor[] => [
  webhookReactor({
    aggregates,
    subscriptions: async (position) => {
      await caughtUp(reads, position, 'webhooks');
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
