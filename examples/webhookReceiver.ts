// A receiver of Opslog's webhooks: checks each message, and prints every event once.
//
//   npx esbuild examples/webhookReceiver.ts --bundle --platform=node --format=esm --packages=external |
//     WEBHOOK_SECRET=whsec_… node --input-type=module - 8090
import { createServer, type Server } from 'node:http';
import { Webhook } from 'standardwebhooks';

export const startWebhookReceiver = (secret: string, port: number, take: (event: unknown) => void): Server => {
  const webhook = new Webhook(secret);
  // Messages come at least once. A real receiver keeps these ids where it keeps what it makes of the events.
  const seen = new Set<string>();
  return createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(Buffer.from(chunk));
    const header = (name: string): string => String(request.headers[name] ?? '');
    const id = header('webhook-id');
    const signed = {
      'webhook-id': id,
      'webhook-timestamp': header('webhook-timestamp'),
      'webhook-signature': header('webhook-signature'),
    };
    try {
      const event = webhook.verify(Buffer.concat(chunks), signed);
      if (!seen.has(id)) take(event);
      seen.add(id);
      response.writeHead(204).end();
    } catch {
      response.writeHead(401).end();
    }
  }).listen(port, '127.0.0.1');
};

const { WEBHOOK_SECRET: secret } = process.env;
const [, , port] = process.argv;
if (secret !== undefined && port !== undefined)
  startWebhookReceiver(secret, Number(port), (event) => console.log(event));
