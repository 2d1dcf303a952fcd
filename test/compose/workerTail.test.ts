import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { startOpslog } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { createCaller } from '../../src/demo/caller.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { startCloudflare } from '../support/cloudflare/server.ts';
import { openEventStream } from '../support/eventStream.ts';

const accountId = 'b'.repeat(32);
const ticketOf = z.object({ statusUrl: z.string() });
const named = z.looseObject({ scriptName: z.string() });

test('a worker at Cloudflare can be followed and not read back, and its secrets are masked in what comes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-tail-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const cloudflare = await startCloudflare({ accounts: [{ id: accountId, workersDevSubdomain: 'acme' }] });
  onTestFinished(() => cloudflare.close());
  const read = readConfig({
    ...{ OPSLOG_DATA_DIR: folder, OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0', OPSLOG_ADMIN_PASSWORD: 'pw-of-this-test-0' },
    ...{ CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: cloudflare.token },
    ...{ CLOUDFLARE_API_URL: cloudflare.baseUrl, OPSLOG_EDGE_PROVIDER: 'cloudflare' },
  });
  if (!read.ok) throw new Error(read.problems.join());
  const opslog = await startOpslog(read.config, { logger: silentLog });
  onTestFinished(() => opslog.close());
  const credentials = { email: read.config.admin.email, password: 'pw-of-this-test-0' };
  const { token } = (await createCaller(opslog.url)(models.openedSession, 'POST', '/auth/sessions', credentials)).body;
  const call = createCaller(opslog.url, token);
  const { id } = (await call(models.workspace, 'POST', '/workspaces', { name: 'Acme', slug: 'acme' })).body;
  const departments = `/workspaces/${id}/departments`;
  const department = await call(models.department, 'POST', departments, { name: 'Sales', slug: 'sales' });
  const worker = `${departments}/${department.body.id}/worker`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const body = JSON.stringify({ value: 'swordfish-canary' });
  await fetch(`${opslog.url}${worker}/secrets/API_KEY`, { method: 'PUT', headers, body });
  const files = [{ path: 'index.js', content: "export default { fetch: () => new Response('hello') };" }];
  await call(z.unknown(), 'POST', `${worker}/revisions`, { files, secretNames: ['API_KEY'] });
  const ticket = await call(ticketOf, 'POST', `${worker}/deployments`, {});
  const status = async () => (await call(models.deploymentWithSteps, 'GET', ticket.body.statusUrl)).body.status;
  await expect.poll(status, { timeout: 20_000 }).toBe('completed');
  const { scriptName } = (await call(named, 'GET', worker)).body;

  const page = await fetch(`${opslog.url}${worker}/logs`, { headers });
  expect([page.status, models.problem.parse(await page.json()).title]).toEqual([409, 'LogsUnavailable']);

  const url = `${opslog.url}${worker}/logs/stream`;
  const stream = await openEventStream(url, token);
  onTestFinished(stream.cut);
  await expect.poll(() => stream.events).toMatchObject([{ event: 'open', id: 'live' }]);
  cloudflare.emitLog(scriptName, [{ message: 'the key is swordfish-canary' }]);
  await expect.poll(() => stream.events.at(-1)).toMatchObject({ data: { message: 'the key is ***', revision: null } });
  stream.cut();
  await expect.poll(() => cloudflare.tailListeners(scriptName)).toBe(0);

  const again = await openEventStream(url, token, { 'Last-Event-ID': 'live' });
  onTestFinished(again.cut);
  await expect.poll(() => again.events).toMatchObject([{ event: 'open' }, { event: 'dropped', data: { lines: null } }]);
  await opslog.close();
  await again.ended;
  expect(again.events.at(-1)).toMatchObject({ event: 'end', data: { reason: 'closing' } });
}, 60_000);
