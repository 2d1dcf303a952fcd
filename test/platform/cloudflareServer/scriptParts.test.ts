import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf, idOf } from './caller.ts';

let cloudflare: Cloudflare;
let api: Caller;
beforeAll(async () => {
  cloudflare = await startCloudflare({ limits: { cronsPerAccount: 3, textBindings: 2 } });
  api = callerOf(cloudflare);
});
afterAll(() => cloudflare.close());

const settingsForm = (settings: unknown): FormData => {
  const form = new FormData();
  form.set('settings', JSON.stringify(settings));
  return form;
};

/** A script whose newest version is not the one that serves. */
const withUndeployedVersion = async (name: string): Promise<void> => {
  await api.put(name);
  idOf(await api.version(name));
};

describe('Everything of a script that does not exist', () => {
  test.each([
    ['GET', '/versions'],
    ['GET', '/deployments'],
    ['GET', '/script-settings'],
    ['GET', '/settings'],
    ['GET', '/secrets'],
    ['GET', '/schedules'],
    ['GET', '/subdomain'],
    ['POST', '/tails'],
    ['DELETE', ''],
  ])('%s %s is 10007', async (method, path) => {
    expect(await api.call(method, `${api.script('nobody')}${path}`)).toMatchObject({ status: 404, codes: [10007] });
  });
});

describe('Settings', () => {
  test('of the script change only what is named, and make no version', async () => {
    await api.put('settled', { metadata: { tags: ['a'], logpush: true } });
    const path = `${api.script('settled')}/script-settings`;
    const patched = await api.call('PATCH', path, { observability: { enabled: true }, tags: ['b', 'c'] });
    const settings = { logpush: true, observability: { enabled: true }, tags: ['b', 'c'], tail_consumers: [] };
    expect(patched.result).toEqual(settings);
    expect((await api.call('GET', path)).result).toEqual(settings);
    expect(cloudflare.view.script('settled').versions).toHaveLength(1);
    expect((await api.call('PATCH', path, { tags: ['x'.repeat(129)] })).codes).toEqual([100102]);
  });

  test('of the version make a version that serves at once, unless another than the latest serves: 10214', async () => {
    await api.put('versioned');
    const path = `${api.script('versioned')}/settings`;
    const bindings = [{ type: 'plain_text', name: 'A', text: '1' }];
    expect((await api.form('PATCH', path, settingsForm({ bindings }))).result).toMatchObject({ bindings });
    expect(cloudflare.view.serving('versioned')?.number).toBe(2);
    await api.version('versioned');
    expect((await api.form('PATCH', path, settingsForm({ bindings: [] }))).codes).toEqual([10214]);
  });
});

describe('Secrets', () => {
  test('are put, named, replaced in bulk and deleted, each time in a version that serves; values are never shown', async () => {
    await api.put('keeper');
    const path = `${api.script('keeper')}/secrets`;
    const put = await api.call('PUT', path, { name: 'ONE', text: 'hush', type: 'secret_text' });
    expect(put.result).toEqual({ name: 'ONE', type: 'secret_text' });
    const list = await api.call('GET', path);
    expect(list.result).toEqual([{ name: 'ONE', type: 'secret_text' }]);
    const two = { name: 'TWO', text: 'second', type: 'secret_text' };
    await api.call('PATCH', `${path}-bulk`, { secrets: { ONE: null, TWO: two } });
    expect(cloudflare.view.secrets('keeper')).toEqual({ TWO: 'second' });
    expect((await api.call('DELETE', `${path}/TWO`)).success).toBe(true);
    expect((await api.call('DELETE', `${path}/TWO`)).codes).toEqual([10056]);
    expect(cloudflare.view.script('keeper').deployments).toHaveLength(4);
    expect(JSON.stringify([put, list, cloudflare.requests])).not.toMatch(/hush|second/);
  });

  test('cannot be edited while another version than the latest serves: 10215', async () => {
    await withUndeployedVersion('behind');
    const secret = { name: 'ONE', text: 'x', type: 'secret_text' };
    expect((await api.call('PUT', `${api.script('behind')}/secrets`, secret)).codes).toEqual([10215]);
  });

  test('count among the text bindings: 10055', async () => {
    await api.put('crowded', { metadata: { bindings: [{ type: 'plain_text', name: 'A', text: '' }] } });
    const put = (name: string) =>
      api.call('PUT', `${api.script('crowded')}/secrets`, { name, text: 'x', type: 'secret_text' });
    expect((await put('B')).success).toBe(true);
    expect((await put('C')).codes).toEqual([10055]);
    expect((await put('A')).codes).toEqual([10053]);
  });
});

