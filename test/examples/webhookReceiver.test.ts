import { once } from 'node:events';
import { afterEach, expect, it } from 'vitest';
import { startWebhookReceiver } from '../../examples/webhookReceiver.ts';
import { signedHeaders } from '../../src/sagas/webhooks/signature.ts';

const secret = `whsec_${Buffer.from('a secret of this test, 32 bytes.').toString('base64')}`;
const taken: unknown[] = [];
const server = startWebhookReceiver(secret, 0, (event) => taken.push(event));
afterEach(() => void server.close());

it('the example receiver takes a signed message once, and refuses one that was changed or is old', async () => {
  if (!server.listening) await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/`;
  const body = '{"type":"opslog.webhook.test"}';
  const send = async (text: string, now = Date.now()) =>
    (await fetch(url, { method: 'POST', body: text, headers: signedHeaders({ id: 'e1', body }, [secret], now) }))
      .status;
  expect([await send(body), await send(body)]).toEqual([204, 204]);
  expect(taken).toEqual([{ type: 'opslog.webhook.test' }]);
  expect(await send(`${body} `)).toBe(401);
  expect(await send(body, Date.now() - 10 * 60_000)).toBe(401);
});
