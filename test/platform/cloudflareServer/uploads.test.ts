import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Cloudflare, startCloudflare } from '../../support/cloudflare/server.ts';
import { type Caller, callerOf, goodCode, uploadForm } from './caller.ts';

let cloudflare: Cloudflare;
let api: Caller;
beforeAll(async () => {
  cloudflare = await startCloudflare({ now: () => Date.parse('2026-06-01T00:00:00Z') });
  api = callerOf(cloudflare);
});
afterAll(() => cloudflare.close());

const text = (name: string, value = 'v') => ({ type: 'plain_text', name, text: value });
const secret = (name: string, value = 's3cret') => ({ type: 'secret_text', name, text: value });

describe('A script upload', () => {
  test('makes the script, a version and a deployment of all traffic, and answers with the ids of all three', async () => {
    const put = await api.put('fresh', { metadata: { annotations: { 'workers/tag': 't1', 'workers/message': 'm1' } } });
    expect(put).toMatchObject({ status: 200, success: true, errors: [], messages: [] });
    const script = cloudflare.view.script('fresh');
    const [version] = script.versions;
    expect(put.result).toMatchObject({
      id: 'fresh',
      tag: script.tag,
      startup_time_ms: expect.any(Number),
      etag: version?.etag,
      deployment_id: version?.id.replaceAll('-', ''),
    });
    expect(script.deployments[0]).toMatchObject({
      versions: [{ versionId: version?.id, percentage: 100 }],
      authorEmail: 'robot@opslog.test',
      source: 'api',
      annotations: { 'workers/message': 'm1' },
    });
    expect(cloudflare.view.versionsTagged('fresh', 't1')).toHaveLength(1);
  });

  test('of a name keeps the immutable id, which a script that is made anew does not get back', async () => {
    await api.put('again');
    const { tag } = cloudflare.view.script('again');
    await api.put('again');
    expect(cloudflare.view.script('again')).toMatchObject({ tag, versions: [{ number: 1 }, { number: 2 }] });
    await api.raw('DELETE', api.script('again'));
    await api.put('again');
    expect(cloudflare.view.script('again').tag).not.toBe(tag);
  });

  test.each(['Upper', '1first', 'ends-', 'under_score', `a${'b'.repeat(63)}`])(
    'refuses the name %s with 10016',
    async (name) => {
      expect(await api.put(name)).toMatchObject({ status: 400, codes: [10016] });
    },
  );

  test('accepts a name of 63 characters', async () => {
    expect((await api.put(`a${'b'.repeat(62)}`)).success).toBe(true);
  });

  test.each([
    ['a syntax error', { code: 'export default { fetch( };' }, 10021],
    ['an import of something that was not uploaded', { code: `import x from './x.js';\n${goodCode}` }, 10021],
    ['a Node import without the flag', { code: `import 'node:fs';\n${goodCode}` }, 10021],
    ['no default export', { code: 'export const fetch = () => {};' }, 10068],
    ['a main module that is not there', { metadata: { main_module: 'other.js' } }, 10021],
    ['a main module of another type', { type: 'text/plain' }, 10021],
    ['a part of no known type', { type: 'image/png' }, 10021],
    ['a compatibility date that is none', { metadata: { compatibility_date: 'soon' } }, 10021],
    ['a compatibility date far ahead', { metadata: { compatibility_date: '2030-01-01' } }, 10021],
    ['a version tag of 101 bytes', { metadata: { annotations: { 'workers/tag': `${'é'.repeat(50)}x` } } }, 10021],
    ['a binding without a name', { metadata: { bindings: [{ type: 'plain_text', text: 'x' }] } }, 10052],
    ['two bindings of one name', { metadata: { bindings: [text('A'), secret('A')] } }, 10053],
    ['a text of more than 5 KB', { metadata: { bindings: [text('A', 'x'.repeat(5121))] } }, 10054],
    ['129 texts', { metadata: { bindings: Array.from({ length: 129 }, (_, n) => text(`V${n}`)) } }, 10055],
    ['a binding of no known type', { metadata: { bindings: [{ type: 'magic', name: 'A' }] } }, 100153],
    [
      'a service that does not exist',
      { metadata: { bindings: [{ type: 'service', name: 'A', service: 'no' }] } },
      10143,
    ],
    ['a tag of the script of 129 bytes', { metadata: { tags: ['x'.repeat(129)] } }, 100102],
    ['nine tags of the script', { metadata: { tags: [...'abcdefghi'] } }, 100103],
  ] as const)('with %s is refused and leaves nothing', async (_, parts, code) => {
    expect((await api.put('refused', parts)).codes).toEqual([code]);
    expect(cloudflare.state.accounts.get(cloudflare.accountId)?.scripts.has('refused')).toBe(false);
  });

  test('takes a Node import with the flag, an import of another part, and 128 texts', async () => {
    const form = uploadForm({
      code: `import 'node:fs'; import './lib.js';\n${goodCode}`,
      metadata: {
        compatibility_flags: ['nodejs_compat'],
        bindings: Array.from({ length: 128 }, (_, n) => text(`V${n}`)),
      },
    });
    form.set('lib.js', new Blob(['export {};'], { type: 'application/javascript+module' }), 'lib.js');
    expect(await api.form('PUT', api.script('full'), form)).toMatchObject({ success: true });
  });

  test('never runs what it checks', async () => {
    const code = `globalThis.ran = true; process.exit(3);\n${goodCode}`;
    expect((await api.put('sleeping', { code })).success).toBe(true);
    expect(globalThis).not.toHaveProperty('ran');
  });

  test('cuts a message at 1,000 bytes, between characters', async () => {
    await api.put('wordy', { metadata: { annotations: { 'workers/message': `${'x'.repeat(999)}é` } } });
    expect(cloudflare.view.activeDeployment('wordy')?.annotations['workers/message']).toBe('x'.repeat(999));
  });

  test('without a compatibility date takes the oldest one', async () => {
    await api.put('old', { metadata: { compatibility_date: undefined } });
    expect(cloudflare.view.serving('old')?.compatibilityDate).toBe('2021-11-02');
  });

  test('with a body that is no form is 10001, and with metadata that is no JSON 10021', async () => {
    expect(await api.call('PUT', api.script('plain'), {})).toMatchObject({ status: 415, codes: [10001] });
    const form = uploadForm({});
    form.set('metadata', '{');
    expect((await api.form('PUT', api.script('plain'), form)).codes).toEqual([10021]);
  });

  test('of the older form serves, but such code cannot become a version by itself', async () => {
    const metadata = { main_module: undefined, body_part: 'worker.js' };
    const parts = { metadata, type: 'application/javascript', code: "addEventListener('fetch', () => {});" };
    expect((await api.put('classic', parts)).success).toBe(true);
    expect((await api.version('classic', parts)).codes).toEqual([10216]);
  });

  test('gives the code back as a form with one part per module', async () => {
    await api.put('read-back');
    for (const path of ['', '/content/v2']) {
      const form = await (await api.raw('GET', `${api.script('read-back')}${path}`)).formData();
      const part = form.get('worker.js');
      expect(typeof part === 'string' ? part : await part?.text()).toBe(goodCode);
    }
  });
});

