// Jobs that do nothing, on graphile-worker with its defaults but for how many are done at once (1 by default).
// <database url> <jobs> <at once>: prints one JSON line.
import { makeWorkerUtils, run } from 'graphile-worker';

const [connectionString, jobs, atOnce] = [process.argv[2], Number(process.argv[3]), Number(process.argv[4])];
const quiet = () => () => {};
const { Logger } = await import('graphile-worker');
const logger = new Logger(quiet);

const utils = await makeWorkerUtils({ connectionString, logger });
await utils.migrate();
const enqueue = async (count) => {
  for (let left = count; left > 0; left -= 1_000) {
    await utils.addJobs(
      Array.from({ length: Math.min(left, 1_000) }, (_, index) => ({ identifier: 'noop', payload: { index } })),
    );
  }
};

let done = 0;
let wanted = Number.POSITIVE_INFINITY;
let finish = () => {};
let open = Promise.resolve();
const noop = async () => {
  await open;
  done += 1;
  if (done === wanted) finish();
};
/** The first ones are held until the time is taken: starting up is not part of it. */
const measure = async (count) => {
  let start = () => {};
  open = new Promise((resolve) => {
    start = resolve;
  });
  done = 0;
  wanted = count;
  await enqueue(count);
  const runner = await run({
    connectionString,
    logger,
    concurrency: atOnce,
    taskList: { noop },
    noHandleSignals: true,
  });
  const finished = new Promise((resolve) => {
    finish = resolve;
  });
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  const startedAt = performance.now();
  start();
  await finished;
  // The last one counts when its row is gone.
  const left = async () =>
    utils.withPgClient(async (client) => {
      const { rows } = await client.query('select count(*)::int as jobs from graphile_worker._private_jobs');
      return rows[0].jobs;
    });
  while ((await left()) > 0) await new Promise((resolve) => setTimeout(resolve, 1));
  const seconds = (performance.now() - startedAt) / 1_000;
  await runner.stop();
  return seconds;
};

await measure(Math.ceil(jobs / 5));
const seconds = await measure(jobs);
process.stdout.write(`${JSON.stringify({ done, seconds })}\n`);
await utils.release();
process.exit(0);
