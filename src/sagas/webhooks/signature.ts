import { createHmac } from 'node:crypto';

const prefix = 'whsec_';

const keyOf = (secret: string): Buffer => Buffer.from(secret.slice(prefix.length), 'base64');

/**
 * The headers of the Standard Webhooks specification. One signature for each secret that is valid now, so that a receiver
 * that knows either of them accepts the message. The time is that of this attempt, in whole seconds.
 */
export const signedHeaders = (
  message: { readonly id: string; readonly body: string },
  secrets: readonly string[],
  now: number,
): Readonly<Record<'webhook-id' | 'webhook-timestamp' | 'webhook-signature', string>> => {
  const timestamp = String(Math.floor(now / 1_000));
  const content = `${message.id}.${timestamp}.${message.body}`;
  const signatures = secrets.map(
    (secret) => `v1,${createHmac('sha256', keyOf(secret)).update(content).digest('base64')}`,
  );
  return { 'webhook-id': message.id, 'webhook-timestamp': timestamp, 'webhook-signature': signatures.join(' ') };
};
