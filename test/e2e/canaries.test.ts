import { readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { connect } from 'nats';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Served, serve, type Workbench, workbench } from '../cli/support.ts';
import { searchMessages } from '../support/apiCanaries.ts';
import { refuseSightings, searchFor } from '../support/canaries.ts';
import { type DatabaseTarget, onEveryDatabase, type TestDatabase } from '../support/database.ts';
import { described, isSecretInput, textsAt } from '../support/marks.ts';
import { onNats, startTestBus, type TestBus } from '../support/nats.ts';
import { type Received, type Receiver, startReceiver } from '../support/receiver.ts';
import { type Caller, canary, createCaller, type Sending } from './canary/caller.ts';
import { sendEverywhere } from './canary/fixtures.ts';
import { misplace } from './canary/misplaced.ts';
import { searchDatabase, searchFiles, searchProcesses } from './canary/places.ts';

const marked = described.flatMap(({ operationId, sent }) =>
  sent.filter(isSecretInput).map(({ path }) => ({ operationId, path })),
);

const toText = ({ method, path, headers, body }: Received): string => {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
  return [`${method} ${path}`, ...lines, body].join('\n');
};

const rules = (target: DatabaseTarget): void => {
  let bench: Workbench;
  let database: TestDatabase<unknown>;
  let bus: TestBus;
  let receiver: Receiver;
  let opslog: Served;
  let caller: Caller;
  let sent: Awaited<ReturnType<typeof sendEverywhere>>;
  const published: string[] = [];
  let listening: Awaited<ReturnType<typeof connect>>;
  const admin = { email: 'admin@example.com', password: canary() };

  beforeAll(async () => {
    bench = await workbench();
    database = await target.create<unknown>();
    bus = await startTestBus();
    receiver = await startReceiver();
    listening = await connect({ servers: bus.url });
    listening.subscribe('>', {
      callback: (_error, { subject, headers, data }) => {
        published.push(`${subject}\n${headers?.toString() ?? ''}\n${Buffer.from(data).toString()}`);
      },
    });
    opslog = await serve(bench, join(bench.home, 'data'), {
      ...{ OPSLOG_LOG_LEVEL: 'debug', OPSLOG_ADMIN_EMAIL: admin.email, OPSLOG_ADMIN_PASSWORD: admin.password },
      // What is asked here would be too much from one caller.
      ...{ OPSLOG_REQUESTS_PER_SECOND: '100000', OPSLOG_WORKSPACE_REQUESTS_PER_SECOND: '100000' },
      ...{ NATS_URL: bus.url, OPSLOG_NATS_STREAM: bus.stream, OPSLOG_NATS_SUBJECTS: bus.prefix },
      ...{ OPSLOG_OUTBOUND_ALLOW: '127.0.0.1', OPSLOG_OUTBOUND_HTTP: 'true' },
      ...(target.name !== 'PGlite' && { DATABASE_URL: database.url }),
    });
    caller = createCaller(opslog.url);
    sent = await sendEverywhere(caller, { admin, hook: receiver.url });
  }, 180_000);
  afterAll(async () => {
    await opslog?.stop();
    await listening?.close();
    await receiver?.stop();
    await bus?.stop();
    await database?.drop();
    await bench?.remove();
  });

  const withText = ({ operationId, path }: (typeof marked)[number]): Sending | undefined =>
    sent.taking.find((each) => each.operationId === operationId && textsAt(each.body, path).length > 0);

  test('was taken in each of the fields that are marked in openapi.json', () => {
    expect(marked.length).toBeGreaterThan(10);
    expect(marked.filter((each) => !withText(each))).toEqual([]);
  });

  test('is taken by the command line from standard input alone, and kept in a file for its owner', async () => {
    const login = ['login', '--url', opslog.url, '--email', admin.email, '--password-stdin'];
    const said = [await bench.opslog(login, { input: `${admin.password}\n` })];
    const [value, token] = [canary(), canary()];
    caller.canaries.add(value, 'given to "secrets set"');
    caller.canaries.add(token, 'given to "credentials add"');
    const where = ['--workspace', 'canaries'];
    const set = ['secrets', 'set', 'KEY', ...where, '--department', 'sales'];
    said.push(await bench.opslog(set, { input: value }));
    const add = ['credentials', 'add', 'by-hand', '--kind', 'apiToken', '--provider', 'cloudflare', ...where];
    said.push(await bench.opslog(add, { input: token }));
    expect(said.map(({ code, stderr }) => ({ code, stderr }))).toEqual(said.map(() => ({ code: 0, stderr: '' })));
    const profile = await readFile(join(bench.home, 'config/opslog/profile.json'), 'utf8');
    const [session = ''] = /ops_[0-9a-f]+/.exec(profile) ?? [];
    caller.canaries.add(session, 'told to "login"');
    const search = searchFor(caller.canaries.secrets);
    refuseSightings(said.flatMap(({ stdout, stderr }) => search('the command line', `${stdout}\n${stderr}`)));
    expect((await stat(join(bench.home, 'config/opslog/profile.json'))).mode & 0o777).toBe(0o600);
  });

  test('is a fault of the caller wherever it does not belong', async () => {
    const faults: string[] = [];
    for (const each of marked) {
      const sending = withText(each);
      if (sending) faults.push(...(await misplace(caller, sending, each.path)));
    }
    expect(faults).toEqual([]);
  }, 120_000);

  test('is then in no answer, log, metric, message, delivery, export, backup, process, row or file', async () => {
    const { token, base } = sent;
    const get = (operationId: string, path: string) => caller.must({ operationId, method: 'GET', path, token });
    await get('exportAudit', `${base}/audit/export?format=jsonl`);
    await get('exportResources', `${base}/resource-graph?format=jsonl`);
    await get('getMetrics', '/metrics');
    const last = { name: 'The last one', slug: 'last' };
    const made = { operationId: 'createDepartment', method: 'POST', path: `${base}/departments`, token, body: last };
    const { id } = await caller.must(made);
    await expect.poll(() => published.some((text) => text.includes(String(id))), { timeout: 30_000 }).toBe(true);
    const delivered = () => receiver.received.some(({ body }) => body.includes(String(id)));
    await expect.poll(delivered, { timeout: 30_000 }).toBe(true);
    await expect
      .poll(async () => (await caller.send({ operationId: 'getReady', method: 'GET', path: '/health/ready' })).text)
      .toContain('"events":0');
    const search = searchFor(caller.canaries.secrets);
    const { children, found } = searchProcesses(search, opslog.pid);
    const backup = await bench.opslog(['backup', join(bench.home, 'backup'), '--data', opslog.dataDir, '--json']);
    expect([backup.code, children > 0, caller.canaries.secrets.size > 100]).toEqual([0, true, true]);
    await opslog.stop();
    const stored = await bus.stored();
    expect(stored.some(({ body }) => body.includes(String(id)))).toBe(true);
    refuseSightings([
      ...found,
      ...caller.canaries.answers.flatMap((text) => search(`an answer of ${text.split('\n', 1)[0]}`, text)),
      ...search('the log of the program', opslog.log()),
      ...published.flatMap((text) => search('a message on its way', text)),
      ...searchMessages(search, stored),
      ...receiver.received.flatMap((each) => search('what a webhook was sent', toText(each))),
      ...searchFiles(search, join(bench.home, 'data')),
      ...searchFiles(search, join(bench.home, 'backup')),
      ...(target.name === 'PGlite' ? [] : await searchDatabase(search, database.database)),
    ]);
  }, 120_000);
};

await onNats('The program', () => onEveryDatabase('A secret that goes through it', rules));
