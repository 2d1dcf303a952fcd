import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { describe, expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { edgePlaces, edgeUrlOf } from '../../src/compose/edgeProviders.ts';
import { startOpslog } from '../../src/compose.ts';
import { readConfig, settings } from '../../src/config.ts';
import { createCaller } from '../../src/demo/caller.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { startCloudflare } from '../support/cloudflare/server.ts';

const accountId = 'a'.repeat(32);
const account = { CLOUDFLARE_ACCOUNT_ID: accountId, CLOUDFLARE_API_TOKEN: 'token-of-this-test' };
const configOf = (env: Readonly<Record<string, string>>) => {
  const read = readConfig(env);
  if (!read.ok) throw new Error(read.problems.join());
  return read.config;
};

describe('Where workers can go', () => {
  test('is the machine alone without an account, and both with one, the configured one first', () => {
    const providers = (env: Readonly<Record<string, string>>) =>
      edgePlaces(configOf(env), 'onprem:000000000001').map(({ provider }) => provider);
    expect(providers({})).toEqual(['workerd']);
    expect(providers(account)).toEqual(['workerd', 'cloudflare']);
    expect(providers({ ...account, OPSLOG_EDGE_PROVIDER: 'cloudflare' })).toEqual(['cloudflare', 'workerd']);
  });

  test('decides where a worker answers', () => {
    const url = edgeUrlOf(
      configOf({ ...account, OPSLOG_CLOUDFLARE_WORKERS_SUBDOMAIN: 'acme' }),
      (name) => `http://${name}.localhost`,
    );
    expect([url('w'), url('w', 'cloudflare')]).toEqual(['http://w.localhost', 'https://w.acme.workers.dev']);
    expect(edgeUrlOf(configOf(account), () => '')('w', 'cloudflare')).toBe('');
  });

  test.each([
    [{ CLOUDFLARE_ACCOUNT_ID: accountId }, 'CLOUDFLARE_API_TOKEN: CLOUDFLARE_ACCOUNT_ID needs it'],
    [{ CLOUDFLARE_API_TOKEN: 'token-of-this-test' }, 'CLOUDFLARE_ACCOUNT_ID: CLOUDFLARE_API_TOKEN needs it'],
    [{ ...account, CLOUDFLARE_ACCOUNT_ID: 'acme' }, 'CLOUDFLARE_ACCOUNT_ID: must be the 32 hex digits'],
  ])('an account is whole or not there: %#', (env, problem) => {
    const read = readConfig(env);
    expect(read).toEqual({ ok: false, problems: [expect.stringContaining(problem)] });
    expect(JSON.stringify(read)).not.toContain('token-of-this-test');
  });

  test('Cloudflare cannot be the first choice without an account', () => {
    expect(readConfig({ OPSLOG_EDGE_PROVIDER: 'cloudflare' })).toMatchObject({
      ok: false,
      problems: [expect.stringMatching(/^CLOUDFLARE_ACCOUNT_ID/), expect.stringMatching(/^CLOUDFLARE_API_TOKEN/)],
    });
  });

  test('the token is in no text of the configuration', () => {
    const config = configOf(account);
    expect(config.cloudflare?.token()).toBe('token-of-this-test');
    expect(`${JSON.stringify(config)} ${inspect(config, { depth: 10 })} ${JSON.stringify(settings())}`).not.toContain(
      'token-of',
    );
  });
});

const ticketOf = z.object({ statusUrl: z.string() });
const withUrl = z.looseObject({ url: z.string().nullable() });

test('one process deploys one department to Cloudflare and another to the machine, and pauses both', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-two-providers-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const cloudflare = await startCloudflare({ accounts: [{ id: accountId, workersDevSubdomain: 'acme' }] });
  onTestFinished(() => cloudflare.close());
  const config = configOf({
    ...{ OPSLOG_DATA_DIR: folder, OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0', OPSLOG_ADMIN_PASSWORD: 'pw-of-this-test-0' },
    ...{
      CLOUDFLARE_ACCOUNT_ID: accountId,
      CLOUDFLARE_API_TOKEN: cloudflare.token,
      CLOUDFLARE_API_URL: cloudflare.baseUrl,
    },
    ...{ OPSLOG_EDGE_PROVIDER: 'cloudflare', OPSLOG_CLOUDFLARE_WORKERS_SUBDOMAIN: 'acme' },
  });
  const opslog = await startOpslog(config, { logger: silentLog });
  onTestFinished(() => opslog.close());
  const credentials = { email: config.admin.email, password: config.admin.password };
  const session = await createCaller(opslog.url)(models.openedSession, 'POST', '/auth/sessions', credentials);
  const call = createCaller(opslog.url, session.body.token);
  const workspace = await call(models.workspace, 'POST', '/workspaces', { name: 'Acme', slug: 'acme' });
  const departments = `/workspaces/${workspace.body.id}/departments`;

  const deploy = async (slug: string, wanted: object) => {
    const { body } = await call(models.department, 'POST', departments, { name: slug, slug });
    const worker = `${departments}/${body.id}/worker`;
    const content = `export default { fetch: () => new Response('${slug}') };`;
    await call(z.unknown(), 'POST', `${worker}/revisions`, { files: [{ path: 'index.js', content }] });
    const ticket = await call(ticketOf, 'POST', `${worker}/deployments`, wanted);
    const status = async () => (await call(models.deploymentWithSteps, 'GET', ticket.body.statusUrl)).body.status;
    await expect.poll(status, { timeout: 20_000 }).toBe('completed');
    return { worker, shown: (await call(withUrl, 'GET', worker)).body };
  };
  const cloud = await deploy('cloud', {});
  const machine = await deploy('machine', { provider: 'workerd' });
  const host = new URL(cloud.shown.url ?? '').host;
  expect(host).toMatch(/^dw-[0-9a-f]{48}\.acme\.workers\.dev$/);
  expect(cloudflare.serve(host)).toMatchObject({ answered: true });
  expect(machine.shown.url).toContain('localhost');
  expect(cloudflare.view.scripts()).toHaveLength(1);

  await call(z.unknown(), 'POST', `${cloud.worker}/pause`, {});
  await expect.poll(() => cloudflare.serve(host), { timeout: 10_000 }).toMatchObject({ tag: 'opslog-paused' });
  await call(z.unknown(), 'POST', `${cloud.worker}/resume`, {});
  await expect.poll(() => cloudflare.serve(host), { timeout: 10_000 }).not.toMatchObject({ tag: 'opslog-paused' });
}, 90_000);
