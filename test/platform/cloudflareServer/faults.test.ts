import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createIds } from '../../support/cloudflare/ids.ts';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf, idOf } from './caller.ts';

let now = Date.parse('2026-06-01T00:00:00Z');
let cloudflare: Cloudflare;
let api: Caller;
beforeEach(async () => {
  cloudflare = await startCloudflare({ now: () => now, zones: [{ name: 'example.com' }] });
  api = callerOf(cloudflare);
});
afterEach(() => cloudflare.close());

/** A promise that the test settles. */
const gate = () => {
  let open = () => {};
  const opened = new Promise<void>((resolve) => {
    open = resolve;
  });
  return { opened, open: () => open() };
};

const versionsOf = (name: string) => cloudflare.view.script(name).versions.length;

describe('A fault', () => {
  test('before the work: the chosen error, and nothing happens; it hits once and only what matches', async () => {
    await api.put('w');
    const planned = cloudflare.fail(
      { step: 'version.create' },
      { kind: 'before', status: 503, code: 10013, headers: { 'retry-after': '7' } },
    );
    expect((await api.call('GET', `${api.script('w')}/versions`)).success).toBe(true);
    const failed = await api.version('w');
    expect(failed).toMatchObject({ status: 503, codes: [10013] });
    expect(failed.headers.get('retry-after')).toBe('7');
    expect([versionsOf('w'), planned.remaining()]).toEqual([1, 0]);
    expect((await api.version('w')).success).toBe(true);
  });

  test('after the work: an error although it took effect', async () => {
    await api.put('w');
    cloudflare.fail({ method: 'POST', path: /\/versions$/ }, { kind: 'after', status: 500, code: 10013 }, 2);
    expect((await api.version('w')).status).toBe(500);
    expect((await api.version('w')).status).toBe(500);
    expect(versionsOf('w')).toBe(3);
  });

  test.each([true, false])('an HTML page in place of an answer, with effect: %s', async (effect) => {
    await api.put('w');
    cloudflare.fail({ step: 'version.create' }, { kind: 'html', status: 522, effect });
    const form = new FormData();
    form.set('metadata', JSON.stringify({ main_module: 'w.js' }));
    form.set('w.js', new Blob(['export default {}'], { type: 'application/javascript+module' }), 'w.js');
    const response = await api.raw('POST', `${api.script('w')}/versions`, { body: form });
    expect(response.status).toBe(522);
    expect(response.headers.get('content-type')).toContain('text/html');
    expect(await response.text()).toContain('<html>');
    expect(versionsOf('w')).toBe(effect ? 2 : 1);
  });

  test.each([true, false])('a connection that is lost without an answer, with effect: %s', async (effect) => {
    await api.put('w');
    cloudflare.fail({ step: 'version.create' }, { kind: 'lose', effect });
    await expect(api.version('w')).rejects.toThrow('fetch failed');
    expect(versionsOf('w')).toBe(effect ? 2 : 1);
    expect(cloudflare.requests.at(-1)).toMatchObject({ step: 'version.create', handled: effect, status: undefined });
  });

  test('half an answer: the JSON cannot be parsed although the work is done', async () => {
    cloudflare.fail({ step: 'script.upload' }, { kind: 'truncate' });
    await expect(api.put('w')).rejects.toThrow(SyntaxError);
    expect(versionsOf('w')).toBe(1);
  });

  test('a rate limit with its retry-after, and a conflict: nothing happens', async () => {
    cloudflare.fail({ step: 'script.upload' }, { kind: 'rateLimit', retryAfter: 30 });
    cloudflare.fail({ step: 'script.upload' }, { kind: 'conflict' });
    const limited = await api.put('w');
    expect([limited.status, limited.headers.get('retry-after')]).toEqual([429, '30']);
    expect(await api.put('w')).toMatchObject({ status: 409, codes: [10035] });
    expect(cloudflare.view.scripts()).toEqual([]);
  });

  test('a delay: the work waits, other writes of the script are 10035, reads and other scripts go on', async () => {
    await api.put('w');
    const release = gate();
    cloudflare.fail({ step: 'version.create' }, { kind: 'delay', until: release.opened });
    const delayed = api.version('w');
    await expect.poll(() => cloudflare.requests.at(-1)?.step).toBe('version.create');
    expect((await api.version('w')).codes).toEqual([10035]);
    expect((await api.call('GET', api.script('w').concat('/versions'))).success).toBe(true);
    expect((await api.put('other')).success).toBe(true);
    release.open();
    expect((await delayed).success).toBe(true);
    expect(versionsOf('w')).toBe(2);
  });

  test('a delay outlives a client that gave up: the work is done all the same', async () => {
    await api.put('w');
    const release = gate();
    cloudflare.fail({ step: 'deployment.create' }, { kind: 'delay', until: release.opened });
    const stop = new AbortController();
    const call = api.raw('POST', `${api.script('w')}/deployments`, {
      body: JSON.stringify({
        strategy: 'percentage',
        versions: [{ version_id: cloudflare.view.serving('w')?.id, percentage: 100 }],
      }),
      headers: { 'content-type': 'application/json' },
      signal: stop.signal,
    });
    await expect.poll(() => cloudflare.requests.at(-1)?.step).toBe('deployment.create');
    stop.abort();
    await expect(call).rejects.toThrow();
    release.open();
    await expect.poll(() => cloudflare.view.script('w').deployments.length).toBe(2);
  });

  test('that is cancelled hits nobody', async () => {
    cloudflare.fail({ step: 'script.upload' }, { kind: 'conflict' }).cancel();
    expect((await api.put('w')).success).toBe(true);
  });
});

