import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { z } from 'zod';
import { openEventLog } from '../../src/platform/eventLog/open.ts';
import type { EventLog } from '../../src/platform/eventLog/port.ts';
import type { Context } from './context.ts';
import { eventsToBegin, type Plan, type WorkerIds, writeHistory } from './history.ts';
import { postRequest } from './httpClient.ts';
import type { Target } from './load.ts';
import { freePort, program, type Running, start, untilAnswers } from './processes.ts';

export type EventStoreProcess = {
  readonly process: Running;
  readonly connectionString: string;
  readonly log: EventLog;
};

const listening = z.object({ connectionString: z.string() });

/** The event store of the program, alone in a process of its own, on a new folder. */
export const startEventStore = async (context: Context, name: string): Promise<EventStoreProcess> => {
  const data = join(context.folder, name);
  await mkdir(data, { recursive: true });
  const process = start(program, ['--json', 'eventstore', '--port', '0', '--data', data]);
  context.onEnd(() => process.stop());
  const { connectionString } = listening.parse(JSON.parse(await process.firstLine));
  const log = await openEventLog({ connectionString });
  context.onEnd(() => log.close());
  return { process, connectionString, log };
};

export type OpslogProcess = { readonly process: Running; readonly port: number; readonly url: string };

const password = 'benchmark-password-1';

/** `opslog serve` with limits that no benchmark meets, and a log of warnings only. */
export const startOpslog = async (
  context: Context,
  name: string,
  settings: Readonly<Record<string, string>>,
): Promise<OpslogProcess> => {
  const port = await freePort();
  const process = start(program, ['serve'], {
    OPSLOG_DATA_DIR: join(context.folder, name),
    OPSLOG_PORT: String(port),
    OPSLOG_EDGE_PORT: '0',
    OPSLOG_ADMIN_PASSWORD: password,
    OPSLOG_REQUESTS_PER_SECOND: '1000000',
    OPSLOG_WORKSPACE_REQUESTS_PER_SECOND: '1000000',
    OPSLOG_LOG_LEVEL: 'warn',
    ...settings,
  });
  context.onEnd(() => process.stop());
  return { process, port, url: `http://127.0.0.1:${port}` };
};

/** The embedded event store of a running program, for which its data folder has the key. */
export const openEmbeddedLog = async (context: Context, name: string, port: string): Promise<EventLog> => {
  const key = await readFile(join(context.folder, name, 'eventstore.key'), 'utf8');
  const log = await openEventLog({ connectionString: `esdb://127.0.0.1:${port}?tls=false&connectionName=${key}` });
  context.onEnd(() => log.close());
  return log;
};

export const untilReady = ({ process, url }: OpslogProcess, from = performance.now()): Promise<number> =>
  untilAnswers(process, `${url}/health/ready`, from);

const call = async <Schema extends z.ZodType>(
  schema: Schema,
  url: string,
  token: string,
  body?: unknown,
): Promise<z.output<Schema>> => {
  const response = await fetch(url, {
    method: body === undefined ? 'GET' : 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  if (!response.ok) throw new Error(`${url} answered ${response.status}: ${text.slice(0, 300)}`);
  return schema.parse(JSON.parse(text));
};

export type Tenant = {
  readonly workspaceId: string;
  /** Of an API token. */
  readonly token: string;
  /** Of the administrator's session. */
  readonly session: string;
};

type Access = Pick<Tenant, 'workspaceId' | 'token'>;

/** Another workspace of the same administrator, with a department and several API tokens. */
export const enterAnother = async (
  { url }: OpslogProcess,
  session: string,
  tokens: number,
): Promise<{ readonly workspaceId: string; readonly departmentId: string; readonly tokens: readonly string[] }> => {
  const thing = z.object({ id: z.string() });
  const { id: workspaceId } = await call(thing, `${url}/workspaces`, session, { name: 'Another', slug: 'another' });
  const base = `${url}/workspaces/${workspaceId}`;
  const department = await call(thing, `${base}/departments`, session, { name: 'Flood', slug: 'flood' });
  const issued = await Promise.all(
    Array.from({ length: tokens }, (_, at) =>
      call(z.object({ token: z.string() }), `${base}/api-tokens`, session, { name: `flood ${at}`, role: 'ADMIN' }),
    ),
  );
  return { workspaceId, departmentId: department.id, tokens: issued.map(({ token }) => token) };
};

/** Signs the administrator in and issues the API token that all commands are sent with. */
export const enter = async ({ url }: OpslogProcess): Promise<Tenant> => {
  const credentials = { email: 'admin@opslog.local', password };
  const { token: session } = await call(z.object({ token: z.string() }), `${url}/auth/sessions`, '', credentials);
  const workspaceId = await firstWorkspace(url, session);
  const request = { name: 'bench', role: 'ADMIN' };
  const tokens = `${url}/workspaces/${workspaceId}/api-tokens`;
  const { token } = await call(z.object({ token: z.string() }), tokens, session, request);
  return { workspaceId, token, session };
};

/** The one of a fresh installation, once it is in the read tables. */
const firstWorkspace = async (url: string, session: string): Promise<string> => {
  const page = z.object({ items: z.array(z.object({ id: z.string() })) });
  for (const until = performance.now() + 30_000; performance.now() < until; await sleep(20)) {
    const [workspace] = (await call(page, `${url}/workspaces`, session)).items;
    if (workspace) return workspace.id;
  }
  throw new Error('There is no workspace.');
};

/** Writes workers that are on the air into the log of a running program, and waits until it can tell of the last one. */
export const seedWorkers = async (
  { url }: OpslogProcess,
  { workspaceId, token }: Access,
  log: EventLog,
  count: number,
): Promise<readonly WorkerIds[]> => {
  const plan: Plan = { events: count * eventsToBegin, workers: count, textLength: 20, deployed: true, seed: 7 };
  const { workers } = await writeHistory(log, workspaceId, plan);
  await waitForTables(url, { workspaceId, token }, await log.head());
  return workers;
};

/** Asks until the read tables hold everything up to the position; answers how long that took, in milliseconds. */
export const waitForTables = async (url: string, { workspaceId, token }: Access, position: bigint): Promise<number> => {
  const startedAt = performance.now();
  const path = `${url}/workspaces/${workspaceId}?waitFor=${position}`;
  for (let attempt = 0; attempt < 10; attempt += 1) {
    const response = await fetch(path, { headers: { authorization: `Bearer ${token}` } });
    await response.arrayBuffer();
    if (response.ok) return performance.now() - startedAt;
  }
  throw new Error('The read tables do not catch up.');
};

/**
 * Pauses each worker in turn, then resumes each, and so on: every command leads to exactly one event as long as no more
 * are under way than there are workers. `about` names each command in its request and correlation ids.
 */
export const pauseAndResume = (
  port: number,
  { workspaceId, token }: Access,
  workers: readonly WorkerIds[],
  about: (index: number) => string,
): Target => {
  let sent = 0;
  const paused = workers.map((worker) => worker.paused);
  return {
    port,
    next: () => {
      const index = sent;
      sent += 1;
      const at = index % workers.length;
      const worker = workers[at];
      if (worker === undefined) throw new Error('There are no workers.');
      const verb = paused[at] ? 'resume' : 'pause';
      paused[at] = !paused[at];
      const name = about(index);
      return postRequest(`/workspaces/${workspaceId}/departments/${worker.departmentId}/worker/${verb}`, {
        Authorization: `Bearer ${token}`,
        'Idempotency-Key': name,
        'X-Request-Id': name,
        'X-Correlation-Id': name,
      });
    },
  };
};
