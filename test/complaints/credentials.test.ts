import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { writtenCredential } from '../../src/api/credentialModels.ts';
import * as models from '../../src/api/models.ts';
import { backup } from '../../src/cli/operations/backup.ts';
import { type RunningOpslog, startOpslog } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { systemClock } from '../../src/platform/clock/system.ts';
import { useCredential } from '../../src/sagas/useCredential.ts';
import { onNats, startTestBus, type TestBus } from '../support/nats.ts';
import { anSshPair } from '../support/sshPair.ts';
import { filesBelow, keysOfBackup, openEverything, sealedIn } from '../support/vaultAttack.ts';

const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** A whole installation with one workspace and one department. */
const startInstallation = async (settings: Readonly<Record<string, string>> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-credentials-'));
  const data = join(folder, 'data');
  const password = `pw-${randomBytes(12).toString('hex')}`;
  const said: string[] = [];
  const line = (fields: object, message: string) => void said.push(`${JSON.stringify(fields, bigints)} ${message}`);
  const read = readConfig({
    ...{ OPSLOG_DATA_DIR: data, OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0', OPSLOG_ADMIN_PASSWORD: password },
    ...settings,
  });
  if (!read.ok) throw new Error(read.problems.join('; '));
  const opslog: RunningOpslog = await startOpslog(read.config, {
    logger: { debug: line, info: line, warn: line, error: line },
  });
  let token = '';
  const ask = async (method: string, path: string, body?: object): Promise<unknown> => {
    const response = await fetch(`${opslog.url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    if (token !== '') said.push(text);
    expect(response.status, text).toBeLessThan(300);
    return text === '' ? undefined : JSON.parse(text);
  };
  const { email } = read.config.admin;
  ({ token } = models.openedSession.parse(await ask('POST', '/auth/sessions', { email, password })));
  const slug = `c-${randomUUID().slice(0, 8)}`;
  const workspaceId = models.workspace.parse(await ask('POST', '/workspaces', { name: slug, slug })).id;
  const base = `/workspaces/${workspaceId}`;
  const made = await ask('POST', `${base}/departments`, { name: 'Payments', slug: 'payments' });
  const departmentId = models.department.parse(made).id;
  const { parts } = opslog;
  const { aggregates, log, vault } = parts;
  return {
    ...{ folder, data, said, ask, parts, workspaceId, departmentId, base, slug },
    create: async (name: string, value: object, more: object = {}) =>
      writtenCredential.parse(await ask('POST', `${base}/credentials`, { name, value, ...more })),
    use: (credentialId: string) =>
      useCredential(
        { aggregates, log, vault, clock: systemClock },
        {
          ...{ credentialId, purpose: 'server.connect', subjectId: 'server-1', part: 'test' },
          context: { workspaceId, departmentId, requestId: '', correlationId: '', causationId: '' },
        },
        async (opened) => (opened.kind === 'apiToken' ? opened.token.toString() : opened.kind),
      ),
    /** All that the log and the tables have, as text. */
    texts: async () => {
      const texts: string[] = [];
      for await (const { data: fact, metadata } of log.readAll()) texts.push(JSON.stringify([fact, metadata]));
      for (const { name } of parts.tables) {
        texts.push(JSON.stringify(await parts.database.db.selectFrom(name).selectAll().execute(), bigints));
      }
      return texts;
    },
    shredded: async () => {
      let count = 0;
      for await (const { type, data: fact } of log.readAll())
        if (type === 'CredentialShredded') count += Array.isArray(fact['keyIds']) ? fact['keyIds'].length : 0;
      return count;
    },
    backUp: async (name: string, withKeys: boolean) => {
      const target = join(folder, name);
      const keysFile = withKeys ? join(folder, `${name}.keys`) : '';
      await backup.run(parts, { target, keysFile, waitMs: 30_000 }, () => {}, new AbortController().signal);
      return { target, keysFile };
    },
    stop: async () => {
      await opslog.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};

type Installation = Awaited<ReturnType<typeof startInstallation>>;

const tracesOf = (canary: string): readonly string[] => [
  ...[canary, Buffer.from(canary).toString('hex')],
  ...[0, 1, 2].map((skip) => Buffer.from(canary.slice(skip)).toString('base64').slice(0, -4)),
];

const expectNowhere = async (here: Installation, canary: string): Promise<void> => {
  const said = [...here.said, ...(await here.texts())];
  for (const trace of tracesOf(canary)) {
    expect(said.some((text) => text.includes(trace))).toBe(false);
    for (const [path, bytes] of await filesBelow(here.folder)) expect(bytes.includes(trace), path).toBe(false);
  }
};

describe('A credential on a real installation', () => {
  let here: Installation;
  beforeAll(async () => {
    here = await startInstallation();
  });
  afterAll(() => here?.stop());

  test('is in no log, table, event, file, backup or answer in the clear; its use is on record', async () => {
    const canary = `canary${randomBytes(16).toString('hex')}`;
    const pair = anSshPair({ passphrase: canary, cipher: 'aes256-ctr', rounds: 1 });
    const token = await here.create('token', { kind: 'apiToken', provider: 'cloudflare', token: canary });
    const values = [
      { kind: 'sshKey', userName: 'u', privateKey: pair.private, passphrase: canary },
      { kind: 'sshPassword', userName: 'u', password: canary },
      { kind: 'registryLogin', registry: 'ghcr.io', userName: 'u', password: canary },
      { kind: 'generic', fields: { A: canary, B: `x${canary}` } },
    ];
    for (const value of values) await here.create(value.kind, value, { departmentId: here.departmentId });
    const generated = await here.create('made', { kind: 'sshKey', userName: 'u', generate: true });
    expect(await here.use(token.id)).toEqual({ ok: true, value: canary });
    expect(await here.use(generated.id)).toEqual({ ok: true, value: 'sshKey' });
    await here.backUp('whole', true);
    const head = String(await here.parts.log.head());
    await here.ask('GET', `${here.base}/credentials?waitFor=${head}`);
    const trail = await here.ask('GET', `${here.base}/audit?resourceId=${token.id}&waitFor=${head}`);
    expect(trail).toMatchObject({
      items: [
        { action: 'credentialUse.CredentialUsed', riskLevel: 'high', metadata: { purpose: 'server.connect' } },
        { action: 'credential.CredentialCreated', riskLevel: 'high' },
      ],
    });
    await expectNowhere(here, canary);
    await expectNowhere(here, pair.private.split('\n')[3] ?? '');
  });

  test('that was deleted or replaced opens in no copy, with every key there is; a backup with keys from before does', async () => {
    const secrets = ['replaced', 'deleted', 'of the department'].map(
      (what) => `${what.replaceAll(' ', '-')}-${randomBytes(12).toString('hex')}`,
    );
    const [first = '', second = '', third = ''] = secrets;
    const token = (text: string) => ({ kind: 'apiToken', provider: 'p', token: text });
    const one = await here.create('one', token(first));
    await here.create('two', token(third), { departmentId: here.departmentId });
    const keys = () => filesBelow(join(here.data, 'keys'));
    const everywhere = async () => sealedIn([...(await here.texts()), ...(await filesBelow(here.folder)).values()]);
    /** Which of the secrets somebody reads who has every copy of everything, and these keys. */
    const readable = async (having: ReadonlyMap<string, Buffer>) => {
      const read = openEverything(await everywhere(), having, here.workspaceId).join('\n');
      return secrets.filter((secret) => read.includes(secret));
    };
    // The attack works: as long as the keys are there, it reads what was stored.
    expect(await readable(await keys())).toEqual([first, third]);
    const without = await here.backUp('before-without', false);
    const withKeys = await here.backUp('before-with', true);
    const shreddedBefore = await here.shredded();

    await here.ask('POST', `${here.base}/credentials/${one.id}/replace`, { value: token(second) });
    await expect.poll(() => here.shredded(), { timeout: 20_000 }).toBe(shreddedBefore + 1);
    expect(await readable(await keys())).toEqual([second, third]);

    await here.ask('DELETE', `${here.base}/credentials/${one.id}`);
    await here.ask('DELETE', `${here.base}/departments/${here.departmentId}`);
    // Those of the test before are bound to the department too.
    await expect.poll(() => here.shredded(), { timeout: 20_000 }).toBeGreaterThanOrEqual(shreddedBefore + 3);
    await expect.poll(async () => readable(await keys()), { timeout: 20_000 }).toEqual([]);
    await here.backUp('after', true);
    expect(await readable(await keysOfBackup(join(here.folder, 'after.keys')))).toEqual([]);
    expect(await readable(await filesBelow(without.target))).toEqual([]);
    for (const secret of secrets) await expectNowhere(here, secret);
    const [row] = await here.parts.database.db
      .selectFrom('credentials')
      .select(['status', 'encrypted_data', 'digest'])
      .where('id', '=', one.id)
      .execute();
    expect(row).toEqual({ status: 'deleted', encrypted_data: null, digest: '' });

    // The one exception, which docs/operations.md tells of.
    expect(await readable(await keysOfBackup(withKeys.keysFile))).toEqual([first, third]);
  });

  test('goes with its workspace, and leaves nothing in the tables', async () => {
    const kept = await here.create('last', { kind: 'apiToken', provider: 'p', token: 'anything' });
    const before = await here.shredded();
    await here.ask('DELETE', here.base, { confirm: here.slug });
    await expect.poll(() => here.shredded(), { timeout: 20_000 }).toBeGreaterThan(before);
    const rows = () =>
      here.parts.database.db.selectFrom('credentials').select('id').where('id', '=', kept.id).execute();
    await expect.poll(rows, { timeout: 20_000 }).toEqual([]);
    expect(await here.use(kept.id)).toMatchObject({ ok: false, code: 'credential_missing' });
  });
});

await onNats('A credential', () => {
  let here: Installation;
  let bus: TestBus;
  beforeAll(async () => {
    bus = await startTestBus();
    here = await startInstallation({
      ...{ NATS_URL: bus.url, OPSLOG_NATS_STREAM: bus.stream, OPSLOG_NATS_SUBJECTS: bus.prefix },
    });
  });
  afterAll(async () => {
    await here?.stop();
    await bus?.stop();
  });

  test('is published without its value, its sealed value and its digest', async () => {
    const canary = `canary${randomBytes(16).toString('hex')}`;
    const { id } = await here.create('token', { kind: 'apiToken', provider: 'cloudflare', token: canary });
    await here.ask('DELETE', `${here.base}/credentials/${id}`);
    const published = async () => (await bus.messages()).filter(({ subject }) => subject.includes('.credential.'));
    await expect.poll(async () => (await published()).length, { timeout: 20_000 }).toBeGreaterThanOrEqual(3);
    const [created] = await published();
    expect(created?.event).toMatchObject({
      data: {
        details: { kind: 'apiToken', provider: 'cloudflare' },
        encryptedData: { iv: '[masked]', tag: '[masked]', data: '[masked]' },
        digest: '[masked]',
      },
    });
    const text = JSON.stringify(await bus.messages());
    for (const trace of tracesOf(canary)) expect(text).not.toContain(trace);
    expect(sealedIn([text])).toEqual([]);
  });
});
