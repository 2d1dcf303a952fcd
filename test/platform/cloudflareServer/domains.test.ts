import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf, idOf } from './caller.ts';

let cloudflare: Cloudflare;
let api: Caller;
let domains: string;
let routes: string;
beforeAll(async () => {
  cloudflare = await startCloudflare({
    zones: [{ name: 'example.com' }, { name: 'example.net', status: 'pending' }],
    limits: { domainsPerZone: 4 },
  });
  api = callerOf(cloudflare);
  domains = `/accounts/${cloudflare.accountId}/workers/domains`;
  routes = `/zones/${cloudflare.view.zone('example.com').id}/workers/routes`;
  await api.put('one');
  await api.put('two');
});
afterAll(() => cloudflare.close());

const attach = (hostname: string, service = 'one', more: object = {}) =>
  api.call('PUT', domains, { hostname, service, zone_name: 'example.com', ...more });

describe('A custom domain', () => {
  test('comes with a record and a certificate, and the Worker answers there', async () => {
    const put = await attach('app.example.com');
    expect(put.result).toMatchObject({ hostname: 'app.example.com', service: 'one', zone_name: 'example.com' });
    const [domain] = cloudflare.view.domains();
    expect(cloudflare.view.records('example.com')).toMatchObject([
      { id: domain?.recordId, type: 'AAAA', name: 'app.example.com', content: '100::', proxied: true },
    ]);
    expect(cloudflare.state.certificates.get(domain?.certId ?? '')?.hostname).toBe('app.example.com');
    expect(cloudflare.serve('app.example.com:443')).toMatchObject({
      answered: true,
      via: 'custom domain',
      script: 'one',
    });
  });

  test('put again by the same Worker stays as it is, by another is 100116 unless it says so', async () => {
    const before = cloudflare.view.domains();
    expect((await attach('app.example.com')).success).toBe(true);
    expect(cloudflare.view.domains()).toEqual(before);
    expect(await attach('app.example.com', 'two')).toMatchObject({ status: 409, codes: [100116] });
    const moved = await attach('app.example.com', 'two', { override_existing_origin: true });
    expect(moved.result).toMatchObject({ id: before[0]?.id, service: 'two' });
  });

  test('is refused with 100117 where a record stands, which it replaces only when told to', async () => {
    cloudflare.act.createRecord({ type: 'CNAME', name: 'www.example.com', content: 'elsewhere.test' });
    cloudflare.act.createRecord({ type: 'TXT', name: 'www.example.com', content: 'kept' });
    expect(await attach('www.example.com')).toMatchObject({ status: 409, codes: [100117] });
    expect((await attach('www.example.com', 'one', { override_existing_dns_record: true })).success).toBe(true);
    const here = cloudflare.view.records('example.com').filter(({ name }) => name === 'www.example.com');
    expect(here.map(({ type }) => type).sort()).toEqual(['AAAA', 'TXT']);
  });

  test.each([
    [{ hostname: '' }, 100111],
    [{ hostname: '*.example.com' }, 100113],
    [{ hostname: 'a_b.example.com' }, 100113],
    [{ hostname: 'example.org' }, 100112],
    [{ hostname: 'app.example.com', zone_name: 'example.net' }, 100112],
    [{ hostname: 'x.example.com', service: 'nobody' }, 10007],
  ] as const)('%o is refused with %i', async (body, code) => {
    expect((await attach('', 'one', body)).codes).toEqual([code]);
  });

  test('is found by host, service and zone', async () => {
    const zone = cloudflare.view.zone('example.com').id;
    const found = async (query: string) => (await api.call('GET', `${domains}?${query}`)).result;
    expect(await found('hostname=www.example.com')).toMatchObject([{ service: 'one' }]);
    expect(await found(`service=two&zone_id=${zone}`)).toMatchObject([{ hostname: 'app.example.com' }]);
    expect(await found('hostname=none.example.com')).toEqual([]);
  });

  test('leaves its certificate behind when it is deleted, and gets the same one when it comes back', async () => {
    const put = await attach('back.example.com');
    const certificate = cloudflare.view.domains().find(({ hostname }) => hostname === 'back.example.com')?.certId;
    expect((await api.call('DELETE', `${domains}/${idOf(put)}`)).success).toBe(true);
    expect((await api.call('DELETE', `${domains}/${idOf(put)}`)).codes).toEqual([100114]);
    expect(cloudflare.view.records('example.com').some(({ name }) => name === 'back.example.com')).toBe(false);
    expect(cloudflare.state.certificates.has(certificate ?? '')).toBe(true);
    expect((await attach('back.example.com')).result).toMatchObject({ cert_id: certificate });
  });

  test('over the limit of the zone is 100122', async () => {
    await attach('fourth.example.com');
    expect((await attach('fifth.example.com')).codes).toEqual([100122]);
  });

  test('keeps its record from being edited by hand', async () => {
    const [domain] = cloudflare.view.domains();
    const record = `/zones/${domain?.zoneId}/dns_records/${domain?.recordId}`;
    expect((await api.call('PATCH', record, { content: '::1' })).codes).toEqual([1046]);
    expect((await api.call('DELETE', record)).codes).toEqual([1046]);
  });

  test('goes with its Worker', async () => {
    await api.raw('DELETE', api.script('two'));
    expect(cloudflare.serve('app.example.com')).toEqual({ answered: false, reason: 'no such host' });
    expect(cloudflare.view.records('example.com').some(({ name }) => name === 'app.example.com')).toBe(false);
  });
});

