import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Webhook as Standard } from 'standardwebhooks';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type RunningOpslog, startOpslog } from '../../src/compose/opslog.ts';
import { readConfig } from '../../src/config.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { type Receiver, startReceiver } from '../support/receiver.ts';

const password = 'a password of this test';
let folder: string;
let opslog: RunningOpslog;
let good: Receiver;
let hanging: Receiver;

const start = async (): Promise<RunningOpslog> => {
  const read = readConfig({
    ...{ OPSLOG_DATA_DIR: join(folder, 'data'), OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0' },
    ...{ OPSLOG_ADMIN_EMAIL: 'admin@example.com', OPSLOG_ADMIN_PASSWORD: password },
    ...{ OPSLOG_OUTBOUND_ALLOW: '127.0.0.1', OPSLOG_OUTBOUND_HTTP: 'true' },
  });
  if (!read.ok) throw new Error(read.problems.join());
  return startOpslog(read.config, { logger: silentLog });
};

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'opslog-webhooks-'));
  good = await startReceiver();
  hanging = await startReceiver();
  hanging.always(() => {});
  opslog = await start();
}, 60_000);
afterAll(async () => {
  await opslog.close();
  await good.stop();
  await hanging.stop();
  await rm(folder, { recursive: true, force: true });
});

let token = '';
const ask = async (method: string, path: string, body?: object): Promise<Record<string, unknown>> => {
  const headers = { 'content-type': 'application/json', ...(token !== '' && { authorization: `Bearer ${token}` }) };
  const answered = await fetch(`${opslog.url}${path}`, {
    method,
    headers,
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await answered.text();
  if (answered.status >= 300) throw new Error(text);
  return Object(JSON.parse(text));
};

test('A running program delivers what happens, past a receiver that hangs, over a restart, and nothing twice', async () => {
  token = String((await ask('POST', '/auth/sessions', { email: 'admin@example.com', password }))['token']);
  const workspaceId = String((await ask('POST', '/workspaces', { name: 'W', slug: 'w' }))['id']);
  const base = `/workspaces/${workspaceId}`;
  const create = (url: string) => ask('POST', `${base}/webhooks`, { url, eventTypes: ['department.*'] });
  await create(hanging.url);
  const { id, secret } = await create(good.url);
  const happen = (slug: string) => ask('POST', `${base}/departments`, { name: slug, slug });
  // More than all hands together: each of the first ones waits for an answer that never comes.
  const first = Array.from({ length: 20 }, (_, index) => `d-${index}`);
  for (const slug of first) await happen(slug);
  const slugs = (): readonly string[] =>
    good.received.map(({ body }) => String(Object(Object(JSON.parse(body)).data).slug)).toSorted();
  await expect.poll(() => slugs().length, { timeout: 30_000 }).toBe(first.length);
  expect(slugs()).toEqual(first.toSorted());
  const [message] = good.received;
  expect(new Standard(String(secret)).verify(message?.body ?? '', message?.headers ?? {})).toBeDefined();

  await opslog.close();
  opslog = await start();
  await happen('d-after');
  await expect.poll(slugs, { timeout: 30_000 }).toContain('d-after');
  expect(new Set(good.received.map(({ headers }) => headers['webhook-id'])).size).toBe(good.received.length);
  const listed = async () => {
    const { items } = await ask('GET', `${base}/webhooks/${String(id)}/deliveries?status=SUCCEEDED&limit=100`);
    return Array.isArray(items) ? items.length : 0;
  };
  await expect.poll(listed, { timeout: 30_000 }).toBe(first.length + 1);
  const metrics = await (await fetch(`${opslog.url}/metrics`)).text();
  expect(metrics).toMatch(/opslog_webhooks\{status="active",failing="(true|false)"\} \d/);
  expect(metrics).toContain('opslog_webhook_answer_seconds_count{status="2xx"}');
}, 120_000);
