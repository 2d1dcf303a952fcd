import { setTimeout as sleep } from 'node:timers/promises';
import { expectAllAnswered } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { eventsToBegin, writeHistory } from './lib/history.ts';
import { getRequest } from './lib/httpClient.ts';
import { openLoop, type Target } from './lib/load.ts';
import { enter, openEmbeddedLog, startOpslog, untilReady, waitForTables } from './lib/opslog.ts';
import { freePort } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { type Figure, figureOf, type Section } from './lib/report.ts';
import { postgresScratch, whyMissing } from './lib/services.ts';
import { percentile } from './lib/stats.ts';

/** Under the ceiling by what the workspace had before. */
const events = 19_500;

/** The longest time in which the thread that answers did nothing else, in milliseconds, since it was asked last. */
const longestBlock = async (url: string): Promise<number> => {
  const text = await (await fetch(`${url}/metrics`)).text();
  const seconds = /^opslog_nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(text)?.[1];
  if (seconds === undefined) throw new Error('The program does not tell how long its thread was busy.');
  return Number(seconds) * 1_000;
};

/** What everybody else notices while a workspace is replayed to be looked at as it was. */
export const measurePast = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const noPostgres = await whyMissing('PostgreSQL');
  const database = noPostgres === '' ? await postgresScratch() : undefined;
  if (database) context.onEnd(database.drop);
  const eventStorePort = String(await freePort());
  const opslog = await startOpslog(context, 'past', {
    OPSLOG_ROLES: 'api,projector',
    OPSLOG_EVENTSTORE_PORT: eventStorePort,
    ...(database && { DATABASE_URL: database.url }),
  });
  await untilReady(opslog);
  const { url, port } = opslog;
  const tenant = await enter(opslog);
  const { workspaceId, token } = tenant;
  const log = await openEmbeddedLog(context, 'past', eventStorePort);
  const workers = events / eventsToBegin;
  await writeHistory(log, workspaceId, { events, workers, textLength: 20, deployed: true, seed: 7 });
  await waitForTables(url, tenant, await log.head());

  const base = `${url}/workspaces/${workspaceId}`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  /** A moment that nobody has asked for yet. */
  const newMoment = async (name: string): Promise<string> => {
    const body = JSON.stringify({ name, slug: name });
    const made = await fetch(`${base}/departments`, { method: 'POST', headers, body });
    if (made.status !== 201) throw new Error(`A department was answered ${made.status}.`);
    await sleep(50);
    return new Date().toISOString();
  };
  const lookBack = async (at: string): Promise<number> => {
    const startedAt = performance.now();
    const answered = await fetch(`${base}/departments?limit=200&at=${at}`, { headers });
    await answered.arrayBuffer();
    if (answered.status !== 200) throw new Error(`A look back was answered ${answered.status}.`);
    return performance.now() - startedAt;
  };
  const ours: Target = { port, next: () => getRequest(`/workspaces/${workspaceId}`, token) };
  const reads = async (seed: number, seconds: number): Promise<readonly number[]> => {
    const result = await openLoop(ours, { rate: 100, seconds, seed });
    expectAllAnswered('reads', result);
    return result.latencies;
  };

  const rounds = await repeat(context, context.quick ? 2 : 5, async (repetition) => {
    const at = await newMoment(`moment-${repetition}`);
    await longestBlock(url);
    const alone = await reads(repetition, 4);
    const blockAlone = await longestBlock(url);
    const [beside, first] = await Promise.all([reads(repetition, 8), lookBack(at)]);
    const block = await longestBlock(url);
    const again = await lookBack(at);
    return { alone, beside, first, again, block, blockAlone };
  });
  const name = (figure: string) => ({ benchmark: 'PAST', figure, unit: 'ms' });
  const of = (take: (round: (typeof rounds)[number]) => number): readonly number[] => rounds.map(take);
  const against = 'alone';
  const figures: Figure[] = [
    figureOf(name(`the first question to a moment of ${events} events`), { ours: of(({ first }) => first), bare: [] }),
    figureOf(name('the next question'), { ours: of(({ again }) => again), bare: [] }),
    figureOf(
      name('p99 of reads meanwhile'),
      { ours: of(({ beside }) => percentile(beside, 0.99)), bare: of(({ alone }) => percentile(alone, 0.99)) },
      { against },
    ),
    figureOf(
      name('longest time in which the thread that answers did nothing else'),
      { ours: of(({ block }) => block), bare: of(({ blockAlone }) => blockAlone) },
      { against },
    ),
  ];
  return {
    benchmark: 'PAST',
    title: 'a workspace is replayed to be looked at as it was',
    terms: [
      'the same workspace is read 100 times a second in an open loop: a question to its stream alone',
      'the time in which the thread did nothing else is what the program tells of itself, to some 10 ms',
      noPostgres === '' ? 'read tables in PostgreSQL' : 'read tables in PGlite',
    ],
    figures,
    skipped: [],
  };
};
