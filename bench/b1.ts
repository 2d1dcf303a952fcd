import { z } from 'zod';
import type { EventLog } from '../src/platform/eventLog/port.ts';
import { countAfter, expectAllAnswered, expectEqual, WrongResult } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { postRequest } from './lib/httpClient.ts';
import { closedLoop, type Extent, type LoadResult, openLoop, type Target } from './lib/load.ts';
import { watchMachine } from './lib/machine.ts';
import {
  enter,
  openEmbeddedLog,
  pauseAndResume,
  seedWorkers,
  startEventStore,
  startOpslog,
  untilReady,
  waitForTables,
} from './lib/opslog.ts';
import { freePort, peer, start } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { onPostgres, postgresDurability, postgresScratch, whyMissing } from './lib/services.ts';
import { median, seriesOf } from './lib/stats.ts';

export const connections = 32;
const workers = 500;

/** One way to answer a command. `check` throws unless exactly what was answered has been done since the last check. */
type Side = {
  readonly target: Target;
  /** Answers how long it took, in milliseconds, until everything that follows from the commands was done as well. */
  readonly check: (result: LoadResult) => Promise<number>;
};

const listening = z.object({ port: z.number() });

export const measureCommands = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const noPostgres = await whyMissing('PostgreSQL');
  const opslog = await startOpslogSide(context, noPostgres === '');
  const append = await startAppendSide(context, opslog.metadata);
  const insert = noPostgres === '' ? await startInsertSide(context, opslog.metadata) : undefined;
  const extent = { seconds: quick ? 2.5 : 10 };

  const run = async (name: string, { target, check }: Pick<Side, 'target' | 'check'>, extent: Extent) => {
    const since = watchMachine();
    const result = await closedLoop(target, connections, extent);
    const drainMs = await check(result);
    const cpuMs = (since().ownSeconds * 1_000) / result.answered;
    expectAllAnswered(name, result);
    return { rate: result.answered / result.seconds, seconds: result.seconds, drainMs, cpuMs, result };
  };
  for (const side of [append, opslog, ...(insert ? [insert] : [])]) {
    await run('warm-up', side, { requests: workers * (quick ? 3 : 10) });
  }

  const peaks = await repeat(context, quick ? 3 : 7, async () => ({
    append: await run('bare append', append, extent),
    opslog: await run('Opslog', opslog, extent),
    insert: insert && (await run('bare insert', insert, quick ? { seconds: 1 } : extent)),
  }));
  const rates = {
    append: peaks.map((each) => each.append.rate),
    opslog: peaks.map((each) => each.opslog.rate),
    insert: peaks.flatMap((each) => each.insert?.rate ?? []),
    visible: peaks.map(({ opslog: { result, seconds, drainMs } }) => result.answered / (seconds + drainMs / 1_000)),
  };
  const cpu = { append: peaks.map((each) => each.append.cpuMs), opslog: peaks.map((each) => each.opslog.cpuMs) };
  const drains = peaks.map((each) => each.opslog.drainMs);

  const cold = await run('Opslog', { target: opslog.cold, check: opslog.check }, { requests: workers });
  const rate = median(rates.opslog) / 2;
  const atHalf = { rate, seconds: quick ? 3 : 15 };
  const measureLatency = async (name: string, side: Side, seed: number): Promise<readonly number[]> => {
    const result = await openLoop(side.target, { ...atHalf, seed });
    expectAllAnswered(name, result);
    await side.check(result);
    return result.latencies;
  };
  const runs = await repeat(context, quick ? 2 : 5, async (repetition) => ({
    append: await measureLatency('bare append', append, 100 + repetition),
    opslog: await measureLatency('Opslog', opslog, 100 + repetition),
  }));
  const latencies = {
    append: seriesOf(runs.map((each) => each.append)),
    opslog: seriesOf(runs.map((each) => each.opslog)),
  };

  const benchmark = 'B1';
  const halfPeak = `at ${Math.round(rate)}/s`;
  const bareAppend = 'express + bare append';
  const figures: Figure[] = [
    figureOf(
      { benchmark, figure: 'commands over HTTP, 32 connections', unit: '/s' },
      { ours: rates.opslog, bare: rates.append },
      { against: bareAppend, floor: { text: '≥ 0.6 ×', holds: (_, ratio) => ratio >= 0.6 } },
    ),
    figureOf(
      { benchmark, figure: 'the same, until every read table has them', unit: '/s' },
      { ours: rates.visible, bare: rates.append },
      { against: bareAppend, note: `the tables were complete ${Math.round(median(drains))} ms after the last answer` },
    ),
    figureOf(
      { benchmark, figure: 'CPU time per command, all processes', unit: 'ms' },
      { ours: cpu.opslog, bare: cpu.append },
      { against: bareAppend, note: 'load generator, read tables and database server included' },
    ),
    figureOf(
      { benchmark, figure: 'the first command of each worker', unit: '/s' },
      { ours: [cold.rate], bare: [median(rates.append)] },
      {
        against: bareAppend,
        note: 'worker and department are read from the log first; all others find them in memory',
      },
    ),
    ...(insert
      ? [
          figureOf(
            { benchmark, figure: 'commands over HTTP, 32 connections', unit: '/s' },
            { ours: rates.opslog, bare: rates.insert },
            { against: 'express + one-row insert' },
          ),
        ]
      : []),
    figureOf(
      { benchmark, figure: `latency p50, open loop ${halfPeak}`, unit: 'ms' },
      { ours: latencies.opslog.p50, bare: latencies.append.p50 },
      { against: bareAppend },
    ),
    figureOf(
      { benchmark, figure: `latency p99, open loop ${halfPeak}`, unit: 'ms' },
      { ours: latencies.opslog.p99, bare: latencies.append.p99 },
      { against: bareAppend, floor: { text: '≤ 25 ms', holds: (value) => value <= 25 } },
    ),
  ];
  return {
    benchmark,
    title: 'commands over HTTP',
    terms: [
      'Opslog: `opslog serve` with the roles api and projector in one process, its embedded event store in a thread of it, ' +
        (noPostgres === ''
          ? 'read tables in PostgreSQL (commits of read tables not awaited: they are derived)'
          : 'PGlite'),
      `command: pause and resume, alternating over ${workers} workers; API token, idempotency key, authorisation, one event, three table writes`,
      'bare append: express 5 and @eventstore/db-client, an event of the same size, `opslog eventstore` in a process of its own',
      'both acknowledge after the event is synced to disk; the load generator is ours (raw sockets) and shares the cores',
      ...(insert ? [`one-row insert: express 5 and pg, ${await postgresDurability()}`] : []),
    ],
    figures,
    skipped: noPostgres === '' ? [] : [`express + one-row insert: PostgreSQL: ${noPostgres}`],
  };
};

