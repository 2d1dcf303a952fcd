import type { JobRejection } from '../domain/job/index.ts';
import type { EventMeta } from '../domain/kernel.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, streamOf } from './envelope.ts';
import { enqueueJob } from './job.ts';
import { done, type Outcome } from './outcome.ts';

export const deliverKind = 'webhook.deliver';
/** Sent whether the webhook is paused or not, and listed among its deliveries. */
export const testKind = 'webhook.test';
export const deliveryKinds = [deliverKind, testKind] as const;
export const replayKind = 'webhook.replay';

/** At once, and nine times more over three days: then it is dead. */
export const maxDeliveries = 10;

export type Addressee = { readonly webhookId: string; readonly workspaceId: string };
type Queue = { readonly aggregates: Pick<Aggregates, 'job'> };
type Enqueued = Promise<Outcome<{ readonly jobId: string }, JobRejection>>;

/**
 * One event for one webhook. The job holds where the event is, never what it says: the message is made when it is sent.
 * `replay` tells the deliveries of a replay from the first one; each event is still delivered once per replay.
 */
export const enqueueDelivery = (
  queue: Queue,
  { webhookId, workspaceId }: Addressee,
  { type, meta }: { readonly type: string; readonly meta: EventMeta },
  request: Envelope,
  replay = '',
): Enqueued => {
  const { eventId, category, subjectId, revision } = meta;
  const payload = { eventId, type: `${category}.${type}`, stream: streamOf(category, subjectId), revision };
  const dedupeKey = [eventId, webhookId, ...(replay === '' ? [] : [replay])].join(':');
  const ofReplay = replay === '' ? {} : { priority: 6 };
  const job = { kind: deliverKind, workspaceId, subjectId: webhookId, payload, dedupeKey, maxAttempts: maxDeliveries };
  return enqueueJob(queue, { ...job, ...ofReplay }, request);
};

/** A message that says nothing but that it arrived; tried once, so that the answer comes soon. */
export const enqueueTest = (queue: Queue, to: Addressee, request: Envelope): Enqueued => {
  const { webhookId: subjectId, workspaceId } = to;
  const payload = { test: true, type: 'webhook.test' };
  const dedupeKey = `test:${request.commandId}`;
  return enqueueJob(
    queue,
    { kind: testKind, workspaceId, subjectId, payload, dedupeKey, priority: 3, maxAttempts: 1 },
    request,
  );
};

/** Everything of a time that the webhook's filter wants, once more. */
export const enqueueReplay = (
  queue: Queue,
  { webhookId: subjectId, workspaceId }: Addressee,
  range: { readonly fromMs: number; readonly toMs: number },
  request: Envelope,
): Enqueued =>
  enqueueJob(
    queue,
    { kind: replayKind, workspaceId, subjectId, payload: range, dedupeKey: request.commandId, priority: 6 },
    request,
  );

/** Begins dead deliveries again; one that is not dead any more is left alone. */
export const redriveDeliveries = async (
  { aggregates }: Queue,
  jobIds: readonly string[],
  now: number,
  request: Envelope,
): Promise<Outcome<{ readonly redriven: number }, JobRejection>> => {
  let redriven = 0;
  let last = { revision: -1, position: 0n };
  const steps: { readonly events: readonly { readonly type: string; readonly data: object }[] }[] = [];
  for (const jobId of jobIds) {
    const sent = await aggregates.job.send(jobId, { type: 'RedriveJob', data: { now } }, request);
    if (!sent.ok) {
      if (sent.rejection.rejected === 'JobNotDead' || sent.rejection.rejected === 'JobNotFound') continue;
      return sent;
    }
    if (sent.events.length > 0) redriven += 1;
    if (sent.position > last.position) last = sent;
    steps.push(sent);
  }
  return done({ redriven }, last, ...steps);
};
