import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf, idOf, itemsOf } from './caller.ts';

let now = Date.parse('2026-06-01T00:00:00Z');
let cloudflare: Cloudflare;
let api: Caller;
beforeAll(async () => {
  cloudflare = await startCloudflare({ now: () => now, limits: { deployableVersions: 12 } });
  api = callerOf(cloudflare);
});
afterAll(() => cloudflare.close());

const secret = (text: string) => ({ bindings: [{ type: 'secret_text', name: 'KEY', text }] });

describe('A version', () => {
  test('cannot be the first upload of a script: 10007', async () => {
    expect(await api.version('nobody')).toMatchObject({ status: 404, codes: [10007] });
  });

  test('takes no traffic until it is deployed', async () => {
    await api.put('two');
    const id = idOf(await api.version('two'));
    expect(cloudflare.view.serving('two')?.number).toBe(1);
    expect((await api.deploy('two', id)).success).toBe(true);
    expect(cloudflare.view.serving('two')?.id).toBe(id);
  });

  test('shows its number, author, source, annotations and bindings, and never the value of a secret', async () => {
    await api.put('shown');
    const created = await api.version('shown', {
      metadata: { ...secret('hush'), annotations: { 'workers/tag': 'x' } },
    });
    const got = await api.call('GET', `${api.script('shown')}/versions/${idOf(created)}`);
    expect(got.result).toMatchObject({
      id: idOf(created),
      number: 2,
      metadata: { author_email: 'robot@opslog.test', source: 'api', created_on: '2026-06-01T00:00:00.000Z' },
      annotations: { 'workers/tag': 'x' },
      resources: { bindings: [{ name: 'KEY', type: 'secret_text' }], script: { handlers: ['fetch'] } },
    });
    expect(JSON.stringify([created, got])).not.toContain('hush');
  });

  test('with migrations is refused with 10211', async () => {
    await api.put('migrating');
    expect((await api.version('migrating', { metadata: { migrations: {} } })).codes).toEqual([10211]);
  });

  test('is listed newest first and in pages, while those that can be deployed come all at once', async () => {
    await api.put('many');
    for (let count = 0; count < 13; count += 1) cloudflare.act.saveVersion('many', 'export default { fetch() {} };');
    const list = `${api.script('many')}/versions`;
    const first = await api.call('GET', list);
    expect(itemsOf(first).map(({ number }) => number)).toEqual([14, 13, 12, 11, 10, 9, 8, 7, 6, 5]);
    expect(first.result_info).toEqual({ page: 1, per_page: 10, count: 10, total_count: 14, total_pages: 2 });
    expect(itemsOf(await api.call('GET', `${list}?page=2`)).map(({ number }) => number)).toEqual([4, 3, 2, 1]);
    expect(itemsOf(await api.call('GET', `${list}?page=3`))).toEqual([]);
    expect(itemsOf(await api.call('GET', `${list}?per_page=3&deployable=true`))).toHaveLength(12);
    expect((await api.call('GET', `${list}?per_page=101`)).status).toBe(400);
  });

  test('that is not among the newest can no longer be deployed', async () => {
    const oldest = cloudflare.view.script('many').versions[0]?.id ?? '';
    expect(await api.deploy('many', oldest)).toMatchObject({ status: 400, codes: [10210] });
  });
});

describe('A deployment', () => {
  test('is one version or two, whose percentages add up to 100, else 10210', async () => {
    await api.put('split');
    const one = cloudflare.view.serving('split')?.id;
    const two = idOf(await api.version('split'));
    const post = (versions: unknown, strategy = 'percentage') =>
      api.call('POST', `${api.script('split')}/deployments`, { strategy, versions });
    const share = (version_id: string | undefined, percentage: number) => ({ version_id, percentage });
    for (const wrong of [[], [share(one, 99)], [share(one, 50), share(one, 50)], [share(one, 0), share(two, 100)]])
      expect((await post(wrong)).codes).toEqual([10210]);
    expect((await post([share(one, 100)], 'canary')).codes).toEqual([10210]);
    expect((await post([share(one, 75), share(two, 25)])).success).toBe(true);
    expect(cloudflare.serve('split.company1.workers.dev')).toEqual({ answered: false, reason: 'workers.dev disabled' });
  });

  test('of a version that does not exist is 10071', async () => {
    await api.put('lonely');
    expect(await api.deploy('lonely', 'bcf48806-b317-4351-9ee7-36e7d557d4de')).toMatchObject({
      status: 404,
      codes: [10071],
    });
  });

  test('is listed newest first with its message, and is deleted unless it is active: 10338', async () => {
    await api.put('line');
    const id = idOf(await api.version('line'));
    const deployed = await api.deploy('line', id);
    const list = await api.call('GET', `${api.script('line')}/deployments`);
    expect(list.result).toMatchObject({
      deployments: [
        {
          id: idOf(deployed),
          versions: [{ version_id: id, percentage: 100 }],
          annotations: { 'workers/message': 'ticket-1' },
        },
        { strategy: 'percentage' },
      ],
    });
    const remove = (deployment: string) => api.call('DELETE', `${api.script('line')}/deployments/${deployment}`);
    expect((await remove(idOf(deployed))).codes).toEqual([10338]);
    const older = cloudflare.view.script('line').deployments[1]?.id ?? '';
    expect((await remove(older)).success).toBe(true);
    expect((await remove(older)).codes).toEqual([10336]);
  });

  test('of an older version is blocked with 10220 when secrets have changed since, unless it is forced', async () => {
    await api.put('safe', { metadata: secret('one') });
    const older = cloudflare.view.serving('safe')?.id ?? '';
    await api.put('safe', { metadata: secret('two') });
    const blocked = await api.deploy('safe', older);
    expect(blocked).toMatchObject({ codes: [10220], errors: [{ meta: { secrets: ['KEY'] } }] });
    expect(cloudflare.view.serving('safe')?.number).toBe(2);
    expect((await api.deploy('safe', older, '?force=true')).success).toBe(true);
    expect(cloudflare.view.serving('safe')?.id).toBe(older);
  });
});

describe('Read lag', () => {
  test('hides a new version from so many reads: 100146 from a get and a deployment, absent from the list', async () => {
    await api.put('lagging');
    cloudflare.behaviour.lag = { reads: 3, ms: 0, deployments: true };
    const id = idOf(await api.version('lagging'));
    cloudflare.behaviour.lag = { reads: 0, ms: 0, deployments: true };
    const get = () => api.call('GET', `${api.script('lagging')}/versions/${id}`);
    const list = () => api.call('GET', `${api.script('lagging')}/versions?deployable=true`);
    expect(await get()).toMatchObject({ status: 404, codes: [100146] });
    expect(itemsOf(await list())).toHaveLength(1);
    expect((await api.deploy('lagging', id)).codes).toEqual([100146]);
    expect(itemsOf(await list()).map((item) => item.id)).toContain(id);
    expect((await get()).success).toBe(true);
    expect((await api.deploy('lagging', id)).success).toBe(true);
  });

  test('ends with the time of the given clock, and may spare deployments', async () => {
    await api.put('later');
    cloudflare.behaviour.lag = { reads: 0, ms: 5_000, deployments: false };
    const id = idOf(await api.version('later'));
    const get = () => api.call('GET', `${api.script('later')}/versions/${id}`);
    expect((await get()).codes).toEqual([100146]);
    expect((await api.deploy('later', id)).success).toBe(true);
    now += 5_000;
    expect((await get()).success).toBe(true);
    cloudflare.behaviour.lag = { reads: 0, ms: 0, deployments: true };
  });
});