describe('Rights', () => {
  const as = (token: string) => callerOf({ ...cloudflare, token });

  test('no header is 9106, a token that nobody has 10000', async () => {
    const bare = await fetch(`${cloudflare.baseUrl}/zones`);
    expect([bare.status, await bare.json()]).toMatchObject([401, { errors: [{ code: 9106 }], result: null }]);
    expect(await as('guessed').call('GET', '/zones')).toMatchObject({ status: 401, codes: [10000] });
  });

  test('a token of another account is 9109 and sees no zones; one that only reads cannot write', async () => {
    const [first, second] = ['1'.repeat(32), '2'.repeat(32)];
    const shared = await startCloudflare({
      accounts: [{ id: first }, { id: second }],
      zones: [{ name: 'example.com', accountId: first }],
      tokens: [
        { value: 'all', email: 'a@opslog.test' },
        { value: 'second', email: 'b@opslog.test', accountIds: [second] },
        { value: 'reader', email: 'c@opslog.test', readOnly: true },
      ],
    });
    const other = callerOf({ ...shared, token: 'second' });
    expect(await other.put('w')).toMatchObject({ status: 403, codes: [9109] });
    expect((await other.call('GET', '/zones')).result).toEqual([]);
    const zone = shared.view.zone('example.com').id;
    expect((await other.call('GET', `/zones/${zone}/dns_records`)).codes).toEqual([9109]);
    const reader = callerOf({ ...shared, token: 'reader' });
    expect((await reader.call('GET', `/zones/${zone}`)).success).toBe(true);
    expect(await reader.put('w')).toMatchObject({ status: 403, codes: [10000] });
    await shared.close();
  });

  test('an address that nobody has is 7003 and 7000, another method 10405, a malformed id 7003, an unknown one 9109', async () => {
    expect((await api.call('GET', '/accounts/x/nothing')).codes).toEqual([7003, 7000]);
    expect((await api.call('PATCH', '/zones')).codes).toEqual([10405]);
    expect((await api.call('GET', '/zones/example.com')).codes).toEqual([7003]);
    expect((await api.call('GET', `/zones/${'f'.repeat(32)}`)).codes).toEqual([9109]);
  });

  test('a body that is no JSON is 10026, another content type 10001', async () => {
    await api.put('w');
    const put = (type: string) =>
      api.raw('PUT', `${api.script('w')}/schedules`, { body: '[', headers: { 'content-type': type } });
    expect(await (await put('application/json')).json()).toMatchObject({ errors: [{ code: 10026 }] });
    expect((await put('text/plain')).status).toBe(415);
  });
});

describe('The rate limit', () => {
  test('counts down in the headers, then blocks for a window more', async () => {
    cloudflare.behaviour.rateLimit = { requests: 2, windowMs: 300_000 };
    const get = () => api.call('GET', '/zones');
    const first = await get();
    expect(first.headers.get('ratelimit')).toBe('"default";r=1;t=300');
    expect(first.headers.get('ratelimit-policy')).toBe('"default";q=2;w=300');
    expect(first.headers.get('retry-after')).toBeNull();
    await get();
    now += 200_000;
    const blocked = await get();
    expect([blocked.status, blocked.headers.get('retry-after')]).toEqual([429, '300']);
    now += 299_000;
    expect((await get()).headers.get('retry-after')).toBe('1');
    now += 1_000;
    expect((await get()).success).toBe(true);
  });
});

describe('What was received', () => {
  test('is kept with its parts and without its secrets', async () => {
    const bindings = [{ type: 'secret_text', name: 'S', text: 'hush' }];
    const id = idOf(await api.put('w', { metadata: { bindings } }));
    await api.call('PUT', `${api.script(id)}/secrets`, { name: 'T', text: 'hush', typ: 'secret_text' });
    expect(cloudflare.requests).toMatchObject([
      {
        method: 'PUT',
        path: `/accounts/${cloudflare.accountId}/workers/scripts/w`,
        step: 'script.upload',
        body: { metadata: { bindings: [{ name: 'S', text: '[secret]' }] }, modules: [{ name: 'worker.js' }] },
        status: 200,
        at: now,
      },
      { step: 'secret.put', status: 400 },
    ]);
    expect(JSON.stringify(cloudflare.requests)).not.toMatch(/hush|cloudflare-test-token/);
  });

  test('ids repeat with the same seed', () => {
    const [one, two] = [createIds('s'), createIds('s')];
    expect([one.hex(), one.uuid()]).toEqual([two.hex(), two.uuid()]);
    expect(one.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-a[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});
