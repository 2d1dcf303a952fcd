import { connect } from 'node:net';
import { sql } from 'kysely';
import { z } from 'zod';
import type { Config } from '../../config.ts';
import type { SqlDatabase } from '../../platform/database/port.ts';
import type { EventLog } from '../../platform/eventLog/port.ts';
import { parseNatsUrl } from '../../platform/nats/address.ts';
import { readCheckpoints } from '../../projections/engine/index.ts';
import { messageOf } from '../messageOf.ts';
import type { Operation } from './operation.ts';

const check = z.object({
  name: z.string(),
  status: z.enum(['ok', 'warn', 'down']),
  detail: z.string(),
  /** What to do about it; '' when all is well. */
  hint: z.string(),
});
export type Check = z.infer<typeof check>;

export const ok = (name: string, detail: string): Check => ({ name, status: 'ok', detail, hint: '' });
export const warn = (name: string, detail: string, hint: string): Check => ({ name, status: 'warn', detail, hint });
export const down = (name: string, detail: string, hint: string): Check => ({ name, status: 'down', detail, hint });

const none = z.strictObject({});

/** What answers and how far the read tables are, asked from inside the server that holds the stores. */
export const doctor: Operation<z.infer<typeof none>, never, Check[]> = {
  name: 'doctor',
  args: none,
  progress: z.never(),
  result: z.array(check),
  run: async ({ config, log, database, tables, checkArtifacts }) => {
    const names = tables.map(({ name }) => name);
    return [
      ...(await checkApi(config)),
      await checkLog(log),
      ...(await checkDatabase(database, names, log)),
      ...(await checkStore(config, checkArtifacts)),
      ...(await checkNats(config)),
    ];
  },
};

export const checkLog = async (log: EventLog): Promise<Check> => {
  const startedAt = performance.now();
  try {
    const head = await log.head();
    return ok('event store', `answers in ${ms(startedAt)} ms; the log ends at position ${head}`);
  } catch (error) {
    return down('event store', messageOf(error), 'Start the server that EVENTSTORE_URL names, or unset the variable.');
  }
};

/** The database, and how each read table stands against the log when that is at hand. */
export const checkDatabase = async (
  database: SqlDatabase,
  names: readonly string[],
  log: EventLog | undefined,
): Promise<readonly Check[]> => {
  const startedAt = performance.now();
  try {
    const { rows } = await sql<{ version: string }>`select version() as version`.execute(database.session);
    const version = rows[0]?.version.split(/,| on /)[0] ?? '';
    const answers = ok('database', `${database.kind} ${version}, answers in ${ms(startedAt)} ms`);
    return [answers, await checkTables(database, names, log)];
  } catch (error) {
    return [down('database', messageOf(error), 'Start the server that DATABASE_URL names, or unset the variable.')];
  }
};

const checkTables = async (
  database: SqlDatabase,
  names: readonly string[],
  log: EventLog | undefined,
): Promise<Check> => {
  const checkpoints = await readCheckpoints(database.session).catch(() => undefined);
  if (checkpoints === undefined || checkpoints.size === 0)
    return ok('read tables', 'not created yet; a start creates them');
  const stopped = [...checkpoints.values()].filter((each) => each.stopped !== '');
  if (stopped.length > 0) {
    const reasons = stopped.map(({ name, stopped: reason }) => `${name}: ${reason}`);
    return down('read tables', `stopped: ${reasons.join('; ')}`, 'Fix the cause, then run "opslog rebuild".');
  }
  const missing = names.filter((name) => !checkpoints.has(name));
  if (missing.length > 0)
    return warn('read tables', `missing: ${missing.join(', ')}`, 'A start of Opslog creates them.');
  const head = (await log?.head().catch(() => undefined)) ?? 0n;
  const behind = [...checkpoints.values()].filter(({ position }) => position < head).map(({ name }) => name);
  return behind.length === 0
    ? ok('read tables', `all ${checkpoints.size} have everything`)
    : warn(
        'read tables',
        `behind the log: ${behind.join(', ')}`,
        'A running Opslog with the projector role catches up.',
      );
};

/** The store of artifacts, where it is not a folder. What it throws says what to do by itself. */
export const checkStore = async (
  { artifacts }: Pick<Config, 'artifacts'>,
  checkArtifacts: () => Promise<void>,
): Promise<readonly Check[]> => {
  if (artifacts === undefined) return [];
  const name = 'artifacts';
  const startedAt = performance.now();
  try {
    await checkArtifacts();
    return [ok(name, `bucket ${artifacts.address.bucket}, written, read and removed in ${ms(startedAt)} ms`)];
  } catch (error) {
    return [down(name, messageOf(error), 'A bucket that cannot be used keeps the API and the runner from starting.')];
  }
};

const natsTimeoutMs = 3_000;

/** NATS greets whoever connects with one line about itself. */
export const checkNats = async ({ nats }: Config): Promise<readonly Check[]> => {
  if (!nats) return [ok('NATS', 'not configured; events are not published')];
  const { servers } = parseNatsUrl(nats.url);
  const greetings = await Promise.all(servers.map((server) => greeting(server)));
  const answering = greetings.find((each) => typeof each === 'object');
  if (typeof answering !== 'object') {
    return [down('NATS', greetings.join('; '), 'Start the server that NATS_URL names, or unset the variable.')];
  }
  return answering.jetstream
    ? [ok('NATS', `nats-server ${answering.version} with JetStream`)]
    : [down('NATS', `nats-server ${answering.version} without JetStream`, 'Start nats-server with -js.')];
};

const info = z.object({ version: z.string(), jetstream: z.boolean().default(false) });

const greeting = (server: string): Promise<z.infer<typeof info> | string> =>
  new Promise((resolve) => {
    const colon = server.lastIndexOf(':');
    const socket = connect({ host: server.slice(0, colon), port: Number(server.slice(colon + 1)) });
    let text = '';
    const end = (answer: z.infer<typeof info> | string): void => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(natsTimeoutMs, () => end(`${server} does not answer`));
    socket.on('error', (error) => end(`${server}: ${messageOf(error)}`));
    socket.on('data', (chunk) => {
      text += chunk.toString('utf8');
      const line = /^INFO (\{.*\})\s*\r?\n/.exec(text)?.[1];
      if (line !== undefined) end(parseInfo(line) ?? `${server} is no NATS server`);
      else if (text.length > 65_536) end(`${server} is no NATS server`);
    });
  });

const parseInfo = (line: string): z.infer<typeof info> | undefined => {
  try {
    return info.safeParse(JSON.parse(line)).data;
  } catch {
    return undefined;
  }
};

const ms = (since: number): string => (performance.now() - since).toFixed(1);

/** The server's own readiness, asked the way a client asks. */
const checkApi = async ({ host, port, roles }: Config): Promise<readonly Check[]> => {
  if (!roles.has('api')) return [];
  if (port === 0) return [ok('API', 'listens on a port of its own choice')];
  const anyHost = host === '0.0.0.0' || host === '::';
  const url = `http://${anyHost ? '127.0.0.1' : host.includes(':') ? `[${host}]` : host}:${port}`;
  try {
    const response = await fetch(`${url}/health/ready`, { signal: AbortSignal.timeout(5_000) });
    return [
      response.ok
        ? ok('API', `${url} is ready`)
        : warn(
            'API',
            `${url} answers ${response.status} to /health/ready`,
            'What it says there names what is missing.',
          ),
    ];
  } catch (error) {
    return [down('API', `${url}: ${messageOf(error)}`, 'Restart the server; its log says why it does not listen.')];
  }
};
