import { z } from 'zod';
import { type Category, catalog, isCategory } from '../domain/catalog.ts';
import { audienceOf } from '../domain/publicEvent.ts';
import { isOfWebhooks } from '../domain/webhook/index.ts';
import { idField } from './fields.ts';
import { lineField } from './texts.ts';

/** Others are told to nobody outside, and facts of webhooks to no webhook. */
const isSendable = (category: Category): boolean => audienceOf(category) !== 'nobody' && !isOfWebhooks(category);

/** `*`, `<category>.*`, or `<category>.<Event>` of an event that there is. */
const isEventFilter = (text: string): boolean => {
  if (text === '*') return true;
  const [category = '', type = '', ...rest] = text.split('.');
  if (rest.length > 0 || !isCategory(category) || !isSendable(category)) return false;
  return type === '*' || Object.hasOwn(catalog[category].events, type);
};

const eventTypes = z
  .array(
    z
      .string()
      .max(128)
      .refine(
        isEventFilter,
        'No event that is sent: `*`, `edgeWorker.*` or `edgeWorker.DeploymentCompleted`, as they are in asyncapi.json.',
      ),
  )
  .min(1)
  .max(50)
  .transform((all) => [...new Set(all)].sort())
  .meta({ description: '`*` for all but those of jobs, `edgeWorker.*`, or `edgeWorker.DeploymentCompleted`.' });

const description = lineField(200, 'For people.');

const departmentIds = z
  .array(idField)
  .max(100)
  .transform((all) => [...new Set(all)].sort())
  .meta({ description: 'Only events of these departments; empty: of the whole workspace.' });

const url = z.string().min(1).max(2_048).meta({ description: 'https; where the messages go.' });

export const createWebhookSchema = z.strictObject({
  url,
  description: description.default(''),
  eventTypes,
  departmentIds: departmentIds.default([]),
});
export type WebhookInput = z.output<typeof createWebhookSchema>;

export const reviseWebhookSchema = z.strictObject({
  url: url.optional(),
  description: description.optional(),
  eventTypes: eventTypes.optional(),
  departmentIds: departmentIds.optional(),
});

export const rotateWebhookSecretSchema = z.strictObject({
  overlapHours: z
    .number()
    .int()
    .min(0)
    .max(168)
    .default(24)
    .meta({ description: 'So long the old secret signs beside the new one; 0 ends it at once.' }),
});

const moment = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

export const replayWebhookSchema = z.strictObject({
  from: moment.meta({ description: 'RFC 3339; from this time on.' }),
  to: moment.meta({ description: 'RFC 3339; up to before this time.' }),
});
