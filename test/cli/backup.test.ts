import { once } from 'node:events';
import { cp, mkdir, readdir, readFile, rm, unlink, writeFile } from 'node:fs/promises';
import { get as httpGet } from 'node:http';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { failed, type Served, serve, type Workbench, workbench } from './support.ts';

const event = z.object({ position: z.string(), type: z.string(), stream: z.string() });
const backedUp = z.object({
  ok: z.boolean(),
  position: z.string(),
  epoch: z.number(),
  events: z.number(),
  artifacts: z.number(),
  keys: z.number(),
  gateClosedMs: z.number(),
});
const status = z.object({ gate: z.string(), epoch: z.number(), restoring: z.boolean(), backup: z.unknown() });
const replayed = z.object({ tables: z.array(z.object({ table: z.string(), rows: z.number(), sha256: z.string() })) });

/** The worker's answer through the edge router, which goes by the host name. */
const answerOf = (workerUrl: string, edgeUrl: string): Promise<number> =>
  new Promise((resolve, reject) => {
    const { host } = new URL(workerUrl);
    httpGet(edgeUrl, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    }).on('error', reject);
  });

let bench: Workbench;
let opslog: Served;
let data: readonly string[];
let token: string;
let workerUrl: string;
let backup: z.infer<typeof backedUp>;
/** What was acknowledged while the backup was made: name of the department, and its place in the log. */
const acknowledged: { name: string; position: bigint }[] = [];

const path = (name: string): string => join(bench.home, name);

beforeAll(async () => {
  bench = await workbench();
  opslog = await serve(bench, path('data'));
  data = ['--data', opslog.dataDir];
  const login = ['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'];
  await bench.opslog(login, { input: opslog.admin.password ?? '' });
  await bench.opslog(['department', 'create', 'Sales']);
  await bench.opslog(['init', 'hello']);
  workerUrl = (await bench.opslog(['deploy', 'hello'])).stdout.trim();
  const profile = z.object({ servers: z.record(z.string(), z.object({ token: z.string() })) });
  const kept = profile.parse(JSON.parse(await readFile(path('config/opslog/profile.json'), 'utf8')));
  token = kept.servers[opslog.url]?.token ?? '';
}, 60_000);
afterAll(async () => {
  await opslog?.stop();
  await bench.remove();
});

const createDepartments = async (signal: AbortSignal): Promise<void> => {
  const { worker } = (await bench.opslog(['status', 'hello', '--json'])).json(
    z.object({ worker: z.object({ workspaceId: z.string() }) }),
  );
  for (let n = 1; !signal.aborted; n += 1) {
    const name = `Department ${n}`;
    const response = await fetch(`${opslog.url}/workspaces/${worker.workspaceId}/departments`, {
      method: 'POST',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name, slug: `department-${n}` }),
    });
    await response.text();
    const position = response.headers.get('opslog-position');
    if (response.status === 201 && position !== null) acknowledged.push({ name, position: BigInt(position) });
  }
};

describe('A closed gate', () => {
  test('refuses deploying and rolling back by its code, workers go on answering, and its end opens it', async () => {
    const begun = await bench.opslog(['maintenance', 'begin', '--reason', 'new disks', ...data, '--json']);
    expect(begun.json(status)).toMatchObject({ gate: 'closed', epoch: 1 });
    for (const refused of [
      await bench.opslog(['deploy', 'hello', '--json']),
      await bench.opslog(['rollback', 'hello', '--json']),
    ]) {
      expect(refused.json(failed)).toMatchObject({ code: 'edge_workers_maintenance' });
    }
    expect(await answerOf(workerUrl, opslog.edgeUrl)).toBe(200);
    const ended = await bench.opslog(['maintenance', 'end', ...data, '--json']);
    expect(ended.json(status)).toMatchObject({ gate: 'open' });
    expect((await bench.opslog(['deploy', 'hello'])).code).toBe(0);
  }, 60_000);
});

