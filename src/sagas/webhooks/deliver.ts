import type { Aggregates } from '../../commands/aggregates.ts';
import { webhookBinding } from '../../commands/webhookSecret.ts';
import { isLive, type LiveWebhook } from '../../domain/webhook/index.ts';
import type { Clock } from '../../platform/clock/port.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import type { Outbound } from '../../platform/outbound/port.ts';
import type { Vault } from '../../platform/vault/port.ts';
import type { JobInHand, JobKind, JobOutcome } from '../jobs/effect.ts';
import { noteOutcome } from './health.ts';
import { judge } from './judge.ts';
import { messageOf, testMessage, type WebhookMessage } from './message.ts';
import { signedHeaders } from './signature.ts';

export type DeliverDeps = {
  readonly webhooks: Aggregates['webhook'];
  readonly log: Pick<EventLog, 'readStream'>;
  readonly vault: Pick<Vault, 'open'>;
  readonly outbound: Pick<Outbound, 'send'>;
  readonly clock: Pick<Clock, 'now'>;
  readonly userAgent: string;
  /** Told of every answer, and of none. */
  readonly observe?: (seen: { readonly status: number; readonly durationMs: number }) => void;
};

const second = 1_000;
const minute = 60 * second;
const hour = 60 * minute;

/** As the Standard Webhooks specification advises: ten attempts within about three days. */
export const deliveryDelaysMs = [
  ...[5 * second, 5 * minute, 30 * minute, 2 * hour, 5 * hour, 10 * hour, 14 * hour, 20 * hour, 24 * hour],
] as const;

const timing = { connectTimeoutMs: 5 * second, timeoutMs: 15 * second };

/**
 * Sends one message. What may have arrived is sent again under the same id, by which the receiver tells: so nothing is
 * uncertain here, and nothing is looked at before it is done again.
 */
export const deliver = (deps: DeliverDeps): JobKind => ({
  timeoutMs: 30 * second,
  backoff: { delaysMs: deliveryDelaysMs },
  effect: async (job, signal) => {
    if (job.mode === 'probe') return { outcome: 'retry', detail: 'It may have arrived: it is sent again.' };
    const { state } = await deps.webhooks.load(job.subjectId);
    if (!isLive(state)) return refused('webhook_removed', 'The webhook was removed.');
    const isTest = job.payload['test'] === true;
    if (state.status !== 'active' && !isTest) return waiting(state.status);
    const message = isTest ? testMessage(job.jobId, toOf(job), deps.clock.now()) : await find(deps.log, job);
    if (message === undefined) return refused('event_missing', 'The event is not in the log any more.');
    const secrets = await readSecrets(deps, job, state);
    if (secrets.length === 0) return { outcome: 'retry', detail: 'The secret cannot be opened: are all keys here?' };
    return send(deps, job, state, message, secrets, isTest, signal);
  },
});

/**
 * It was paused after this was begun; what waits is not even begun until it is resumed. Nothing was sent, and no attempt is
 * spent: only a failure spends one.
 */
const waiting = (status: string): JobOutcome => ({
  outcome: 'uncertain',
  detail: `The webhook is ${status}: it waits.`,
});

const refused = (code: string, detail: string): JobOutcome => ({ outcome: 'refused', code, detail });
const toOf = ({ subjectId: webhookId, workspaceId }: JobInHand) => ({ webhookId, workspaceId });

const find = async (log: DeliverDeps['log'], { payload }: JobInHand): Promise<WebhookMessage | undefined> => {
  const { stream, revision, eventId } = payload;
  if (typeof stream !== 'string' || typeof revision !== 'number') return undefined;
  for await (const stored of log.readStream(stream, { from: revision, limit: 1 })) {
    return stored.id === eventId ? messageOf(stored) : undefined;
  }
  return undefined;
};

/** The new one first; the old one as long as it is valid. */
const readSecrets = async (
  { vault, clock }: DeliverDeps,
  { workspaceId, subjectId }: JobInHand,
  { secret, previous }: LiveWebhook,
): Promise<readonly string[]> => {
  const isValid = previous !== undefined && clock.now() < previous.validUntil;
  const secrets: string[] = [];
  for (const sealed of [secret, ...(isValid ? [previous] : [])]) {
    const opened = await vault.open(sealed, webhookBinding(workspaceId, subjectId));
    if (opened.ok) secrets.push(opened.plaintext);
  }
  return secrets;
};

const send = async (
  deps: DeliverDeps,
  job: JobInHand,
  webhook: LiveWebhook,
  message: WebhookMessage,
  secrets: readonly string[],
  isTest: boolean,
  signal: AbortSignal,
): Promise<JobOutcome> => {
  const answer = await deps.outbound.send(
    {
      ...{ url: webhook.url, method: 'POST', ...timing, body: Buffer.from(message.body) },
      headers: {
        ...{ 'content-type': 'application/json', accept: '*/*', 'user-agent': deps.userAgent },
        ...signedHeaders(message, secrets, deps.clock.now()),
      },
    },
    signal,
  );
  deps.observe?.({ status: answer.outcome === 'answered' ? answer.status : 0, durationMs: answer.durationMs });
  const outcome = judge(answer, deps.clock.now());
  // What this side broke off says nothing of the other one.
  if (!isTest && !signal.aborted) await noteOutcome(deps, job, webhook, outcome);
  return outcome;
};
