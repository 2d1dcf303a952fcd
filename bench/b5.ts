import { randomBytes } from 'node:crypto';
import { ANY, END, EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { expectAllAnswered, expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { closedLoop, onSchedule, openLoop } from './lib/load.ts';
import {
  enter,
  openEmbeddedLog,
  pauseAndResume,
  seedWorkers,
  startEventStore,
  startOpslog,
  untilReady,
} from './lib/opslog.ts';
import { freePort } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, type Floor, figureOf, type Section } from './lib/report.ts';
import { natsServer, postgresScratch, whyMissing } from './lib/services.ts';
import { type Series, seriesOf } from './lib/stats.ts';
import { deleteStream, untilSeen, watchMessages, watchRows } from './lib/watchers.ts';

const rate = 200;
const workers = 500;

type Plan = { readonly seconds: number; readonly seed: number };
/** Milliseconds from the moment at which a command was due to what it led to. */
type Latencies = Readonly<Record<'row' | 'message', readonly number[]>>;

export const measureLatency = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const noPostgres = await whyMissing('PostgreSQL');
  const noNats = await whyMissing('NATS');
  const section = { benchmark: 'B5', title: `from a command to what follows, ${rate} commands/s, open loop`, terms };
  if (noPostgres !== '') return { ...section, figures: [], skipped: [`everything: PostgreSQL: ${noPostgres}`] };

  const ours = await startOurs(context, noNats === '');
  const ping = await startPing(context);
  await ping({ seconds: 1, seed: 1 });
  await ours({ seconds: quick ? 1 : 5, seed: 1 });
  const runs = await repeat(context, quick ? 2 : 5, async (repetition) => {
    const plan = { seconds: quick ? 5 : 20, seed: 200 + repetition };
    return { ping: await ping(plan), ...(await ours(plan)) };
  });
  const series = {
    ping: seriesOf(runs.map((run) => run.ping)),
    row: seriesOf(runs.map((run) => run.row)),
    message: seriesOf(runs.map((run) => run.message)),
  };
  const figures = (figure: string, measured: Series): Figure[] =>
    (['p50', 'p99'] as const).map((share) =>
      figureOf(
        { benchmark: 'B5', figure: `${figure}, ${share}`, unit: 'ms' },
        { ours: measured[share], bare: series.ping[share] },
        { against: 'bare append → subscription', floor: floors[share] },
      ),
    );
  return {
    ...section,
    figures: [
      ...figures('command → visible row', series.row),
      ...(noNats === '' ? figures('command → NATS consumer', series.message) : []),
    ],
    skipped: noNats === '' ? [] : [`command → NATS consumer: NATS: ${noNats}`],
  };
};

const terms = [
  `command: pause and resume, alternating over ${workers} workers that are in memory`,
  'Opslog: `opslog serve` with the roles api, projector and publisher in one process; PostgreSQL; JetStream with file storage',
  'a row is seen by a query on a connection of its own, asked when a commit notifies of new rows; a message by an ordered JetStream consumer',
  'bare: @eventstore/db-client appends one event and its own subscription sees it; `opslog eventstore` in a process of its own',
  'counted from the moment at which the command was due, so the command itself and all waiting are in it',
];

const floors: Readonly<Record<'p50' | 'p99', Floor>> = {
  p50: { text: '≤ 10 ms', holds: (value) => value <= 10 },
  p99: { text: '≤ 50 ms', holds: (value) => value <= 50 },
};

const startOurs = async (context: Context, onNats: boolean): Promise<(plan: Plan) => Promise<Latencies>> => {
  const database = await postgresScratch();
  context.onEnd(database.drop);
  const unique = randomBytes(6).toString('hex');
  const stream = `OPSLOG_BENCH_${unique}`;
  if (onNats) context.onEnd(() => deleteStream(natsServer, stream));
  const eventStorePort = String(await freePort());
  const opslog = await startOpslog(context, 'b5-opslog', {
    OPSLOG_ROLES: 'api,projector,publisher',
    OPSLOG_EVENTSTORE_PORT: eventStorePort,
    DATABASE_URL: database.url,
    ...(onNats && { NATS_URL: natsServer, OPSLOG_NATS_STREAM: stream, OPSLOG_NATS_SUBJECTS: `opslog_bench_${unique}` }),
  });
  await untilReady(opslog);
  const tenant = await enter(opslog);
  const log = await openEmbeddedLog(context, 'b5-opslog', eventStorePort);
  const seeded = await seedWorkers(opslog, tenant, log, workers);
  let due: number[] = [];
  let run = 0;
  const nameOf = (index: number): string => `b5-command-${run}-${index}`;
  const target = pauseAndResume(opslog.port, tenant, seeded, (index) =>
    run === 0 ? `b5-warm-up-${index}` : nameOf(due.length - 1),
  );

  // Every worker is in memory before anything is measured.
  await closedLoop(target, 32, { requests: 2 * workers });
  return async (plan) => {
    due = [];
    run += 1;
    const rows = await watchRows(database.url, tenant.workspaceId);
    const messages = onNats ? await watchMessages(natsServer, stream) : undefined;
    const result = await openLoop(target, { rate, ...plan, onArrival: (dueAt) => due.push(dueAt) });
    expectAllAnswered('Opslog', result);
    const names = due.map((_, index) => nameOf(index));
    const latencies = (seen: ReadonlyMap<string, number>): number[] =>
      names.map((name, index) => (seen.get(name) ?? Number.NaN) - (due[index] ?? Number.NaN));
    await untilSeen(rows, names);
    if (messages) await untilSeen(messages, names);
    await rows.stop();
    await messages?.stop();
    expectEqual('Commands answered', result.answered, names.length);
    return { row: latencies(rows.seen), message: messages ? latencies(messages.seen) : [] };
  };
};

const startPing = async (context: Context): Promise<(plan: Plan) => Promise<readonly number[]>> => {
  const { connectionString } = await startEventStore(context, 'b5-bare');
  const client = EventStoreDBClient.connectionString(connectionString);
  context.onEnd(() => client.dispose());
  const seen = new Map<string, number>();
  const subscription = client.subscribeToAll({ fromPosition: END });
  subscription.on('data', ({ event }) => event && seen.set(event.id, performance.now()));
  context.onEnd(() => subscription.unsubscribe());
  await new Promise((resolve) => subscription.once('confirmation', resolve));

  return async (plan) => {
    seen.clear();
    const due = new Map<string, number>();
    await onSchedule({ rate, ...plan }, async (index, dueAt) => {
      const event = jsonEvent({ type: 'Pinged', data: { index } });
      due.set(event.id, dueAt);
      await client.appendToStream(`ping-${index % workers}`, event, { expectedRevision: ANY });
    });
    await untilSeen({ seen, stop: async () => {} }, [...due.keys()]);
    return [...due].map(([id, dueAt]) => (seen.get(id) ?? Number.NaN) - dueAt);
  };
};