describe('A route', () => {
  const post = (pattern: string, script?: string) => api.call('POST', routes, { pattern, script });

  test('sends the longest matching pattern to its Worker', async () => {
    await api.put('api');
    expect((await post('shop.example.com/*', 'one')).success).toBe(true);
    const id = idOf(await post('shop.example.com/api/*', 'api'));
    expect(cloudflare.serve('shop.example.com', { path: '/api/x' })).toMatchObject({ via: 'route', script: 'api' });
    expect(cloudflare.serve('shop.example.com', { path: '/' })).toMatchObject({ script: 'one' });
    await api.call('PUT', `${routes}/${id}`, { pattern: 'shop.example.com/api/*', script: 'one' });
    expect((await api.call('GET', `${routes}/${id}`)).result).toMatchObject({ script: 'one' });
    expect((await api.call('DELETE', `${routes}/${id}`)).result).toEqual({ id });
    expect((await api.call('DELETE', `${routes}/${id}`)).codes).toEqual([10009]);
  });

  test('of a pattern that exists is 10020, for no Worker 10019, of a bad pattern 10022', async () => {
    expect(await post('shop.example.com/*', 'one')).toMatchObject({ status: 409, codes: [10020] });
    expect(await post('other.example.com/*', 'nobody')).toMatchObject({ status: 400, codes: [10019] });
    for (const wrong of ['example.com/*.jpg', 'example.com/?a=*', 'example.org/*', 'a.*.example.com/*'])
      expect((await post(wrong, 'one')).codes).toEqual([10022]);
  });
});

describe('Zones', () => {
  test('are found by name, by an operator on the name, by status and by account, in pages', async () => {
    const names = async (query: string) => {
      const { result } = await api.call('GET', `/zones?${query}`);
      return Array.isArray(result) ? result.map(({ name }: { name: string }) => name) : [];
    };
    expect(await names('name=example.com')).toEqual(['example.com']);
    expect(await names('name=contains:example')).toEqual(['example.com', 'example.net']);
    expect(await names('name=starts_with:example.n')).toEqual(['example.net']);
    expect(await names('status=active')).toEqual(['example.com']);
    expect(await names(`account.id=${'b'.repeat(32)}`)).toEqual([]);
    expect(await names('per_page=1&page=2')).toEqual(['example.net']);
  });
});
