import { setInterval } from 'node:timers/promises';
import { z } from 'zod';
import { callWorker, createCaller } from '../src/demo/caller.ts';
import { machineStage } from '../src/demo/stage.ts';
import { tellStory } from '../src/demo/story.ts';
import { connections } from './b1.ts';
import { expectAllAnswered, expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { writeHistory } from './lib/history.ts';
import { closedLoop, type LoadResult, type Target } from './lib/load.ts';
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
import { freePort, peer, residentBytes, start, untilAnswers } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { postgresScratch, whyMissing } from './lib/services.ts';

export const measureFootprint = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const starts = await measureStarts(context);
  const noPostgres = await whyMissing('PostgreSQL');
  const memory = noPostgres === '' ? await measureMemory(context) : [];
  return {
    benchmark: 'B8',
    title: 'start and memory',
    terms: [
      'start: `opslog serve` with every role, embedded event store and PGlite, on a folder that an earlier process left; the deployed worker answers as soon as it is ready',
      'bare: a bundled express with one route, from the start of the process to its first answer',
      'memory: the role api alone, with event store and projector in processes of their own, at the peak of 32 connections; ' +
        'bare: express and @eventstore/db-client under the same load',
    ],
    figures: [...starts, ...memory],
    skipped: noPostgres === '' ? [] : [`memory: PostgreSQL: ${noPostgres}`],
  };
};

// ---- start -------------------------------------------------------------------------------------------------------

const measureStarts = async (context: Context): Promise<readonly Figure[]> => {
  const { quick } = context;
  const eventStorePort = String(await freePort());
  const edgePort = await freePort();
  const settings = { OPSLOG_EVENTSTORE_PORT: eventStorePort, OPSLOG_EDGE_PORT: String(edgePort) };
  const prepared = await prepareFolder(context, settings, eventStorePort, quick ? 5_000 : 20_000);

  const starts = await repeat(context, quick ? 3 : 7, async () => {
    const bareMs = await startBare(context);
    const startedAt = performance.now();
    const opslog = await startOpslog(context, 'b8-opslog', settings);
    const liveMs = await untilAnswers(opslog.process, `${opslog.url}/health/live`, startedAt);
    const readyMs = await untilReady(opslog, startedAt);
    const { status, body } = await callWorker(prepared.workerUrl, '/?name=Ada');
    expectEqual('The worker after a start', `${status} ${body}`, prepared.answer);
    await opslog.process.stop();
    return { bareMs, liveMs, readyMs };
  });
  const bare = starts.map((each) => each.bareMs);
  const live = starts.map((each) => each.liveMs);
  const ready = starts.map((each) => each.readyMs);
  const against = 'bare express';
  const note = `${prepared.events} events in the folder`;
  return [
    figureOf(
      { benchmark: 'B8', figure: 'start until /health/live', unit: 'ms' },
      { ours: live, bare },
      { against, note, floor: { text: '≤ 1,500 ms', holds: (value) => value <= 1_500 } },
    ),
    figureOf(
      { benchmark: 'B8', figure: 'start until /health/ready', unit: 'ms' },
      { ours: ready, bare },
      { against, floor: { text: '≤ 4,000 ms', holds: (value) => value <= 4_000 } },
    ),
  ];
};

/** A worker that is really on the air, and some thousand events besides. */
const prepareFolder = async (
  context: Context,
  settings: Readonly<Record<string, string>>,
  eventStorePort: string,
  wanted: number,
) => {
  const opslog = await startOpslog(context, 'b8-opslog', settings);
  await untilReady(opslog);
  const tenant = await enter(opslog);
  const { workerUrl, answer } = await tellStory({
    ...{ call: createCaller(opslog.url, tenant.session), say: () => {}, stage: machineStage },
  });
  const log = await openEmbeddedLog(context, 'b8-opslog', eventStorePort);
  const plan = { events: wanted, workers: Math.round(wanted / 20), textLength: 60, deployed: false, seed: 9 };
  const { events } = await writeHistory(log, tenant.workspaceId, plan);
  await waitForTables(opslog.url, tenant, await log.head());
  await opslog.process.stop();
  return { workerUrl, answer: `${answer.status} ${answer.body}`, events };
};

