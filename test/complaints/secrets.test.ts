import { randomBytes, randomUUID } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import * as models from '../../src/api/models.ts';
import { decodeAs } from '../../src/commands/envelope.ts';
import { type RunningOpslog, startOpslog } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import type { EdgeSecretEvent } from '../../src/domain/edgeSecret/index.ts';
import { edgeSecret } from '../../src/domain/edgeSecret/index.ts';
import { onNats, startTestBus, type TestBus } from '../support/nats.ts';

// What people complained about elsewhere, and what holds here instead. The subjects of the tests name the complaints.

const ticketOf = z.object({ ticketId: z.string(), statusUrl: z.string() });
const settled = ['completed', 'failed', 'cancelled'];
const source = (marker: string) => ({
  files: [
    {
      path: 'index.js',
      content: `export default { fetch(request, env) {
  console.log('${marker}', env.API_KEY, { env });
  return Response.json({ marker: '${marker}', env });
} };`,
    },
  ],
});

/** A whole installation in a folder of its own; it can be stopped and started again. */
const createInstallation = async (settings: Readonly<Record<string, string>> = {}) => {
  const folder = await mkdtemp(join(tmpdir(), 'opslog-complaints-'));
  const password = `pw-${randomBytes(12).toString('hex')}`;
  const logged: string[] = [];
  const answers: string[] = [];
  const line = (fields: object, message: string) =>
    void logged.push(`${JSON.stringify(fields, withErrors)} ${message}`);
  let running: RunningOpslog | undefined;
  let token = '';
  const opslog = (): RunningOpslog => {
    if (!running) throw new Error('It is not running.');
    return running;
  };
  const ask = async (method: string, path: string, body?: object) => {
    const response = await fetch(`${opslog().url}${path}`, {
      method,
      headers: { authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    });
    const text = await response.text();
    // What is asked with a secret in it is not an answer with a secret in it.
    answers.push(text);
    const parsed: unknown = text === '' ? undefined : JSON.parse(text);
    return { status: response.status, body: parsed };
  };
  const start = async (roles = 'api,projector,runner,publisher') => {
    const read = readConfig({
      ...{ OPSLOG_DATA_DIR: folder, OPSLOG_PORT: '0', OPSLOG_EDGE_PORT: '0', OPSLOG_ADMIN_PASSWORD: password },
      ...{ OPSLOG_ROLES: roles, ...settings },
    });
    if (!read.ok) throw new Error(read.problems.join('; '));
    const { config } = read;
    running = await startOpslog(config, { logger: { debug: line, info: line, warn: line, error: line } });
    const session = await ask('POST', '/auth/sessions', { email: config.admin.email, password });
    token = models.openedSession.parse(session.body).token;
    answers.length = 0;
  };
  return {
    ...{ folder, logged, answers, ask, opslog, start },
    stop: async () => {
      await running?.close();
      running = undefined;
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
};

type Installation = Awaited<ReturnType<typeof createInstallation>>;

const withErrors = (_key: string, value: unknown): unknown =>
  value instanceof Error ? { name: value.name, message: value.message, stack: value.stack } : value;

const createDepartment = async (here: Installation) => {
  const slug = `c-${randomUUID().slice(0, 8)}`;
  const workspaceId = models.workspace.parse((await here.ask('POST', '/workspaces', { name: slug, slug })).body).id;
  const base = `/workspaces/${workspaceId}`;
  const made = await here.ask('POST', `${base}/departments`, { name: 'Payments', slug: 'payments' });
  const departmentId = models.department.parse(made.body).id;
  const worker = `${base}/departments/${departmentId}/worker`;
  const follow = async ({ body }: { readonly body: unknown }): Promise<string> => {
    const { statusUrl } = ticketOf.parse(body);
    return vi.waitFor(
      async () => {
        const status = String(Object((await here.ask('GET', statusUrl)).body).status);
        expect(settled).toContain(status);
        return status;
      },
      { timeout: 20_000, interval: 50 },
    );
  };
  return {
    ...{ workspaceId, departmentId, base, worker },
    put: async (name: string, value: string) =>
      expect((await here.ask('PUT', `${worker}/secrets/${name}`, { value })).status).toBe(200),
    submit: async (marker: string, more: object = {}) =>
      expect((await here.ask('POST', `${worker}/revisions`, { ...source(marker), ...more })).status).toBe(201),
    deploy: async (revision?: number) =>
      follow(await here.ask('POST', `${worker}/deployments`, revision === undefined ? {} : { revision })),
    rollBack: async (revision: number) => follow(await here.ask('POST', `${worker}/rollback`, { revision })),
    /** What the worker answers through the edge router. */
    seen: async (): Promise<unknown> => {
      const { scriptName } = z.object({ scriptName: z.string() }).parse((await here.ask('GET', worker)).body);
      return JSON.parse(await getAs(`${scriptName}.localhost`, here.opslog().edgeUrl));
    },
  };
};

type Department = Awaited<ReturnType<typeof createDepartment>>;

const getAs = (host: string, url: string): Promise<string> =>
  new Promise((resolve, reject) => {
    const outgoing = request(url, { headers: { host }, agent: false }, (response) => {
      let text = '';
      response.setEncoding('utf8');
      response.on('data', (chunk: string) => {
        text += chunk;
      });
      response.on('end', () => resolve(text));
      response.on('error', reject);
    });
    outgoing.on('error', reject);
    outgoing.end();
  });

/** Every way in which a text may be found again. */
const tracesOf = (canary: string): readonly string[] => [
  canary,
  Buffer.from(canary).toString('base64').slice(0, -4),
  Buffer.from(canary).toString('hex'),
];

const expectNowhere = async (here: Installation, canary: string): Promise<void> => {
  const traces = tracesOf(canary);
  const { parts } = here.opslog();
  const events: string[] = [];
  for await (const { data, metadata } of parts.log.readAll()) events.push(JSON.stringify([data, metadata]));
  const rows: string[] = [];
  for (const { name } of parts.tables) {
    rows.push(JSON.stringify(await parts.database.db.selectFrom(name).selectAll().execute(), bigints));
  }
  expect(rows.join('').length).toBeGreaterThan(1_000);
  expect(here.logged.length).toBeGreaterThan(10);
  const said = { events, rows, logged: here.logged, answers: here.answers };
  for (const [where, texts] of Object.entries(said)) {
    for (const trace of traces)
      expect(
        texts.some((text) => text.includes(trace)),
        where,
      ).toBe(false);
  }
  const files = (await readdir(here.folder, { recursive: true, withFileTypes: true })).filter((each) => each.isFile());
  expect(files.length).toBeGreaterThan(20);
  for (const file of files) {
    const bytes = await readFile(join(file.parentPath, file.name)).catch(() => Buffer.alloc(0));
    for (const trace of traces) expect(bytes.includes(trace), file.name).toBe(false);
  }
};

const bigints = (_key: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);

/** What the vault says of every version that the log has of this department's secrets. */
const openAll = async (here: Installation, workspaceId: string): Promise<readonly string[]> => {
  const { log, vault } = here.opslog().parts;
  const found: string[] = [];
  for await (const stored of log.readAll()) {
    if (stored.type !== 'EdgeSecretStored') continue;
    const event = decodeAs<EdgeSecretEvent>(edgeSecret, stored);
    if (event?.type !== 'EdgeSecretStored' || event.data.companyId !== workspaceId) continue;
    const { companyId, departmentId, name, digest } = event.data;
    const opened = await vault.open(event.data, [companyId, departmentId, name, digest]);
    found.push(opened.ok ? 'opened' : opened.code);
  }
  return found;
};

describe('On a real installation', () => {
  let here: Installation;
  beforeAll(async () => {
    here = await createInstallation();
    await here.start();
  });
  afterAll(async () => {
    await here?.stop();
    await here?.remove();
  });

  test('a rollback to a chosen revision runs that one, with the secret of then (coolify#1976)', async () => {
    const department = await createDepartment(here);
    for (const marker of ['one', 'two', 'three']) {
      await department.put('API_KEY', `value-of-${marker}`);
      await department.submit(marker, { secretNames: ['API_KEY'] });
      expect(await department.deploy()).toBe('completed');
    }
    expect(await department.seen()).toEqual({ marker: 'three', env: { API_KEY: 'value-of-three' } });
    expect(await department.rollBack(1)).toBe('completed');
    expect(await department.seen()).toEqual({ marker: 'one', env: { API_KEY: 'value-of-one' } });
  });

  test('a secret that a revision no longer names is not in its environment, and a removed one opens nowhere (workers-sdk#15342)', async () => {
    const department = await createDepartment(here);
    for (const value of ['first-value', 'second-value']) await department.put('API_KEY', value);
    await department.submit('with', { secretNames: ['API_KEY'] });
    expect(await department.deploy()).toBe('completed');
    await department.submit('without');
    expect(await department.deploy()).toBe('completed');
    expect(await department.seen()).toEqual({ marker: 'without', env: {} });
    expect((await here.ask('DELETE', `${department.worker}/secrets/API_KEY`)).status).toBe(204);
    await expect
      .poll(() => openAll(here, department.workspaceId), { timeout: 15_000 })
      .toEqual(['destroyed', 'destroyed']);
    expect((await here.ask('POST', `${department.worker}/rollback`, {})).body).toMatchObject({ title: 'SecretGone' });
  });

  test('a value is in no log, table, event, file or answer, however the worker prints it (coolify#10767, #7019)', async () => {
    const department = await createDepartment(here);
    const canary = `canary${randomBytes(16).toString('hex')}`;
    await department.put('API_KEY', canary);
    await department.submit('printing', { secretNames: ['API_KEY'] });
    expect(await department.deploy()).toBe('completed');
    expect(await department.seen()).toMatchObject({ env: { API_KEY: canary } });
    await expect.poll(() => here.logged.some((text) => text.includes('printing ***'))).toBe(true);
    for (const path of [`${department.worker}/secrets`, `${department.base}/audit?limit=200`, department.worker]) {
      expect((await here.ask('GET', path)).status).toBe(200);
    }
    await expectNowhere(here, canary);
    expect((await here.ask('DELETE', `${department.worker}/secrets/API_KEY?force=true`)).status).toBe(204);
    await expect.poll(() => openAll(here, department.workspaceId), { timeout: 15_000 }).toEqual(['destroyed']);
    await expectNowhere(here, canary);
  });

  test('the secrets of a removed department go with it', async () => {
    const department = await createDepartment(here);
    await department.put('API_KEY', 'orphan');
    const { base, departmentId, workspaceId } = department;
    expect((await here.ask('DELETE', `${base}/departments/${departmentId}`)).status).toBeLessThan(300);
    await expect.poll(() => openAll(here, workspaceId), { timeout: 15_000 }).toEqual(['destroyed']);
  });

  describe('that was stopped and started again', () => {
    let kept: Department;
    let rotated: Department;
    let halfRemoved: Department;
    const expected = { marker: 'kept', env: { MODE: 'live', API_KEY: 'kept-value' } };
    beforeAll(async () => {
      [kept, rotated, halfRemoved] = [
        await createDepartment(here),
        await createDepartment(here),
        await createDepartment(here),
      ];
      await kept.put('API_KEY', 'kept-value');
      await kept.submit('kept', { secretNames: ['API_KEY'], variables: { MODE: 'live' } });
      expect(await kept.deploy()).toBe('completed');
      expect(await kept.deploy(1)).toBe('completed');
      expect(await kept.seen()).toEqual(expected);
      for (const value of ['before-rotation', 'after-rotation']) {
        await rotated.put('API_KEY', value);
        await rotated.submit('same', { secretNames: ['API_KEY'] });
        expect(await rotated.deploy()).toBe('completed');
        expect(await rotated.seen()).toMatchObject({ env: { API_KEY: value } });
      }
      await halfRemoved.put('API_KEY', 'half-removed');
      await here.stop();
      // Nobody here destroys keys: the removal is in the log and that is all.
      await here.start('api,projector');
      expect((await here.ask('DELETE', `${halfRemoved.worker}/secrets/API_KEY`)).status).toBe(204);
      expect(await openAll(here, halfRemoved.workspaceId)).toEqual(['opened']);
      await here.stop();
      await here.start();
    });

    test('every worker has every variable and every secret, after a redeploy too (coolify#8921)', async () => {
      expect(await kept.seen()).toEqual(expected);
    });

    test('a rotated secret is used, and no copy of the old one is (coolify#8183)', async () => {
      expect(await rotated.seen()).toMatchObject({ env: { API_KEY: 'after-rotation' } });
    });

    test('a removal that the program did not live to finish is finished', async () => {
      await expect.poll(() => openAll(here, halfRemoved.workspaceId), { timeout: 15_000 }).toEqual(['destroyed']);
    });
  });
});

await onNats('A secret', () => {
  let here: Installation;
  let bus: TestBus;
  beforeAll(async () => {
    bus = await startTestBus();
    here = await createInstallation({
      ...{ NATS_URL: bus.url, OPSLOG_NATS_STREAM: bus.stream, OPSLOG_NATS_SUBJECTS: bus.prefix },
    });
    await here.start();
  });
  afterAll(async () => {
    await here?.stop();
    await here?.remove();
    await bus?.stop();
  });

  test('is published without its value, its sealed value and its digest', async () => {
    const department = await createDepartment(here);
    const canary = `canary${randomBytes(16).toString('hex')}`;
    await department.put('API_KEY', canary);
    expect((await here.ask('DELETE', `${department.worker}/secrets/API_KEY`)).status).toBe(204);
    const published = async () => (await bus.messages()).filter(({ subject }) => subject.includes('.edgeSecret.'));
    await expect.poll(async () => (await published()).length, { timeout: 15_000 }).toBeGreaterThanOrEqual(3);
    const [stored] = await published();
    expect(stored?.event).toMatchObject({
      data: {
        name: 'API_KEY',
        encryptedData: { iv: '[masked]', tag: '[masked]', data: '[masked]' },
        digest: '[masked]',
      },
    });
    const text = JSON.stringify(await bus.messages());
    for (const trace of tracesOf(canary)) expect(text).not.toContain(trace);
  });
});
