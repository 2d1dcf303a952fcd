import type { StoredEvent } from '../../platform/eventLog/port.ts';
import { toCloudEvent } from '../cloudEvent.ts';

export type WebhookMessage = { readonly id: string; readonly body: string };

/** Longer bodies are sent without their data: whoever wants it asks for the event by its id. */
const maxBodyBytes = 256 * 1024;

/** The same public form of an event that goes to NATS: masked, and without what is too long. */
export const messageOf = (stored: StoredEvent): WebhookMessage | undefined => {
  const event = toCloudEvent(stored);
  if (event === undefined) return undefined;
  const body = JSON.stringify(event);
  if (Buffer.byteLength(body) <= maxBodyBytes) return { id: event.id, body };
  const { data, ...rest } = event;
  const dataleftout = Buffer.byteLength(JSON.stringify(data));
  return { id: event.id, body: JSON.stringify({ ...rest, data: {}, dataleftout }) };
};

export const testMessage = (
  jobId: string,
  { webhookId, workspaceId }: { readonly webhookId: string; readonly workspaceId: string },
  now: number,
): WebhookMessage => ({
  id: jobId,
  body: JSON.stringify({
    specversion: '1.0',
    id: jobId,
    source: `/opslog/webhook/${webhookId}`,
    type: 'opslog.webhook.test',
    subject: webhookId,
    time: new Date(now).toISOString(),
    datacontenttype: 'application/json',
    data: { text: 'It works: this is what messages of this webhook look like.' },
    workspaceid: workspaceId,
  }),
});