describe('Schedules', () => {
  test('are replaced as a whole, counted over the account (10072) and parsed', async () => {
    await api.put('timed');
    await api.put('other');
    const put = (name: string, ...crons: string[]) =>
      api.call(
        'PUT',
        `${api.script(name)}/schedules`,
        crons.map((cron) => ({ cron })),
      );
    expect((await put('timed', '*/5 * * * *', '0 9 * * MON-FRI')).success).toBe(true);
    expect((await put('timed', '0 0 1 * *')).result).toMatchObject({ schedules: [{ cron: '0 0 1 * *' }] });
    expect(cloudflare.view.crons('timed')).toEqual(['0 0 1 * *']);
    expect((await put('other', '1 * * * *', '2 * * * *', '3 * * * *')).codes).toEqual([10072]);
    for (const wrong of ['* * * *', 'every day', '* * * * * *', '1;2 * * * *'])
      expect((await put('timed', wrong)).codes).toEqual([10022]);
    expect((await put('timed')).success).toBe(true);
    expect(cloudflare.view.crons('timed')).toEqual([]);
  });
});

describe('The workers.dev name', () => {
  test('answers while it is enabled', async () => {
    await api.put('hello', { metadata: { annotations: { 'workers/tag': 'v7' } } });
    const path = `${api.script('hello')}/subdomain`;
    const account = await api.call('GET', `/accounts/${cloudflare.accountId}/workers/subdomain`);
    expect(account.result).toEqual({ subdomain: 'company1' });
    expect((await api.call('GET', path)).result).toEqual({ enabled: false, previews_enabled: false });
    await api.call('POST', path, { enabled: true });
    expect(cloudflare.serve('hello.company1.workers.dev')).toMatchObject({
      answered: true,
      script: 'hello',
      tag: 'v7',
    });
    await api.call('DELETE', path);
    expect(cloudflare.serve('hello.company1.workers.dev')).toMatchObject({ answered: false });
  });
});

describe('Lists and searches of scripts', () => {
  test('the list is one page, by name, and can be narrowed by tags that a script has or has not', async () => {
    await api.put('tag-one', { metadata: { tags: ['ours', 'old'] } });
    await api.put('tag-two', { metadata: { tags: ['ours'] } });
    const list = await api.call('GET', `/accounts/${cloudflare.accountId}/workers/scripts?tags=ours:yes,old:no`);
    expect(list.result).toMatchObject([{ id: 'tag-two', tag: cloudflare.view.script('tag-two').tag, tags: ['ours'] }]);
    expect(list.result_info).toBeUndefined();
  });

  test('the search comes in pages and finds by a part of the name', async () => {
    const path = `/accounts/${cloudflare.accountId}/workers/scripts-search?name=tag-&per_page=1`;
    const second = await api.call('GET', `${path}&page=2`);
    expect(second.result).toMatchObject([{ script_name: 'tag-two' }]);
    expect(second.result_info).toMatchObject({ page: 2, total_count: 2 });
  });
});

describe('Deleting a script', () => {
  test('answers with an empty body, and a second time with 10007', async () => {
    await api.put('gone');
    const response = await api.raw('DELETE', api.script('gone'));
    expect([response.status, await response.text()]).toEqual([200, '']);
    expect((await api.call('DELETE', api.script('gone'))).codes).toEqual([10007]);
  });

  test('is refused with 10142 while another Worker is bound to it, unless it is forced', async () => {
    await api.put('target');
    await api.put('caller', { metadata: { bindings: [{ type: 'service', name: 'T', service: 'target' }] } });
    const refused = await api.call('DELETE', api.script('target'));
    expect(refused).toMatchObject({ status: 400, codes: [10142] });
    expect(refused.errors[0]?.message).toContain('caller');
    expect((await api.raw('DELETE', `${api.script('target')}?force=true`)).status).toBe(200);
  });
});
