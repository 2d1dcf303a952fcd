import { setTimeout as sleep } from 'node:timers/promises';
import { expectAllAnswered } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { getRequest, jsonRequest } from './lib/httpClient.ts';
import { flood, openLoop, type Target } from './lib/load.ts';
import {
  enter,
  enterAnother,
  openEmbeddedLog,
  pauseAndResume,
  seedWorkers,
  startOpslog,
  untilReady,
} from './lib/opslog.ts';
import { freePort } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { onPostgres, postgresScratch, whyMissing } from './lib/services.ts';
import { percentile } from './lib/stats.ts';

const connections = 64;
const rate = 100;
const workers = 200;

/** What the other tenant asks on and on, by number of the request. */
type Attack = {
  readonly name: string;
  readonly request: (index: number, token: string, other: Other) => string | Uint8Array;
};
type Other = Awaited<ReturnType<typeof enterAnother>>;

const base = ({ workspaceId }: Other): string => `/workspaces/${workspaceId}`;
const source = 'export default { fetch: () => new Response("hello") };';
const submission = JSON.stringify({ files: [{ path: 'index.ts', content: source }] });
const large = JSON.stringify({ name: 1, slug: 'x' }).padEnd(1_000_000);

/** Made once for each token, so that making them does not slow down who measures. */
const madeRequests = new Map<string, Uint8Array>();
const largeRequest = (path: string, token: string): Uint8Array => {
  const made = madeRequests.get(token) ?? Buffer.from(jsonRequest(path, { Authorization: `Bearer ${token}` }, large));
  madeRequests.set(token, made);
  return made;
};

const attacks: readonly Attack[] = [
  { name: 'reads', request: (_, token, other) => getRequest(`${base(other)}/departments?limit=50`, token) },
  {
    name: 'commands',
    request: (index, token, other) =>
      jsonRequest(
        `${base(other)}/departments`,
        { Authorization: `Bearer ${token}` },
        JSON.stringify({ name: `Flood ${index}`, slug: `flood-${index}` }),
      ),
  },
  {
    name: 'submissions',
    request: (_, token, other) =>
      jsonRequest(
        `${base(other)}/departments/${other.departmentId}/worker/revisions`,
        { Authorization: `Bearer ${token}` },
        submission,
      ),
  },
  {
    name: 'bodies of 1 MB',
    request: (_, token, other) => largeRequest(`${base(other)}/departments`, token),
  },
  {
    name: 'looks back',
    request: (index, token, other) =>
      getRequest(`${base(other)}/departments?at=${new Date(Date.now() - 5 - (index % 50)).toISOString()}`, token),
  },
];

/** How slow one tenant becomes by what another asks without end: limits of the default configuration. */
export const measureFlood = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const noPostgres = await whyMissing('PostgreSQL');
  const database = noPostgres === '' ? await postgresScratch() : undefined;
  if (database) context.onEnd(database.drop);
  const eventStorePort = String(await freePort());
  const opslog = await startOpslog(context, 'flood', {
    OPSLOG_ROLES: 'api,projector',
    OPSLOG_EVENTSTORE_PORT: eventStorePort,
    OPSLOG_REQUESTS_PER_SECOND: '200',
    OPSLOG_WORKSPACE_REQUESTS_PER_SECOND: '500',
    ...(database && { DATABASE_URL: database.url }),
  });
  await untilReady(opslog);
  const tenant = await enter(opslog);
  const log = await openEmbeddedLog(context, 'flood', eventStorePort);
  const seeded = await seedWorkers(opslog, tenant, log, workers);
  // The planner should know the tables as it does after some minutes of a real life.
  if (database) await onPostgres('analyze', database.url);
  const other = await enterAnother(opslog, tenant.session, 16);

  const commands = pauseAndResume(opslog.port, tenant, seeded, (index) => `flood-command-${index}`);
  let asked = 0;
  const ours: Target = {
    port: opslog.port,
    next: () => {
      asked += 1;
      const read = getRequest(`/workspaces/${tenant.workspaceId}/departments?limit=20`, tenant.token);
      return asked % 2 === 0 ? read : commands.next();
    },
  };
  const loop = { rate, seconds: quick ? 4 : 15 };
  const measure = async (seed: number): Promise<readonly number[]> => {
    const result = await openLoop(ours, { ...loop, seed });
    expectAllAnswered('the quiet tenant', result);
    return result.latencies;
  };
  let sent = 0;
  const attackOf = ({ request }: Attack, tokens: readonly string[]): Target => ({
    port: opslog.port,
    next: () => {
      sent += 1;
      return request(sent, tokens[sent % tokens.length] ?? '', other);
    },
  });
  await openLoop(ours, { ...loop, seed: 1 });

  const figures: Figure[] = [];
  for (const attack of attacks) {
    for (const tokens of [other.tokens.slice(0, 1), other.tokens]) {
      const notes: string[] = [];
      const rounds = await repeat(context, quick ? 3 : 5, async (repetition) => {
        const alone = await measure(100 + repetition);
        const attacker = flood(attackOf(attack, tokens), connections);
        const besieged = await measure(100 + repetition);
        const told = await attacker.stop();
        notes.push([...told].map(([status, count]) => `${count} × ${status === 0 ? 'cut off' : status}`).join(', '));
        // The buckets fill again, so that each round begins with the burst that is allowed.
        await sleep(3_000);
        return { alone, besieged };
      });
      const at = (share: number) => ({
        ours: rounds.map(({ besieged }) => percentile(besieged, share)),
        bare: rounds.map(({ alone }) => percentile(alone, share)),
      });
      const name = `beside ${attack.name}, ${tokens.length === 1 ? 'one token' : `${tokens.length} tokens`}`;
      const against = 'alone';
      const floor = { text: '≤ 2 ×', holds: (_: number, ratio: number) => ratio <= 2 };
      figures.push(
        figureOf({ benchmark: 'FLOOD', figure: `p50 ${name}`, unit: 'ms' }, at(0.5), { against }),
        figureOf({ benchmark: 'FLOOD', figure: `p99 ${name}`, unit: 'ms' }, at(0.99), {
          ...{ against, floor },
          note: `told the other tenant, by round: ${notes.join(' | ')}`,
        }),
      );
    }
  }
  return {
    benchmark: 'FLOOD',
    title: 'one tenant while another asks without end',
    terms: [
      `the quiet tenant: ${rate}/s in an open loop, half of them lists and half of them commands (pause and resume of ${workers} workers)`,
      `the other one: ${connections} connections in a closed loop, which heed no answer and begin at the same moment`,
      'limits of the default configuration: 200/s for a token, 500/s for a workspace',
      noPostgres === '' ? 'read tables in PostgreSQL' : 'read tables in PGlite',
    ],
    figures,
    skipped: [],
  };
};