const startBare = async (context: Context): Promise<number> => {
  const port = await freePort();
  const startedAt = performance.now();
  const server = start(peer('bareServer'), [String(port)]);
  context.onEnd(() => server.stop());
  const ms = await untilAnswers(server, `http://127.0.0.1:${port}/health/live`, startedAt);
  await server.stop();
  return ms;
};

// ---- memory ------------------------------------------------------------------------------------------------------

const listening = z.object({ port: z.number() });
const megabyte = 1_000_000;

const measureMemory = async (context: Context): Promise<readonly Figure[]> => {
  const { quick } = context;
  const database = await postgresScratch();
  context.onEnd(database.drop);
  const store = await startEventStore(context, 'b8-store');
  const shared = { EVENTSTORE_URL: store.connectionString, DATABASE_URL: database.url };
  await startOpslog(context, 'b8-projector', { ...shared, OPSLOG_ROLES: 'projector' });
  const api = await startOpslog(context, 'b8-api', { ...shared, OPSLOG_ROLES: 'api' });
  await untilReady(api);
  const tenant = await enter(api);
  const workers = await seedWorkers(api, tenant, store.log, 500);
  const target = pauseAndResume(api.port, tenant, workers, (index) => `b8-command-${index}`);

  const bareStore = await startEventStore(context, 'b8-bare');
  const bareServer = start(peer('bareAppend'), [bareStore.connectionString, '{}']);
  context.onEnd(() => bareServer.stop());
  const { port } = listening.parse(JSON.parse(await bareServer.firstLine));
  let sent = 0;
  const bareTarget: Target = {
    port,
    next: () => `POST /workers/${sent++ % 500}/pause HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 0\r\n\r\n`,
  };

  // Every worker is in memory before anything is measured.
  await closedLoop(target, connections, { requests: 1_000 });
  const seconds = quick ? 3 : 15;
  const runs = await repeat(context, quick ? 2 : 5, async () => {
    const bare = await underLoad(bareServer.pid, bareTarget, seconds);
    const ours = await underLoad(api.process.pid, target, seconds);
    await waitForTables(api.url, tenant, await store.log.head());
    return { bare, ours };
  });
  const memory = { ours: runs.map((run) => run.ours.peak), bare: runs.map((run) => run.bare.peak) };
  const rateOf = ({ answered, seconds: took }: LoadResult): number => answered / took;
  const rates = { ours: runs.map((run) => rateOf(run.ours.result)), bare: runs.map((run) => rateOf(run.bare.result)) };
  const highest = residentBytes(api.process.pid).peak / megabyte;
  const against = 'express + bare append';
  return [
    figureOf({ benchmark: 'B8', figure: 'memory of the API at peak', unit: 'MB' }, memory, {
      against,
      floor: { text: '≤ 250 MB', holds: () => Math.max(...memory.ours) <= 250 },
      note: `judged by the highest sample; the most it ever had, its start included, is ${highest.toFixed(0)} MB`,
    }),
    figureOf({ benchmark: 'B8', figure: 'commands over HTTP, one process per role', unit: '/s' }, rates, { against }),
  ];
};

/** Highest resident memory of the process while it serves, sampled ten times a second. */
const underLoad = async (
  pid: number,
  target: Target,
  seconds: number,
): Promise<{ readonly peak: number; readonly result: LoadResult }> => {
  let peak = 0;
  const stopping = new AbortController();
  const sample = async (): Promise<void> => {
    try {
      for await (const _ of setInterval(100, undefined, { signal: stopping.signal })) {
        peak = Math.max(peak, residentBytes(pid).now / megabyte);
      }
    } catch (error) {
      if (!stopping.signal.aborted) throw error;
    }
  };
  const sampling = sample();
  const result = await closedLoop(target, connections, { seconds });
  stopping.abort();
  await sampling;
  expectAllAnswered('Under load', result);
  return { peak, result };
};
