import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect } from 'vitest';
import { z } from 'zod';
import { createdWebhook, delivery, webhook } from '../../src/api/webhookModels.ts';
import { webhookCommands } from '../../src/cli/webhookCommands.ts';
import { answers, type Receiver, startReceiver } from '../support/receiver.ts';
import { showEach } from './eachCommand.ts';
import { type Served, serve, type Workbench, workbench } from './support.ts';

const idOf = z.object({ webhook: createdWebhook });

describe('"opslog webhooks"', () => {
  let bench: Workbench;
  let opslog: Served;
  let receiver: Receiver;
  let one: string;
  const nothing = randomUUID();

  const run = (args: readonly string[]) => bench.opslog(['webhooks', ...args]);
  const aWebhook = async () =>
    (await run(['add', receiver.url, '--events', 'department.*', '--json'])).json(idOf).webhook.id;

  /** A test that its receiver did not want: it is tried once. */
  const aDeadDelivery = async (): Promise<string> => {
    receiver.always(answers(500));
    const { deliveryId } = (await run(['test', one, '--json'])).json(z.object({ deliveryId: z.string() }));
    const dead = z.object({ deliveries: z.array(delivery) });
    await expect
      .poll(async () => (await run(['deliveries', one, '--status', 'DEAD', '--json'])).json(dead).deliveries, {
        timeout: 15_000,
      })
      .toContainEqual(expect.objectContaining({ id: deliveryId }));
    return deliveryId;
  };

  beforeAll(async () => {
    bench = await workbench();
    receiver = await startReceiver();
    opslog = await serve(bench, join(bench.home, 'data'), {
      ...{ OPSLOG_OUTBOUND_ALLOW: '127.0.0.1/32', OPSLOG_OUTBOUND_HTTP: 'true' },
    });
    const input = `${opslog.admin.password ?? ''}\n`;
    await bench.opslog(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
    one = await aWebhook();
  });
  afterAll(async () => {
    await opslog?.stop();
    await receiver?.stop();
    await bench.remove();
  });

  showEach(
    webhookCommands,
    {
      add: {
        does: async () => [receiver.url, '--events', 'edgeWorker.*'],
        ...{ says: /shown this once:\nwhsec_/, answers: idOf },
        ...{ refused: ['ftp://example.com/in'], code: 'webhook_url_refused' },
      },
      list: {
        ...{ does: [], says: /active\s+http/, answers: z.object({ webhooks: z.array(webhook).min(2) }) },
        ...{ refused: ['--workspace', 'nothing-of-mine'], code: 'workspace_unclear' },
      },
      test: {
        does: async () => [one],
        ...{ says: /is on its way/, answers: z.object({ deliveryId: z.string() }) },
        ...{ refused: [nothing], code: 'webhook_not_found' },
      },
      deliveries: {
        does: async () => [one],
        ...{
          says: /webhook\.test\s+(?:SUCCEEDED|RUNNING|PENDING)/,
          answers: z.object({ deliveries: z.array(delivery) }),
        },
        ...{ refused: [nothing], code: 'webhook_not_found' },
      },
      redrive: {
        does: async () => [one, await aDeadDelivery()],
        says: /waits to be sent again/,
        json: async () => {
          await aDeadDelivery();
          return [one];
        },
        answers: z.object({ redriven: z.number().min(1), more: z.literal(false) }),
        ...{ refused: async () => [one, nothing], code: 'webhook_delivery_not_found' },
      },
      replay: {
        does: async () => [one, '--from', '2026-01-01T00:00:00Z', '--to', '2026-01-02T00:00:00Z'],
        ...{ says: /looks for the events/, answers: z.object({ jobId: z.string() }) },
        refused: async () => [one, '--from', '2026-01-02T00:00:00Z', '--to', '2026-01-01T00:00:00Z'],
        code: 'request_invalid',
      },
      remove: {
        does: async () => [await aWebhook()],
        ...{ says: /Removed/, answers: z.object({ webhookId: z.string() }) },
        ...{ refused: [nothing], code: 'webhook_not_found' },
      },
    },
    run,
  );
});