describe('Bindings of an earlier version', () => {
  test('are kept by type, so that secrets survive an upload that names keep_bindings and no other', async () => {
    await api.put('keeper', { metadata: { bindings: [text('V', '1'), secret('S')] } });
    await api.put('keeper', { metadata: { bindings: [text('V', '2')], keep_bindings: ['secret_text'] } });
    expect(cloudflare.view.secrets('keeper')).toEqual({ S: 's3cret' });
    expect(cloudflare.view.variables('keeper')).toEqual({ V: '2' });
    await api.put('keeper', { metadata: { bindings: [text('V', '3')] } });
    expect(cloudflare.view.secrets('keeper')).toEqual({});
  });

  test('are inherited by name, under a new name when asked', async () => {
    await api.put('heir', { metadata: { bindings: [secret('OLD')] } });
    await api.put('heir', { metadata: { bindings: [{ type: 'inherit', name: 'NEW', old_name: 'OLD' }] } });
    expect(cloudflare.view.secrets('heir')).toEqual({ NEW: 's3cret' });
  });

  test('that are not there are dropped in silence, and refused with 10057 when the inheritance is strict', async () => {
    const parts = { metadata: { bindings: [{ type: 'inherit', name: 'LOST' }] } };
    expect(await api.put('loser', { ...parts, query: '?bindings_inherit=strict' })).toMatchObject({ codes: [10057] });
    expect((await api.put('loser', parts)).success).toBe(true);
    expect(cloudflare.view.serving('loser')?.bindings).toEqual([]);
  });
});

describe('Limits of the account', () => {
  test('one Worker more than allowed is 10037, an upload of an existing one is not', async () => {
    const small = await startCloudflare({ limits: { scripts: 1, scriptBytes: 200 } });
    const other = callerOf(small);
    await other.put('only');
    expect(await other.put('second')).toMatchObject({ status: 403, codes: [10037] });
    expect((await other.put('only')).success).toBe(true);
    expect(await other.put('only', { code: goodCode + ' '.repeat(200) })).toMatchObject({ codes: [10027] });
    await small.close();
  });
});
