import type { Aggregates } from '../../commands/aggregates.ts';
import { decode } from '../../commands/envelope.ts';
import { enqueueDelivery } from '../../commands/webhookDelivery.ts';
import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { isForTenants } from '../../domain/publicEvent.ts';
import { isLive, isWanted, type LiveWebhook } from '../../domain/webhook/index.ts';
import type { EventLog, Position } from '../../platform/eventLog/port.ts';
import { systemEnvelope } from '../envelope.ts';
import type { JobInHand, JobKind, JobOutcome } from '../jobs/effect.ts';
import { isOfDelivery, isWithinReach } from './told.ts';

/** Of one replay: more is asked for in several, so that none fills the queue. */
export const maxReplayed = 10_000;

type Deps = {
  readonly aggregates: Pick<Aggregates, 'job' | 'webhook' | 'resourceRelation'>;
  readonly log: Pick<EventLog, 'readAllBatches'>;
  /** From where, exclusive, to where in the log the workspace was at work in a time; undefined: it was not. */
  readonly positions: (span: {
    readonly workspaceId: string;
    readonly fromMs: number;
    readonly toMs: number;
  }) => Promise<{ readonly after: Position; readonly last: Position } | undefined>;
};

/**
 * Reads that part of the log for what a webhook wants of a time, and enqueues each as a delivery of its own. Done again after a crash
 * it arrives at the same deliveries.
 */
export const replayDeliveries = (deps: Deps): JobKind => ({
  timeoutMs: 30 * 60_000,
  effect: async (job, signal) => {
    if (job.mode === 'probe')
      return { outcome: 'retry', detail: 'It goes on where it was; what is there already stays.' };
    const { fromMs, toMs } = job.payload;
    const { state } = await deps.aggregates.webhook.load(job.subjectId);
    if (!isLive(state)) return { outcome: 'refused', code: 'webhook_removed', detail: 'The webhook was removed.' };
    if (typeof fromMs !== 'number' || typeof toMs !== 'number') {
      return { outcome: 'refused', code: 'payload_malformed', detail: 'The job does not say from when to when.' };
    }
    return read(deps, job, state, { fromMs, toMs }, signal);
  },
});

const read = async (
  deps: Deps,
  job: JobInHand,
  webhook: LiveWebhook,
  { fromMs, toMs }: { readonly fromMs: number; readonly toMs: number },
  signal: AbortSignal,
): Promise<JobOutcome> => {
  let enqueued = 0;
  const span = await deps.positions({ workspaceId: job.workspaceId, fromMs, toMs });
  const batches = span === undefined ? [] : deps.log.readAllBatches({ after: span.after });
  for await (const batch of batches) {
    if (signal.aborted) return { outcome: 'retry', detail: `Broken off after ${enqueued} deliveries.` };
    for (const stored of batch.events) {
      if (span !== undefined && stored.position > span.last) return replayed(enqueued);
      if (stored.recordedAt < fromMs || stored.recordedAt >= toMs) continue;
      const event = decode(stored);
      if (event === undefined || !(await isMeant(deps, webhook, event))) continue;
      if (enqueued === maxReplayed) return tooMany(stored.recordedAt);
      await enqueue(deps, job, event);
      enqueued += 1;
      if (enqueued % 100 === 0) await job.progress(0, `${enqueued} deliveries so far`);
    }
  }
  return replayed(enqueued);
};

const replayed = (enqueued: number): JobOutcome => ({
  ...{ outcome: 'done', detail: `${enqueued} deliveries.`, result: { enqueued } },
});

const tooMany = (at: number): JobOutcome => {
  const until = new Date(at).toISOString();
  const detail = `${maxReplayed} deliveries are enqueued, up to ${until}: ask for the rest from there on.`;
  return { outcome: 'done', detail, result: { enqueued: maxReplayed, until } };
};

const isMeant = async (deps: Deps, webhook: LiveWebhook, event: Recorded<OpslogEvent>): Promise<boolean> => {
  const { type, meta } = event;
  const { category, departmentId, workspaceId } = meta;
  if (workspaceId !== webhook.workspaceId || !isForTenants(type, meta)) return false;
  if (!isWanted(webhook, { category, type, departmentId })) return false;
  return !(await isOfDelivery(deps, event)) && isWithinReach(deps, webhook, event);
};

const enqueue = async (deps: Deps, job: JobInHand, event: Recorded<OpslogEvent>): Promise<void> => {
  const { jobId, subjectId: webhookId, workspaceId, context } = job;
  const envelope = systemEnvelope('webhooks', context, jobId, event.meta.eventId);
  const sent = await enqueueDelivery(deps, { webhookId, workspaceId }, event, envelope, jobId);
  if (!sent.ok) throw new Error(`${event.meta.eventId} cannot be enqueued: ${sent.rejection.rejected}`);
};
