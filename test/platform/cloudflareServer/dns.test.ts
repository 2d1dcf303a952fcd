import { afterAll, beforeEach, describe, expect, test } from 'vitest';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf, idOf } from './caller.ts';

let cloudflare: Cloudflare | undefined;
let server: Cloudflare;
let api: Caller;
let path: string;
beforeEach(async () => {
  await cloudflare?.close();
  server = await startCloudflare({ zones: [{ name: 'example.com' }], limits: { recordsPerBatch: 3 } });
  cloudflare = server;
  api = callerOf(server);
  path = `/zones/${server.view.zone('example.com').id}/dns_records`;
});
afterAll(() => cloudflare?.close());

const a = (name: string, content = '192.0.2.1', more: object = {}) => ({ type: 'A', name, content, ttl: 1, ...more });
const cname = (name: string) => ({ type: 'CNAME', name, content: 'target.test', ttl: 1 });
const post = (record: unknown) => api.call('POST', path, record);

describe('A record', () => {
  test('gets its full name, and is read, replaced, patched and deleted', async () => {
    const created = await post(a('api', '192.0.2.1', { comment: 'ticket-1', tags: ['owner:opslog'], proxied: true }));
    expect(created.result).toMatchObject({ name: 'api.example.com', ttl: 1, proxied: true, comment: 'ticket-1' });
    const one = `${path}/${idOf(created)}`;
    expect((await api.call('PATCH', one, { content: '192.0.2.2' })).result).toMatchObject({ comment: 'ticket-1' });
    expect((await api.call('PUT', one, a('api.example.com', '192.0.2.3'))).result).toMatchObject({
      content: '192.0.2.3',
      comment: null,
      proxied: false,
      tags: [],
    });
    expect((await api.call('DELETE', one)).result).toEqual({ id: idOf(created) });
    for (const method of ['GET', 'DELETE'])
      expect(await api.call(method, one)).toMatchObject({ status: 404, codes: [81044] });
  });

  test('stands beside others of its host, but no CNAME beside A, AAAA or CNAME (81053) and no A beside a CNAME (81054)', async () => {
    await post(a('host'));
    expect((await post(a('host', '192.0.2.2'))).success).toBe(true);
    expect((await post({ type: 'TXT', name: 'host', content: 'hello', ttl: 1 })).success).toBe(true);
    expect(await post(cname('host'))).toMatchObject({ status: 400, codes: [81053] });
    await post(cname('alias'));
    expect((await post(a('alias'))).codes).toEqual([81054]);
    expect((await post({ ...cname('alias'), content: 'other.test' })).codes).toEqual([81053]);
  });

  test('that is identical is 81058, which was 81057 once', async () => {
    await post(a('twin'));
    expect((await post(a('TWIN.example.com'))).codes).toEqual([81058]);
    server.behaviour.identicalRecordCode = 81057;
    expect((await post(a('twin'))).codes).toEqual([81057]);
  });

  test.each([
    [a('x', '300.0.0.1'), 9005],
    [{ type: 'AAAA', name: 'x', content: '192.0.2.1' }, 9006],
    [{ type: 'CNAME', name: 'x', content: 'not a host' }, 9007],
    [{ type: 'TXT', name: 'x', content: 'y', proxied: true }, 9041],
    [{ type: 'MX', name: 'x', content: 'mail.test' }, 1004],
    [a('x', '192.0.2.1', { ttl: 59 }), 1004],
    [a('x', '192.0.2.1', { comment: 'x'.repeat(501) }), 1004],
    [a('bad name'), 1003],
    [{ type: 'ALIAS', name: 'x', content: 'y' }, 10026],
  ])('%o is refused with %i', async (record, code) => {
    expect((await post(record)).codes).toEqual([code]);
  });
});

describe('The list of records', () => {
  test('is narrowed by type, name, content, comment and tags, with all or any of the filters', async () => {
    await post(a('one', '192.0.2.1', { comment: 'mine', tags: ['team:a'] }));
    await post(a('two', '192.0.2.2'));
    await post({ type: 'TXT', name: 'one', content: 'hello', ttl: 1, comment: 'yours' });
    const found = async (query: string) => (await api.call('GET', `${path}?${query}`)).result_info?.['total_count'];
    expect(await found('')).toBe(3);
    expect(await found('type=A')).toBe(2);
    expect(await found('name.exact=one.example.com')).toBe(2);
    expect(await found('name=one.example.com&type=TXT')).toBe(1);
    expect(await found('name=one.example.com&type=A&match=any')).toBe(3);
    expect(await found('content.startswith=192.0.2')).toBe(2);
    expect(await found('comment.exact=mine')).toBe(1);
    expect(await found('comment.absent')).toBe(1);
    expect(await found('comment.present')).toBe(2);
    expect(await found('tag.exact=team:a')).toBe(1);
    expect(await found('tag.absent=team')).toBe(2);
  });

  test('comes in pages', async () => {
    await post(a('one'));
    await post(a('two'));
    const second = await api.call('GET', `${path}?per_page=1&page=2`);
    expect(second).toMatchObject({ result: [{ name: 'two.example.com' }], result_info: { page: 2, total_pages: 2 } });
  });
});

describe('A batch', () => {
  test('deletes before it creates, so that a record can be replaced by one of another type', async () => {
    const id = idOf(await post(a('moving')));
    const batch = await api.call('POST', `${path}/batch`, { posts: [cname('moving')], deletes: [{ id }] });
    expect(batch.result).toMatchObject({ deletes: [{ id }], posts: [{ type: 'CNAME' }], patches: [], puts: [] });
    expect(server.view.records('example.com')).toMatchObject([{ type: 'CNAME' }]);
  });

  test('is all or nothing', async () => {
    const id = idOf(await post(a('kept')));
    const batch = await api.call('POST', `${path}/batch`, { deletes: [{ id }], posts: [a('new'), a('new')] });
    expect(batch.codes).toEqual([81058]);
    expect(server.view.records('example.com')).toMatchObject([{ id, name: 'kept.example.com' }]);
  });

  test('patches and puts, and has a limit', async () => {
    const [one, two] = [idOf(await post(a('one'))), idOf(await post(a('two')))];
    const patches = [{ id: one, comment: 'seen' }];
    const puts = [{ id: two, ...a('two', '192.0.2.9') }];
    expect((await api.call('POST', `${path}/batch`, { patches, puts })).success).toBe(true);
    expect(server.view.records('example.com')).toMatchObject([{ comment: 'seen' }, { content: '192.0.2.9' }]);
    const posts = [a('a'), a('b'), a('c'), a('d')];
    expect((await api.call('POST', `${path}/batch`, { posts })).codes).toEqual([1004]);
  });
});
