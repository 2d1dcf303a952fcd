import { execFileSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { z } from 'zod';
import { openDatabase } from '../../src/platform/database/database.ts';
import type { ReadTables } from '../../src/projections/schema.ts';
import { failed, firstLine, type Served, serve, type Workbench, workbench } from './support.ts';

const event = z.object({ position: z.string(), stream: z.string(), type: z.string(), data: z.unknown() });
const audited = z.object({
  ok: z.boolean(),
  chain: z.object({ ok: z.boolean(), entries: z.number() }),
  tables: z.object({
    ok: z.boolean(),
    compared: z.number(),
    differing: z.array(z.object({ table: z.string(), first: z.array(z.object({ kind: z.string() })) })),
  }),
});
const judged = z.object({ checked: z.number(), failed: z.number() });
const rebuilt = z.object({
  ok: z.literal(true),
  tables: z.array(z.string()),
  events: z.number(),
  position: z.string(),
});
const control = z.object({ pid: z.number(), port: z.number(), token: z.string() });

describe('An operator', () => {
  let bench: Workbench;
  let opslog: Served;
  let data: readonly string[];
  let password: string;
  let department: string;

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    data = ['--data', opslog.dataDir];
    password = opslog.admin.password ?? '';
    const login = ['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'];
    await bench.opslog(login, { input: password });
    await bench.opslog(['department', 'create', 'Sales']);
    await bench.opslog(['init', 'hello']);
    await bench.opslog(['deploy', 'hello']);
    const { departments } = (await bench.opslog(['department', 'list', '--json'])).json(
      z.object({ departments: z.array(z.object({ id: z.string() })) }),
    );
    department = departments[0]?.id ?? '';
  }, 120_000);
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  describe('while the server holds the stores', () => {
    const controlPath = () => join(opslog.dataDir, 'control.json');
    const readControl = async () => control.parse(JSON.parse(await readFile(controlPath(), 'utf8')));

    test('reaches it through a file that only the owner can read', async () => {
      expect((await stat(controlPath())).mode & 0o777).toBe(0o600);
      expect((await readControl()).pid).toBe(opslog.pid);
    });

    test('keeps what it writes from everybody else, whatever the mode of the folder', async () => {
      for (const name of await readdir(opslog.dataDir)) {
        const found = await stat(join(opslog.dataDir, name));
        expect([name, found.mode & 0o077]).toEqual([name, 0]);
      }
    });

    test('nobody gets in without the token, or asks for what is not offered', async () => {
      const { port, token } = await readControl();
      const ask = async (name: string, authorization: string, body: string): Promise<number> => {
        const init = { method: 'POST', headers: { authorization }, body };
        return (await fetch(`http://127.0.0.1:${port}/operations/${name}`, init)).status;
      };
      expect(await ask('doctor', 'Bearer wrong', '{}')).toBe(401);
      expect(await ask('doctor', '', '{}')).toBe(401);
      expect(await ask('shutdown', `Bearer ${token}`, '{}')).toBe(404);
      expect(await ask('doctor', `Bearer ${token}`, 'no json')).toBe(400);
      expect(await ask('doctor', `Bearer ${token}`, '{}')).toBe(200);
    });

    test('the audit trail is verified', async () => {
      const { code, json } = await bench.opslog(['audit', 'verify', ...data, '--json']);
      const proof = json(audited);
      expect({ code, ok: proof.ok, chain: proof.chain.ok }).toEqual({ code: 0, ok: true, chain: true });
      expect(proof.tables.compared).toBeGreaterThan(10);
      expect(proof.chain.entries).toBeGreaterThan(5);
    });

    test('read tables are rebuilt, all or some, and an unknown one is refused by name', async () => {
      const all = (await bench.opslog(['rebuild', ...data, '--json'])).json(rebuilt);
      expect(all.tables).toContain('edge_workers');
      const some = await bench.opslog(['rebuild', 'audit_logs', ...data, '--json']);
      expect(some.json(rebuilt).tables).toEqual(['audit_logs']);
      const none = await bench.opslog(['rebuild', 'nonsense', ...data, '--json']);
      expect(none.code).toBe(1);
      expect(none.json(failed)).toMatchObject({
        code: 'table_unknown',
        message: expect.stringContaining('edge_workers'),
      });
    });

    test('a signed head is kept, an export is made, and both are verified', async () => {
      const [head, file, key] = [
        join(bench.home, 'head.json'),
        join(bench.home, 'audit.jsonl'),
        join(bench.home, 'key.pem'),
      ];
      const kept = await bench.opslog(['audit', 'head', '--out', head, '--json']);
      expect(kept.json(z.object({ sequence: z.number() })).sequence).toBeGreaterThan(3);
      expect((await bench.opslog(['audit', 'export', '--out', file])).code).toBe(0);
      await writeFile(key, (await bench.opslog(['evidence', 'key', ...data])).stdout);
      const chain = await bench.opslog(['audit', 'verify', '--chain', '--head', head, ...data, '--json']);
      expect(chain.json(z.object({ ok: z.boolean(), heads: z.array(z.object({ found: z.string() })) }))).toMatchObject({
        ...{ ok: true, heads: [{ found: 'contained' }] },
      });
      const offline = await bench.opslog(['audit', 'verify', '--file', file, '--key', key, '--head', head, '--json']);
      expect(offline.json(z.object({ ok: z.boolean(), complete: z.boolean(), signedBy: z.string() }))).toMatchObject({
        ...{ ok: true, complete: true, signedBy: expect.stringMatching(/^[0-9a-f]{32}$/) },
      });
      await writeFile(file, (await readFile(file, 'utf8')).replace('DepartmentCreated', 'DepartmentRemoved'));
      const edited = await bench.opslog(['audit', 'verify', '--file', file, '--json']);
      expect(edited.code).toBe(4);
      expect(edited.json(failed).code).toBe('audit_differs');
      const text = await readFile(head, 'utf8');
      await writeFile(head, text.replace(/"keyid":"\w+"/, `"keyid":"${'0'.repeat(32)}"`));
      const foreign = await bench.opslog(['audit', 'verify', '--head', head, ...data, '--json']);
      expect(foreign.code).toBe(4);
      expect(foreign.json(failed)).toMatchObject({ code: 'head_key_unknown', hint: expect.stringContaining('--key') });
    });

    test('the trail is listed and events are followed by members, over the API', async () => {
      const listed = await bench.opslog(['audit', 'list', '--action', 'department.DepartmentCreated', '--json']);
      expect(listed.lines()).toMatchObject([{ action: 'department.DepartmentCreated', ip: '127.0.0.1' }]);
      const follow = bench.start(['events', 'follow', '--after', '0', '--type', 'DepartmentCreated', '--json']);
      const first: unknown = JSON.parse(await firstLine(follow));
      expect(first).toMatchObject({ type: 'opslog.department.DepartmentCreated', data: { name: 'Sales' } });
      follow.kill('SIGINT');
      await once(follow, 'close');
      expect(follow.exitCode).toBe(0);
    });

    test('events are shown from the beginning, by category, without secrets', async () => {
      const args = ['events', 'tail', '--from', '0', '--no-follow', ...data, '--json'];
      const all = (await bench.opslog(args)).lines().map((line) => event.parse(line));
      expect(all.map(({ type }) => type)).toContain('DeploymentCompleted');
      expect(JSON.stringify(all)).not.toMatch(/argon2id\$[^[]|Hello"/);
      const workers = (await bench.opslog([...args, '--category', 'edgeWorker']))
        .lines()
        .map((line) => event.parse(line));
      expect(workers.length).toBeGreaterThan(3);
      expect(workers.every(({ stream }) => stream.startsWith('edgeWorker-'))).toBe(true);
    });

    test('a line for people stays short: a receipt is cut, --json has all of it', async () => {
      const args = ['events', 'tail', '--from', '0', '--no-follow', '--category', 'edgeWorker', ...data];
      const text = (await bench.opslog(args)).stdout;
      expect(text).toContain('RevisionSubmitted');
      expect(text).not.toContain('signatures');
      expect((await bench.opslog([...args, '--json'])).stdout).toContain('signatures');
    });

    test('events are followed as they come, until Ctrl-C, which is no failure', async () => {
      const tail = bench.start(['events', 'tail', '--category', 'edgeWorker', ...data, '--json']);
      const first = firstLine(tail);
      // Whatever happens first after the tail began is what it shows first; pausing twice adds nothing twice.
      const again = setInterval(
        () => void bench.opslog(['pause', 'hello']).then(() => bench.opslog(['resume', 'hello'])),
        700,
      );
      const shown = event.parse(JSON.parse(await first));
      clearInterval(again);
      expect(['EdgeWorkerPaused', 'EdgeWorkerResumed']).toContain(shown.type);
      tail.kill('SIGINT');
      const [code] = await once(tail, 'close');
      expect(code).toBe(0);
      await bench.opslog(['resume', 'hello']);
    });

    test('the state of a stream is shown as of any position', async () => {
      const args = ['events', 'tail', '--from', '0', '--no-follow', ...data, '--json', '--category', 'edgeWorker'];
      const workers = (await bench.opslog(args)).lines().map((line) => event.parse(line));
      const [created] = workers;
      const stream = created?.stream ?? '';
      const shown = z.object({ revision: z.number(), state: z.looseObject({ status: z.string() }) });
      const now = (await bench.opslog(['replay', '--stream', stream, ...data, '--json'])).json(shown);
      expect(now.state.status).toBe('active');
      const at = ['--at', created?.position ?? ''];
      const then = (await bench.opslog(['replay', '--stream', stream, ...at, ...data, '--json'])).json(shown);
      expect(then).toMatchObject({ revision: 0, state: { status: 'draft' } });
      const unknown = await bench.opslog(['replay', '--stream', 'nonsense-1', ...data]);
      expect(unknown.code).toBe(1);
    });

    test('read tables are shown as of a time, and written to a file that is not overwritten', async () => {
      const before = await bench.opslog(['replay', '--table', 'edge_workers', '--at', '2020-01-01', ...data]);
      expect({ code: before.code, stdout: before.stdout }).toEqual({ code: 0, stdout: '' });
      const args = ['replay', '--out', 'model.jsonl', ...data, '--json'];
      const shown = z.object({ tables: z.array(z.object({ table: z.string(), rows: z.number() })) });
      const { tables } = (await bench.opslog(args)).json(shown);
      const text = await readFile(join(bench.home, 'model.jsonl'), 'utf8');
      expect(text.trim().split('\n').length).toBe(tables.reduce((sum, { rows }) => sum + rows, 0));
      expect((await stat(join(bench.home, 'model.jsonl'))).mode & 0o777).toBe(0o600);
      expect((await bench.opslog(args)).code).toBe(1);
    });

    test('what changed is shown with who changed it', async () => {
      const { code, stdout } = await bench.opslog(['diff']);
      expect(code).toBe(0);
      expect(stdout).toContain('+ department Sales');
      expect(stdout).toMatch(/liveRevision: \(none\) -> 1/);
      const thing = z.object({ type: z.string(), change: z.string(), facts: z.array(z.unknown()).min(1) });
      const things = (await bench.opslog(['diff', '--type', 'department', '--json']))
        .lines()
        .map((line) => thing.parse(line));
      expect(things).toMatchObject([{ type: 'department', change: 'created' }]);
      expect((await bench.opslog(['diff', '--from', 'yesterday'])).code).toBe(1);
    });

    test('one workspace is built as of a time in an empty database, and never in one that is not', async () => {
      const into = join(bench.home, 'then');
      const workspace = z.object({ id: z.string(), slug: z.string() });
      const [row] = (await bench.opslog(['replay', '--table', 'workspaces', ...data])).lines();
      const { id, slug } = workspace.parse(row);
      const args = ['replay', '--workspace', slug, '--into', into, ...data];
      const built = z.object({
        events: z.number(),
        tables: z.array(z.object({ table: z.string(), rows: z.number() })),
      });
      const answered = (await bench.opslog([...args, '--json'])).json(built);
      expect(answered.events).toBeGreaterThan(3);
      const database = await openDatabase<ReadTables>(`pglite:${into}`);
      const found = await database.db.selectFrom('departments').select('id').execute();
      await database.close();
      expect(found.map(({ id }) => id)).toContain(department);
      expect(answered.tables).toContainEqual(expect.objectContaining({ table: 'departments', rows: found.length }));

      const again = await bench.opslog([...args, '--json']);
      expect(again.json(failed)).toMatchObject({ code: 'target_not_empty' });
      const elsewhere = ['replay', '--workspace', id, '--into', join(bench.home, 'never'), ...data, '--json'];
      const early = await bench.opslog([...elsewhere, '--at', '2020-01-01']);
      expect(early.json(failed)).toMatchObject({ code: 'workspace_unknown' });
      expect(existsSync(join(bench.home, 'never'))).toBe(false);
      expect((await bench.opslog(['replay', '--workspace', slug, ...data])).code).toBe(2);
      const away = ['replay', '--workspace', slug, '--into', 'postgres://127.0.0.1:9/then', ...data, '--json'];
      const nowhere = await bench.opslog(away);
      expect(nowhere.json(failed)).toMatchObject({
        ...{
          code: 'target_unreachable',
          message: expect.stringContaining('--into cannot be opened: connect ECONNREFUSED'),
        },
      });
      expect(nowhere.code).toBe(3);
    });

    test('evidence fits, and revisions build to the same bytes again', async () => {
      const where = ['--department', department, ...data, '--json'];
      expect((await bench.opslog(['evidence', 'verify', ...where])).json(judged)).toEqual({ checked: 1, failed: 0 });
      expect((await bench.opslog(['evidence', 'rebuild', '1', ...where])).json(judged)).toEqual({
        checked: 1,
        failed: 0,
      });
      const none = await bench.opslog(['evidence', 'verify', '7', ...where]);
      expect(none.code).toBe(1);
      expect(none.json(failed)).toMatchObject({ code: 'revision_missing' });
    });

    test('evidence is verified offline from files, and any change of them is found', async () => {
      const profile = z.object({ servers: z.record(z.string(), z.object({ token: z.string() })) });
      const kept = profile.parse(JSON.parse(await readFile(join(bench.home, 'config/opslog/profile.json'), 'utf8')));
      const headers = { authorization: `Bearer ${kept.servers[opslog.url]?.token}` };
      const { worker } = (await bench.opslog(['status', 'hello', '--json'])).json(
        z.object({ worker: z.object({ workspaceId: z.string() }) }),
      );
      const revision = `${opslog.url}/workspaces/${worker.workspaceId}/departments/${department}/worker/revisions/1`;
      const { bundleDigest } = z
        .object({ bundleDigest: z.string() })
        .parse(await (await fetch(revision, { headers })).json());
      const file = (name: string) => join(bench.home, name);
      await writeFile(file('sbom'), await (await fetch(`${revision}/sbom`, { headers })).text());
      await writeFile(file('receipt'), await (await fetch(`${revision}/receipt`, { headers })).text());
      await writeFile(file('key'), (await bench.opslog(['evidence', 'key', ...data])).stdout);
      const bundle = await readFile(await artifactPath(opslog.dataDir, bundleDigest));
      await writeFile(file('bundle'), bundle);
      const args = ['--bundle', 'bundle', '--sbom', 'sbom', '--receipt', 'receipt', '--key', 'key'];
      expect((await bench.opslog(['evidence', 'verify', ...args])).code).toBe(0);
      await writeFile(file('bundle'), Buffer.concat([bundle, Buffer.from('\n')]));
      const changed = await bench.opslog(['evidence', 'verify', ...args, '--json']);
      expect(changed.code).toBe(4);
      expect(changed.json(failed.extend({ problem: z.string() }))).toMatchObject({ problem: 'BundleMismatch' });
      expect((await bench.opslog(['evidence', 'verify', '--bundle', 'bundle'])).code).toBe(2);
    });

    test('a provider without an account is refused at once, not waited for', async () => {
      const { code, json } = await bench.opslog(['reconcile', '--provider', 'cloudflare', ...data, '--json']);
      expect(code).toBe(1);
      expect(json(failed)).toMatchObject({ code: 'provider_not_configured' });
    });

    test('doctor finds everything in order', async () => {
      const shown = z.object({
        ok: z.literal(true),
        checks: z.array(z.object({ name: z.string(), status: z.string() })),
      });
      const { checks } = (await bench.opslog(['doctor', ...data, '--json'])).json(shown);
      expect(checks.filter(({ status }) => status === 'down')).toEqual([]);
      expect(checks.map(({ name }) => name)).toEqual(
        expect.arrayContaining(['event store', 'database', 'read tables']),
      );
    });

    test('a second server on the same folder is refused with what to do', async () => {
      const { code, stderr } = await bench.opslog(['serve', ...data, '--port', '0', '--edge-port', '0']);
      expect(code).toBe(1);
      expect(stderr).toContain('--data');
    });
  });

  describe('once it has stopped', () => {
    beforeAll(async () => {
      expect(await opslog.stop()).toBe(0);
    });

    test('nothing points at it any more', async () => {
      expect(await readdir(opslog.dataDir)).not.toContain('control.json');
    });

    test('the same commands open the stores themselves, and a dead server is not waited for', async () => {
      const dead = { pid: opslog.pid, port: 9, token: 'x'.repeat(64) };
      await writeFile(join(opslog.dataDir, 'control.json'), JSON.stringify(dead));
      const { code, json } = await bench.opslog(['rebuild', ...data, '--json']);
      expect(code).toBe(0);
      expect(json(rebuilt).tables).toContain('audit_logs');
    });

    test('a reconciliation that nobody could carry out is refused at once, not waited for', async () => {
      const { code, json } = await bench.opslog(['reconcile', '--apply', ...data, '--json']);
      expect(code).toBe(1);
      expect(json(failed)).toMatchObject({ code: 'no_runner' });
    });

    test('a row that somebody changed is found and named', async () => {
      const database = await openDatabase<{ edge_workers: { status: string } }>(
        `pglite:${join(opslog.dataDir, 'database')}`,
      );
      await database.db.updateTable('edge_workers').set({ status: 'draft' }).execute();
      await database.close();
      const { code, json } = await bench.opslog(['audit', 'verify', ...data, '--json']);
      expect(code).toBe(4);
      const { tables } = json(audited);
      expect(tables.differing).toMatchObject([{ table: 'edge_workers', first: [{ kind: 'edited' }] }]);
    });

    test('a bundle that somebody changed is found', async () => {
      const args = ['evidence', 'verify', ...data, '--json'];
      const good = (await bench.opslog(args)).json(
        z.object({ revisions: z.array(z.object({ bundleDigest: z.string() })) }),
      );
      const path = await artifactPath(opslog.dataDir, good.revisions[0]?.bundleDigest ?? '');
      await writeFile(path, Buffer.concat([await readFile(path), Buffer.from(' ')]));
      const { code, json } = await bench.opslog(args);
      expect(code).toBe(4);
      expect(json(judged)).toEqual({ checked: 1, failed: 1 });
    });

    test('doctor says which of the configured servers does not answer, and what to do', async () => {
      const env = { NATS_URL: 'nats://127.0.0.1:9', DATABASE_URL: 'postgres://nobody@127.0.0.1:9/none' };
      const { code, json } = await bench.opslog(['doctor', ...data, '--json'], { env });
      expect(code).toBe(1);
      const shown = z.object({ checks: z.array(z.object({ name: z.string(), status: z.string(), hint: z.string() })) });
      const down = json(shown).checks.filter(({ status }) => status === 'down');
      expect(down.map(({ name }) => name)).toEqual(['database', 'NATS']);
      expect(down.every(({ hint }) => hint !== '')).toBe(true);
    });

    test('a folder without data is refused, not created', async () => {
      const { code, json } = await bench.opslog(['events', 'tail', '--data', 'nowhere', '--json']);
      expect(code).toBe(1);
      expect(json(failed)).toMatchObject({ code: 'data_missing' });
      expect(await readdir(bench.home)).not.toContain('nowhere');
    });

    test('doctor offers the other data folder when the port is taken', async () => {
      const other = createServer();
      await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
      const address = other.address();
      const port = typeof address === 'object' && address !== null ? String(address.port) : '';
      const { stdout } = await bench.opslog(['doctor', '--data', 'nowhere'], { env: { OPSLOG_PORT: port } });
      other.close();
      expect(stdout).toMatch(/warn +API port[\s\S]*name it with --data/);
    });

    test('a variable that makes no sense is wrong usage and named', async () => {
      const { code, stderr } = await bench.opslog(['serve'], { env: { OPSLOG_PORT: 'many' } });
      expect(code).toBe(2);
      expect(stderr).toContain('OPSLOG_PORT');
    });
  });
});

describe('The event store alone', () => {
  test('listens until it is told to stop, and says how to use it', async () => {
    const bench = await workbench();
    const child = bench.start(['eventstore', '--port', '0', '--data', 'events', '--json']);
    const { connectionString, port } = z
      .object({ connectionString: z.string(), port: z.number() })
      .parse(JSON.parse(await firstLine(child)));
    expect(connectionString).toContain(String(port));
    const env = { EVENTSTORE_URL: connectionString };
    const doctor = await bench.opslog(['doctor', '--json'], { env });
    expect(doctor.code).toBe(0);
    const second = await bench.opslog(['eventstore', '--port', '0', '--data', 'events', '--json']);
    expect(second.json(failed)).toMatchObject({ code: 'folder_in_use' });
    child.kill('SIGTERM');
    const [code] = await once(child, 'close');
    expect(code).toBe(0);
    await bench.remove();
  });

  test('prints a line that a shell takes as it stands, key and all', async () => {
    const bench = await workbench();
    const key = 'k1'.repeat(32);
    await writeFile(join(bench.home, 'key'), key, { mode: 0o600 });
    const child = bench.start(['eventstore', '--port', '0', '--data', 'events', '--key-file', join(bench.home, 'key')]);
    let text = '';
    child.stdout?.on('data', (chunk: Buffer) => {
      text += chunk.toString();
    });
    const printed = () => /^ *EVENTSTORE_URL=.*(?=\n)/m.exec(text)?.[0];
    await expect.poll(printed, { timeout: 20_000 }).toBeDefined();
    const shell = ['-c', `${printed()}\nprintf %s "$EVENTSTORE_URL"`];
    expect(execFileSync('sh', shell, { encoding: 'utf8' })).toContain(`&connectionName=${key}`);
    child.kill('SIGTERM');
    await once(child, 'close');
    await bench.remove();
  });
});

/** Where the artifact store keeps a digest, whatever its folders are. */
const artifactPath = async (dataDir: string, digest: string): Promise<string> => {
  const root = join(dataDir, 'artifacts');
  const found = (await readdir(root, { recursive: true })).find(
    (path) => path.endsWith(digest) || path.replaceAll('/', '').endsWith(digest),
  );
  return join(root, found ?? 'missing');
};
