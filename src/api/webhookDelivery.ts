import { z } from 'zod';
import { decodeAs, streamOf } from '../commands/envelope.ts';
import { deliveryKinds, enqueueReplay, enqueueTest, redriveDeliveries } from '../commands/webhookDelivery.ts';
import { replayWebhookSchema } from '../commands/webhookFields.ts';
import { catalog } from '../domain/catalog.ts';
import type { JobEvent, LiveJob } from '../domain/job/index.ts';
import { maskText } from '../domain/masking.ts';
import { answerIn } from '../domain/webhook/index.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { isId, type Membership } from './guard.ts';
import { findJob, jobProblems } from './job.ts';
import { jobStatus, redrivenJob } from './jobModels.ts';
import { isoTime, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import { findLive } from './webhookAccess.ts';
import {
  delivery,
  deliveryWithAttempts,
  enqueuedDelivery,
  enqueuedReplay,
  redrivenDeliveries,
  showDelivery,
} from './webhookModels.ts';

const tag = 'Webhooks';
const role = 'ADMIN';
const problems = ['WorkspaceNotFound', 'WebhookNotFound'] as const;

const deliveriesQuery = z.strictObject({ ...pagingFields, status: jobStatus.optional() });

const list = workspaceOperation(
  {
    id: 'listWebhookDeliveries',
    method: 'get',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries',
    tag,
    role,
    summary: 'Deliveries of a webhook, newest first',
    description: 'With `status=DEAD` those that were given up.',
    query: deliveriesQuery,
    body: noBody,
    success: { status: 200, description: 'A page of deliveries', schema: pageOf(delivery, 'WebhookDeliveryPage') },
    problems,
  },
  async ({ deps, request, who, params: { webhookId }, query }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    const args = { ...ofWorkspace(who), kind: deliveryKinds, subjectId: webhookId, status: query.status };
    return pageReply(request, query, (page) => deps.queries.jobs({ ...page, ...args }), showDelivery);
  },
);

/** Whoever may see the webhook may see all of its deliveries, whatever department an event was of. */
const ofWorkspace = ({ workspaceId, role }: Membership) => ({ workspaceId, role });

const noDelivery = refuse('WebhookDeliveryNotFound', 'This webhook has no such delivery.');

/** A delivery of another webhook answers like one that never was. */
const findDelivery = async (
  deps: ApiDeps,
  who: Membership,
  { webhookId, deliveryId }: { readonly webhookId: string; readonly deliveryId: string },
): Promise<LiveJob | Refusal<'WebhookNotFound' | 'WebhookDeliveryNotFound'>> => {
  const webhook = await findLive(deps, who, webhookId);
  if (isRefusal(webhook)) return webhook;
  if (!isId(deliveryId)) return noDelivery;
  const { state } = await deps.aggregates.job.load(deliveryId);
  const isOne =
    state.status !== 'absent' &&
    deliveryKinds.some((kind) => kind === state.kind) &&
    state.subjectId === webhookId &&
    state.workspaceId === who.workspaceId;
  return isOne ? state : noDelivery;
};

const get = workspaceOperation(
  {
    id: 'getWebhookDelivery',
    method: 'get',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}',
    tag,
    role,
    summary: 'A delivery with all its attempts',
    ...noInput,
    success: { status: 200, description: 'The delivery', schema: deliveryWithAttempts },
    problems: [...problems, 'WebhookDeliveryNotFound'],
  },
  async ({ deps, who, params }) => {
    const found = await findDelivery(deps, who, params);
    if (isRefusal(found)) return found;
    const args = { ...ofWorkspace(who), jobId: params.deliveryId };
    const row = await findJob(deps, args);
    if (row === undefined) return noDelivery;
    return { status: 200, body: { ...showDelivery(row), history: await historyOf(deps, params.deliveryId) } };
  },
);

const attemptIn = ({ type, data }: JobEvent) => {
  if (type === 'JobAttemptRecorded') return data;
  return type === 'JobSucceeded' && data.attempted
    ? { ...data.attempted, outcome: 'done', detail: data.detail }
    : undefined;
};

/** From the log: the table keeps the newest attempt only. */
const historyOf = async ({ log }: ApiDeps, jobId: string) => {
  const history = [];
  for await (const stored of log.readStream(streamOf('job', jobId))) {
    const event = decodeAs<JobEvent>(catalog.job, stored);
    const told = event && attemptIn(event);
    if (!told) continue;
    const { attempt, outcome, startedAt, durationMs } = told;
    const detail = maskText(told.detail);
    const answered = answerIn(detail);
    history.push({
      ...{ attempt, outcome, detail, startedAt: isoTime(startedAt), durationMs },
      ...{ responseStatus: answered?.status ?? null, latencyMs: answered?.latencyMs ?? null },
    });
  }
  return history;
};