const startOpslogSide = async (
  context: Context,
  onServer: boolean,
): Promise<Side & { readonly metadata: string; readonly cold: Target }> => {
  const database = onServer ? await postgresScratch() : undefined;
  if (database) context.onEnd(database.drop);
  const eventStorePort = String(await freePort());
  const opslog = await startOpslog(context, 'b1-opslog', {
    OPSLOG_ROLES: 'api,projector',
    OPSLOG_EVENTSTORE_PORT: eventStorePort,
    ...(database && { DATABASE_URL: database.url }),
  });
  await untilReady(opslog);
  const tenant = await enter(opslog);
  const log = await openEmbeddedLog(context, 'b1-opslog', eventStorePort);
  const seeded = await seedWorkers(opslog, tenant, log, 2 * workers);
  const [warm, rest] = [seeded.slice(0, workers), seeded.slice(workers)];
  const target = pauseAndResume(opslog.port, tenant, warm, (index) => `b1-command-${index}`);
  const cold = pauseAndResume(opslog.port, tenant, rest, (index) => `b1-first-command-${index}`);
  let checked = await log.head();
  const check = async ({ answered }: LoadResult): Promise<number> => {
    const head = await log.head();
    const drainMs = await waitForTables(opslog.url, tenant, head);
    expectEqual('Opslog, events in the log', await countAfter(log, checked), answered);
    if (database) {
      const commands = `select count(*) from audit_logs where position > ${checked} and action not like '%Used'`;
      const [row] = await onPostgres(commands, database.url);
      expectEqual('Opslog, rows in audit_logs', Number(row?.[0]), answered);
    }
    checked = head;
    return drainMs;
  };
  await check(await closedLoop(target, 1, { requests: 1 }));
  return { target, cold, check, metadata: await newestMetadata(log) };
};

/** What a command of Opslog writes beside the fact; the bare sides write as much. */
const newestMetadata = async (log: EventLog): Promise<string> => {
  const head = await log.head();
  for await (const { metadata } of log.readAll({ after: head - 1n })) return JSON.stringify(metadata);
  throw new WrongResult('The log is empty.');
};

const bareTarget = (port: number): Target => {
  let sent = 0;
  return {
    port,
    next: () => {
      const index = sent;
      sent += 1;
      const verb = Math.floor(index / workers) % 2 === 0 ? 'pause' : 'resume';
      return postRequest(`/workers/${index % workers}/${verb}`, { 'X-Request-Id': `b1-command-${index}` });
    },
  };
};

const startAppendSide = async (context: Context, metadata: string): Promise<Side> => {
  const store = await startEventStore(context, 'b1-bare');
  const server = start(peer('bareAppend'), [store.connectionString, metadata]);
  context.onEnd(() => server.stop());
  const { port } = listening.parse(JSON.parse(await server.firstLine));
  let checked = 0n;
  return {
    target: bareTarget(port),
    check: async ({ answered }) => {
      expectEqual('bare append, events in the log', await countAfter(store.log, checked), answered);
      checked = await store.log.head();
      return 0;
    },
  };
};

const startInsertSide = async (context: Context, metadata: string): Promise<Side> => {
  const database = await postgresScratch();
  context.onEnd(database.drop);
  const server = start(peer('bareInsert'), [database.url, metadata]);
  context.onEnd(() => server.stop());
  const { port } = listening.parse(JSON.parse(await server.firstLine));
  let checked = 0;
  return {
    target: bareTarget(port),
    check: async ({ answered }) => {
      const [row] = await onPostgres('select count(*) from commands', database.url);
      expectEqual('bare insert, rows', Number(row?.[0]) - checked, answered);
      checked += answered;
      return 0;
    },
  };
};