describe('A backup of a living installation under load', () => {
  beforeAll(async () => {
    const stop = new AbortController();
    const load = createDepartments(stop.signal);
    await vi.waitUntil(() => acknowledged.length > 5, { timeout: 30_000 });
    const made = await bench.opslog(['backup', 'backup', '--with-keys', 'vault.keys', ...data, '--json']);
    backup = made.json(backedUp);
    const before = acknowledged.length;
    await vi.waitUntil(() => acknowledged.length > before + 5, { timeout: 30_000 });
    stop.abort();
    await load;
  }, 90_000);

  test('is complete, says how long the gate was closed, and leaves it open', async () => {
    expect(backup).toMatchObject({ ok: true, epoch: 1, keys: 3 });
    expect(backup.artifacts).toBeGreaterThan(1);
    expect(backup.gateClosedMs).toBeGreaterThan(0);
    const now = (await bench.opslog(['maintenance', 'status', ...data, '--json'])).json(status);
    expect(now).toMatchObject({ gate: 'open', backup: null });
    expect((await bench.opslog(['restore', 'backup', '--check'])).code).toBe(0);
  });

  test('does not overwrite what is there', async () => {
    const again = await bench.opslog(['backup', 'backup', ...data, '--json']);
    expect(again.json(failed)).toMatchObject({ code: 'target_exists' });
  });

  test('with any file changed, missing or added is refused by name, and nothing is written', async () => {
    const files = (await readdir(path('backup'), { recursive: true })).filter((name) => /artifacts\/..\/./.test(name));
    const [artifact = ''] = files;
    const damages: readonly (readonly [kind: string, name: string, damage: (copy: string) => Promise<void>])[] = [
      ['changed', artifact, (copy) => writeFile(join(copy, artifact), 'something else')],
      ['missing', artifact, (copy) => unlink(join(copy, artifact))],
      ['extra', 'keys/surplus', (copy) => writeFile(join(copy, 'keys/surplus'), 'x')],
    ];
    for (const [kind, name, damage] of damages) {
      const copy = path(`damaged-${kind}`);
      await cp(path('backup'), copy, { recursive: true });
      await damage(copy);
      const refused = await bench.opslog(['restore', copy, '--data', 'nowhere', '--json']);
      expect(refused.code).toBe(4);
      expect(refused.json(failed.loose())).toMatchObject({ code: 'backup_damaged', [kind]: [name] });
    }
    await rm(path('damaged-missing/manifest.json'));
    const unfinished = await bench.opslog(['restore', 'damaged-missing', '--data', 'nowhere', '--json']);
    expect(unfinished.json(failed)).toMatchObject({ code: 'backup_unfinished' });
    expect(await readdir(bench.home)).not.toContain('nowhere');
  }, 60_000);

  test('is not put into a folder that holds something, and only with its own keys', async () => {
    const onto = await bench.opslog(['restore', 'backup', ...data, '--json']);
    expect(onto.json(failed)).toMatchObject({ code: 'folder_not_empty' });
    const kept = await readFile(path('vault.keys'), 'utf8');
    await writeFile(path('other.keys'), kept.replace(/"backupId":"[^"]+"/, '"backupId":"another"'));
    const other = await bench.opslog(['restore', 'backup', '--keys', 'other.keys', '--data', 'nowhere', '--json']);
    expect(other.json(failed)).toMatchObject({ code: 'keys_of_another' });
  });
});

describe('Half of a restore', () => {
  test('is not served, and is made whole by running it again', async () => {
    await mkdir(path('half'));
    await writeFile(
      path('half/restore.json'),
      JSON.stringify({ status: 'writing', restoreId: 'r', backupId: 'b', position: '1' }),
    );
    await mkdir(path('half/eventstore'));
    await writeFile(path('half/eventstore/data.mdb'), 'half of a log');
    const served = await bench.opslog(['serve', '--data', 'half', '--port', '0', '--edge-port', '0', '--json']);
    expect(served.json(failed)).toMatchObject({ code: 'restore_unfinished' });
    const again = await bench.opslog(['restore', 'backup', '--keys', 'vault.keys', '--data', 'half', '--json']);
    expect(again.code).toBe(0);
  }, 60_000);
});

describe('The restored installation', () => {
  let restored: Served;
  const there = () => ['--data', path('half')];
  const replayOf = async (where: readonly string[]) =>
    (await bench.opslog(['replay', '--at', backup.position, ...where, '--json'])).json(replayed).tables;

  beforeAll(async () => {
    restored = await serve(bench, path('half'));
  }, 60_000);
  afterAll(async () => {
    await restored?.stop();
  });

  test('has everything acknowledged before the fence, and nothing after it', async () => {
    const args = ['events', 'tail', '--from', '0', '--no-follow', '--json'];
    const original = (await bench.opslog([...args, ...data])).lines().map((line) => event.parse(line));
    const kept = (await bench.opslog([...args, ...there()])).lines().map((line) => event.parse(line));
    const fence = BigInt(backup.position);
    const upTo = (events: readonly z.infer<typeof event>[]) =>
      events.filter(({ position }) => BigInt(position) <= fence);
    expect(upTo(kept)).toEqual(upTo(original));
    expect(upTo(kept)).toHaveLength(backup.events);
    expect(upTo(kept).at(-1)?.type).toBe('EdgeBackupFenced');
    const after = kept.filter(({ position }) => BigInt(position) > fence).map(({ type }) => type);
    expect(after).not.toContain('DepartmentCreated');
    expect(after.slice(0, 2)).toEqual(['EdgeScopeRestored', 'EdgeScopeResynced']);
    const positions = new Set(kept.map(({ position }) => BigInt(position)));
    const early = acknowledged.filter(({ position }) => position <= fence);
    expect(early.length).toBeGreaterThan(0);
    expect(early.filter(({ position }) => !positions.has(position))).toEqual([]);
    expect(acknowledged.some(({ position }) => position > fence)).toBe(true);
  }, 60_000);

  test('rebuilds the tables that a replay of the original gives at that position, and its own are in order', async () => {
    expect(await replayOf(there())).toEqual(await replayOf(data));
    expect((await bench.opslog(['audit', 'verify', ...there()])).code).toBe(0);
  }, 60_000);

  test('begins a new epoch, opens its gate after resyncing, and its workers answer', async () => {
    const now = (await bench.opslog(['maintenance', 'status', ...there(), '--json'])).json(status);
    expect(now).toMatchObject({ gate: 'open', epoch: 2, restoring: false, backup: null });
    expect(await answerOf(workerUrl, restored.edgeUrl)).toBe(200);
    const resynced = await bench.opslog(['resync', ...there(), '--json']);
    expect(resynced.json(z.object({ kept: z.array(z.string()) })).kept).toHaveLength(1);
  }, 60_000);
});

describe('kill -9 in the middle of a backup', () => {
  test('leaves something that is no backup, and the next start opens the gate', async () => {
    await opslog.stop();
    const child = bench.start(['backup', 'killed', ...data]);
    await expect.poll(async () => readdir(bench.home), { timeout: 30_000 }).toContain('killed.partial');
    // The fence is raised after its folder is made: seen in the log once the process is gone.
    child.kill('SIGKILL');
    await once(child, 'close');
    expect(await readdir(bench.home)).not.toContain('killed');
    const half = await bench.opslog(['restore', 'killed.partial', '--data', 'nowhere', '--json']);
    expect(half.json(failed)).toMatchObject({ code: 'backup_unfinished' });
    opslog = await serve(bench, opslog.dataDir);
    const now = (await bench.opslog(['maintenance', 'status', ...data, '--json'])).json(status);
    expect(now).toMatchObject({ gate: 'open', backup: null });
  }, 60_000);
});
