import { z } from 'zod';
import { answerOf, type components, createClient, done } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

const base = z.object({ workspace: z.string().default(''), url: z.string().optional() });
const one = base.extend({ webhook: z.string() });

const reach = async (cli: Cli, { workspace, url: given }: z.infer<typeof base>) => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  return { client, workspaceId: await findWorkspace(cli, client, workspace) };
};
const reachOne = async (cli: Cli, args: z.infer<typeof one>) => {
  const { client, workspaceId } = await reach(cli, args);
  return { client, path: { workspaceId, webhookId: args.webhook } };
};

type Webhook = components['schemas']['Webhook'];
type Delivery = components['schemas']['WebhookDelivery'];

const split = (text: string): string[] =>
  text
    .split(',')
    .map((each) => each.trim())
    .filter((each) => each !== '');

export const list = remoteCommand(base, async (args, cli) => {
  const { client, workspaceId } = await reach(cli, args);
  const params = { path: { workspaceId } };
  const { items } = await answerOf(client.GET('/workspaces/{workspaceId}/webhooks', { params, signal: cli.signal }));
  cli.answer({ ok: true, webhooks: items }, items.length === 0 ? 'No webhooks.' : items.map(lineOf).join('\n'));
});

const lineOf = ({ id, url, status, eventTypes, reason, failingSince }: Webhook): string => {
  const trouble = reason ?? (failingSince === null ? '' : `nothing arrives since ${failingSince}`);
  return `${id}  ${status}  ${plain(url)}  ${eventTypes.join(',')}${trouble === '' ? '' : `  (${plain(trouble)})`}`;
};

const addArgs = base.extend({
  to: z.string(),
  events: z.string().default('*'),
  departments: z.string().default(''),
  description: z.string().default(''),
});

export const add = remoteCommand(addArgs, async ({ to, events, departments, description, ...where }, cli) => {
  const { client, workspaceId } = await reach(cli, where);
  const body = { url: to, eventTypes: split(events), departmentIds: split(departments), description };
  const webhook = await answerOf(
    client.POST('/workspaces/{workspaceId}/webhooks', { params: { path: { workspaceId } }, body, signal: cli.signal }),
  );
  cli.answer(
    { ok: true, webhook },
    `Webhook ${webhook.id} sends from now on. Its secret is shown this once:\n${webhook.secret ?? ''}`,
  );
});

export const remove = remoteCommand(one, async (args, cli) => {
  const { client, path } = await reachOne(cli, args);
  await done(client.DELETE('/workspaces/{workspaceId}/webhooks/{webhookId}', { params: { path }, signal: cli.signal }));
  cli.answer({ ok: true, webhookId: path.webhookId }, 'Removed.');
});

const statuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD'] as const;
const deliveriesArgs = one.extend({ status: z.enum(statuses).optional() });

export const deliveries = remoteCommand(deliveriesArgs, async ({ status, ...args }, cli) => {
  const { client, path } = await reachOne(cli, args);
  const { items } = await answerOf(
    client.GET('/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries', {
      params: { path, query: { limit: '50', ...(status !== undefined && { status }) } },
      signal: cli.signal,
    }),
  );
  const text = items.length === 0 ? 'No deliveries.' : items.map(deliveryLine).join('\n');
  cli.answer({ ok: true, deliveries: items }, text);
});

const deliveryLine = ({ id, createdAt, eventType, status, attempts, responseStatus, error }: Delivery): string => {
  const answered = responseStatus === null ? '' : `  HTTP ${responseStatus}`;
  return `${id}  ${createdAt}  ${eventType}  ${status}  ${attempts} attempts${answered}${error === null ? '' : `  ${plain(error)}`}`;
};

const redriveArgs = one.extend({ delivery: z.string().optional() });

export const redrive = remoteCommand(redriveArgs, async ({ delivery: deliveryId, ...args }, cli) => {
  const { client, path } = await reachOne(cli, args);
  const { signal } = cli;
  if (deliveryId !== undefined) {
    await answerOf(
      client.POST('/workspaces/{workspaceId}/webhooks/{webhookId}/deliveries/{deliveryId}/redrive', {
        params: { path: { ...path, deliveryId } },
        signal,
      }),
    );
    cli.answer({ ok: true, redriven: 1 }, 'It waits to be sent again.');
    return;
  }
  const { redriven, more } = await answerOf(
    client.POST('/workspaces/{workspaceId}/webhooks/{webhookId}/redrive', { params: { path }, signal }),
  );
  const rest = more ? ' There are more: ask again.' : '';
  cli.answer({ ok: true, redriven, more }, `${redriven} deliveries wait to be sent again.${rest}`);
});

const replayArgs = one.extend({ from: z.string(), to: z.string().optional() });

export const replay = remoteCommand(replayArgs, async ({ from, to, ...args }, cli) => {
  const { client, path } = await reachOne(cli, args);
  const body = { from, to: to ?? new Date().toISOString() };
  const { jobId } = await answerOf(
    client.POST('/workspaces/{workspaceId}/webhooks/{webhookId}/replay', {
      params: { path },
      body,
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, jobId }, `Job ${jobId} looks for the events and sends them again.`);
});

export const test = remoteCommand(one, async (args, cli) => {
  const { client, path } = await reachOne(cli, args);
  const { deliveryId } = await answerOf(
    client.POST('/workspaces/{workspaceId}/webhooks/{webhookId}/test', { params: { path }, signal: cli.signal }),
  );
  cli.answer({ ok: true, deliveryId }, `Delivery ${deliveryId} is on its way: "opslog webhooks deliveries" shows it.`);
});