const redriveOne = workspaceOperation(
  {
    id: 'redriveWebhookDelivery',
    method: 'post',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/redrive',
    tag,
    role,
    summary: 'Begin a dead delivery again',
    description: 'With all its attempts, at once, under the same message id.',
    ...noInput,
    success: { status: 202, description: 'It waits to be sent again', schema: redrivenJob },
    problems: [...problems, 'WebhookDeliveryNotFound', ...jobProblems],
  },
  async ({ deps, who, params, envelope }) => {
    const found = await findDelivery(deps, who, params);
    if (isRefusal(found)) return found;
    const { deliveryId: jobId } = params;
    const request = envelope(who.caller, found);
    const command = { type: 'RedriveJob', data: { now: deps.clock.now() } } as const;
    const sent = await deps.aggregates.job.send(jobId, command, request);
    if (!sent.ok) return sent.rejection;
    const redrives = sent.state.status === 'absent' ? 0 : sent.state.redrives;
    return answer({ ...sent, value: { jobId, redrives } }, request, (body) => ({ status: 202, body }));
  },
);

/** Of one request: more is asked for again. */
const redrivenAtOnce = 200;

const redriveAll = workspaceOperation(
  {
    id: 'redriveWebhook',
    method: 'post',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/redrive',
    tag,
    role,
    summary: 'Begin the dead deliveries of a webhook again',
    description: `Up to ${redrivenAtOnce} of them, the newest first; \`more\` says whether to ask again.`,
    ...noInput,
    success: { status: 202, description: 'They wait to be sent again', schema: redrivenDeliveries },
    problems: [...problems, ...jobProblems],
  },
  async ({ deps, who, params: { webhookId }, envelope }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    const args = { ...ofWorkspace(who), kind: deliveryKinds, subjectId: webhookId, status: 'DEAD' as const };
    const dead = await deps.queries.jobs({ ...args, limit: redrivenAtOnce, after: undefined });
    const request = envelope(who.caller, found);
    const ids = dead.rows.map(({ jobId }) => jobId);
    const redriven = await redriveDeliveries(deps, ids, deps.clock.now(), request);
    return answer(redriven, request, (value) => ({ status: 202, body: { ...value, more: dead.next !== null } }));
  },
);

const test = workspaceOperation(
  {
    id: 'testWebhook',
    method: 'post',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/test',
    tag,
    role,
    summary: 'Send a message that says nothing',
    description:
      'On the way of all others, once, whether the webhook is paused or not. Look at the delivery for what came of it.',
    ...noInput,
    success: { status: 202, description: 'It waits to be sent', schema: enqueuedDelivery },
    problems: [...problems, ...jobProblems],
  },
  async ({ deps, who, params: { webhookId }, envelope }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    const request = envelope(who.caller, found);
    const enqueued = await enqueueTest(deps, { workspaceId: who.workspaceId, webhookId }, request);
    return answer(enqueued, request, ({ jobId }) => ({ status: 202, body: { deliveryId: jobId } }));
  },
);

const longestReplayMs = 31 * 24 * 3_600_000;

const replay = workspaceOperation(
  {
    id: 'replayWebhook',
    method: 'post',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/replay',
    tag,
    role,
    summary: 'Send what happened in a time once more',
    description:
      'What the filter wants of it, under the message ids of the first time, so that a receiver that has them already ' +
      'passes them over. The same request with the same Idempotency-Key sends nothing twice.',
    query: noQuery,
    body: jsonBody(replayWebhookSchema),
    success: { status: 202, description: 'A job looks for the events', schema: enqueuedReplay },
    problems: [...problems, ...jobProblems],
  },
  async ({ deps, who, params: { webhookId }, body: { from: fromMs, to: toMs }, envelope }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    if (toMs <= fromMs || toMs - fromMs > longestReplayMs) {
      return refuse('RequestInvalid', '`to` is later than `from`, and by 31 days at most.', { field: 'to' });
    }
    const request = envelope(who.caller, found);
    const to = { workspaceId: who.workspaceId, webhookId };
    const enqueued = await enqueueReplay(deps, to, { fromMs, toMs }, request);
    return answer(enqueued, request, (value) => ({ status: 202, body: value }));
  },
);

export const webhookDeliveryOperations: readonly Operation[] = [list, get, redriveOne, redriveAll, test, replay];
