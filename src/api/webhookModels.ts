import { z } from 'zod';
import { idField, secretAnswer } from '../commands/fields.ts';
import { answerIn } from '../domain/webhook/index.ts';
import type { JobAnswer } from '../projections/job/answers.ts';
import type { WebhookAnswer } from '../projections/webhook/webhookList.ts';
import { jobStatus } from './jobModels.ts';
import { isoTime, isoTimeOrNull } from './models.ts';

const time = z.iso.datetime().meta({ description: 'RFC 3339, UTC.' });
const count = z.number().int().min(0);
const settings = {
  url: z.string(),
  description: z.string(),
  eventTypes: z.array(z.string()).readonly(),
  departmentIds: z.array(idField).readonly().meta({ description: 'Empty: events of the whole workspace.' }),
};
const status = z
  .enum(['active', 'paused', 'disabled'])
  .meta({ description: 'disabled: by itself, for the reason that is given; resume it when the receiver works again.' });
const secret = z
  .string()
  .nullable()
  .meta({
    ...secretAnswer,
    description:
      'In this answer and nowhere else; null when this very request came before and the secret has ended since.',
  });

export const webhook = z
  .strictObject({
    id: idField,
    ...settings,
    status,
    reasonCode: z.string().nullable(),
    reason: z.string().nullable(),
    inactiveSince: time
      .nullable()
      .meta({ description: 'Nothing of what happened from then on is sent: see `replay`.' }),
    failingSince: time.nullable().meta({ description: 'Nothing but failures since then.' }),
    secretVersion: count,
    previousSecretValidUntil: time.nullable().meta({ description: 'Until then the secret of before signs, too.' }),
    createdBy: z.string().nullable(),
    createdAt: time,
    updatedAt: time,
  })
  .meta({ id: 'Webhook' });

export const webhookList = z.strictObject({ items: z.array(webhook) }).meta({ id: 'WebhookList' });
export const createdWebhook = z.strictObject({ id: idField, ...settings, secret }).meta({ id: 'CreatedWebhook' });
export const revisedWebhook = z.strictObject({ id: idField, ...settings, status }).meta({ id: 'RevisedWebhook' });
export const webhookState = z.strictObject({ id: idField, status }).meta({ id: 'WebhookState' });
export const rotatedWebhookSecret = z
  .strictObject({ id: idField, secret, previousSecretValidUntil: time })
  .meta({ id: 'RotatedWebhookSecret' });

export const enqueuedDelivery = z.strictObject({ deliveryId: idField }).meta({ id: 'EnqueuedDelivery' });
export const enqueuedReplay = z
  .strictObject({ jobId: idField.meta({ description: 'A job that enqueues the deliveries: see the jobs.' }) })
  .meta({ id: 'EnqueuedReplay' });
export const redrivenDeliveries = z
  .strictObject({ redriven: count, more: z.boolean().meta({ description: 'There were more than one request takes.' }) })
  .meta({ id: 'RedrivenDeliveries' });

const deliveryFields = {
  id: idField,
  messageId: z.string().meta({ description: '`webhook-id`: the id of the event, the same at every attempt.' }),
  eventType: z.string(),
  test: z.boolean(),
  status: jobStatus.meta({ description: 'DEAD: given up, and may be redriven. FAILED: not to be tried again.' }),
  attempts: count,
  maxAttempts: count,
  nextAttemptAt: time.nullable(),
  responseStatus: z.number().int().nullable().meta({ description: 'Of the newest answer; null: there was none.' }),
  latencyMs: count.nullable(),
  error: z.string().nullable(),
  createdAt: time,
  completedAt: time.nullable(),
};

export const delivery = z.strictObject(deliveryFields).meta({ id: 'WebhookDelivery' });

export const deliveryAttempt = z
  .strictObject({
    attempt: count,
    outcome: z.string(),
    responseStatus: z.number().int().nullable(),
    latencyMs: count.nullable(),
    detail: z.string(),
    startedAt: time,
    durationMs: count,
  })
  .meta({ id: 'WebhookDeliveryAttempt' });

export const deliveryWithAttempts = z
  .strictObject({ ...deliveryFields, history: z.array(deliveryAttempt).meta({ description: 'Oldest first.' }) })
  .meta({ id: 'WebhookDeliveryWithAttempts' });

export const showWebhook = (row: WebhookAnswer) => ({
  id: row.webhookId,
  url: row.url,
  description: row.description,
  eventTypes: row.eventTypes,
  departmentIds: row.departmentIds,
  status: row.status,
  reasonCode: row.reasonCode,
  reason: row.reason,
  inactiveSince: isoTimeOrNull(row.inactiveSince),
  failingSince: isoTimeOrNull(row.failingSince),
  secretVersion: row.secretVersion,
  previousSecretValidUntil: isoTimeOrNull(row.previousValidUntil),
  createdBy: row.createdBy,
  createdAt: isoTime(row.createdAt),
  updatedAt: isoTime(row.updatedAt),
});

export const showDelivery = (row: JobAnswer) => {
  const { eventId, type, test } = row.payload;
  const words = row.status === 'SUCCEEDED' ? row.detail : row.lastError;
  const answered = answerIn(words ?? '');
  return {
    id: row.jobId,
    messageId: typeof eventId === 'string' ? eventId : row.jobId,
    eventType: typeof type === 'string' ? type : '',
    test: test === true,
    status: row.status,
    attempts: row.attempts,
    maxAttempts: row.maxAttempts,
    nextAttemptAt: row.status === 'PENDING' ? isoTimeOrNull(row.runAt) : null,
    responseStatus: answered?.status ?? null,
    latencyMs: answered?.latencyMs ?? null,
    error: row.status === 'SUCCEEDED' ? null : row.lastError,
    createdAt: isoTime(row.createdAt),
    completedAt: isoTimeOrNull(row.completedAt),
  };
};
