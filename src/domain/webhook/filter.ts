import type { WebhookSettings } from './events.ts';

/** What a filter looks at. */
export type Sighting = { readonly category: string; readonly type: string; readonly departmentId: string };

/** Deliveries lead to facts of jobs and of webhooks: whoever was sent those would be sent more for ever. */
export const isOfWebhooks = (category: string): boolean => category === 'webhook';

/**
 * Is this event wanted? `*` is everything but the inner life of jobs, which `job.*` asks for by name. Facts of webhooks are
 * wanted by nobody.
 */
export const isWanted = (
  { eventTypes, departmentIds }: Pick<WebhookSettings, 'eventTypes' | 'departmentIds'>,
  { category, type, departmentId }: Sighting,
): boolean => {
  if (isOfWebhooks(category)) return false;
  if (departmentIds.length > 0 && !departmentIds.includes(departmentId)) return false;
  return eventTypes.some((wanted) =>
    wanted === '*' ? category !== 'job' : wanted === `${category}.*` || wanted === `${category}.${type}`,
  );
};
