import { join } from 'node:path';
import { z } from 'zod';
import { expectEqual } from './lib/checks.ts';
import type { Context } from './lib/context.ts';
import { startEventStore } from './lib/opslog.ts';
import { freePort, installPeers, peer, peersFolder, start } from './lib/processes.ts';
import { repeat } from './lib/repeat.ts';
import { figureOf, type Section } from './lib/report.ts';
import { postgresDurability, postgresScratch, whyMissing } from './lib/services.ts';

const atOnce = 16;
const measured = z.object({ done: z.number(), seconds: z.number().positive() });

/** Runs one side in a process and a database of its own; answers how many it did in a second. */
const rateOf = async (
  context: Context,
  file: string,
  count: number,
  argsOf: (
    url: string,
  ) => Promise<{ readonly args: readonly string[]; readonly env?: Readonly<Record<string, string>> }>,
): Promise<number> => {
  const database = await postgresScratch();
  try {
    const { args, env } = await argsOf(database.url);
    const side = start(file, args, env);
    context.onEnd(() => side.stop());
    const { done, seconds } = measured.parse(JSON.parse(await side.firstLine));
    await side.stop();
    expectEqual(`${file}, jobs done`, done, count);
    return done / seconds;
  } finally {
    await database.drop();
  }
};

/** The queue against its peers: jobs that do nothing, and jobs of three durable steps. */
export const measureQueue = async (context: Context): Promise<Omit<Section, 'disturbance' | 'seconds'>> => {
  const { quick } = context;
  const benchmark = 'B6';
  const section = { benchmark, title: 'the job queue' };
  const noPostgres = await whyMissing('PostgreSQL');
  const noPeers = await installPeers(context);
  const missing = noPostgres === '' ? noPeers : `PostgreSQL: ${noPostgres}`;
  if (missing !== '') return { ...section, terms: [], figures: [], skipped: [`everything: ${missing}`] };

  let stores = 0;
  const ours = (what: 'noop' | 'saga', count: number) =>
    rateOf(context, peer('opslogQueue'), count, async (url) => {
      stores += 1;
      const store = await startEventStore(context, `b6-store-${stores}`);
      const env = {
        OPSLOG_DATA_DIR: join(context.folder, `b6-opslog-${stores}`),
        OPSLOG_ROLES: 'projector,runner',
        OPSLOG_EDGE_PORT: String(await freePort()),
        OPSLOG_JOB_CONCURRENCY: String(atOnce),
        EVENTSTORE_URL: store.connectionString,
        DATABASE_URL: url,
      };
      return { args: [what, String(count), String(atOnce)], env };
    });
  const theirs = (name: string, count: number, under = atOnce) =>
    rateOf(context, join(peersFolder, `${name}.mjs`), count, async (url) => ({
      args: [url, String(count), String(under)],
    }));

  const counts = quick ? { noop: 3_000, saga: 1_000 } : { noop: 20_000, saga: 5_000 };
  const runs = await repeat(context, quick ? 3 : 5, async () => ({
    graphile: await theirs('graphileWorker', counts.noop),
    oneByOne: await theirs('graphileWorker', counts.noop, 1),
    noop: await ours('noop', counts.noop),
    dbos: await theirs('dbos', counts.saga),
    saga: await ours('saga', counts.saga),
  }));
  return {
    ...section,
    terms: [
      `${atOnce} at once on every side, everything else as it is by default; a fifth of the work as warm-up; counted from the moment at which work may begin`,
      'Opslog: the roles projector and runner in one process with two kinds of job added, `opslog eventstore` in a process of its own, read tables in PostgreSQL; until the tables show the last job as done',
      `no-op: ${counts.noop} jobs wait in the queue beforehand; graphile-worker 0.18.0 until its table is empty, and once more with one job at a time, as it is by default`,
      `three steps: ${counts.saga} jobs, enqueuing included, each step recorded before the next; DBOS Transact 5.3.0, as many workflows started one after the other by ${atOnce} callers`,
      `PostgreSQL of all sides: ${await postgresDurability()}; the event store acknowledges what is synced to disk`,
    ],
    figures: [
      figureOf(
        { benchmark, figure: 'jobs that do nothing', unit: '/s' },
        { ours: runs.map((run) => run.noop), bare: runs.map((run) => run.graphile) },
        { against: 'graphile-worker', floor: { text: '≥ 1 ×', holds: (_, ratio) => ratio >= 1 } },
      ),
      figureOf(
        { benchmark, figure: 'the same against one job at a time, its default', unit: '/s' },
        { ours: runs.map((run) => run.noop), bare: runs.map((run) => run.oneByOne) },
        { against: 'graphile-worker', floor: { text: '≥ 1 ×', holds: (_, ratio) => ratio >= 1 } },
      ),
      figureOf(
        { benchmark, figure: 'jobs of three steps', unit: '/s' },
        { ours: runs.map((run) => run.saga), bare: runs.map((run) => run.dbos) },
        { against: 'DBOS Transact', floor: { text: '≥ 2 ×', holds: (_, ratio) => ratio >= 2 } },
      ),
    ],
    skipped: [],
  };
};
