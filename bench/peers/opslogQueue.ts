import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { enqueueJob } from '../../src/commands/job.ts';
import { startOpslog } from '../../src/compose.ts';
import { readConfig } from '../../src/config.ts';
import { silentLog } from '../../src/platform/log/port.ts';
import { systemEnvelope } from '../../src/sagas/envelope.ts';
import type { JobKinds } from '../../src/sagas/jobs/effect.ts';

/**
 * The queue as a program sees it that embeds Opslog and adds two kinds of job: one that does nothing, and one with three
 * steps. Reads its settings from the environment, as `opslog serve` does. Arguments: noop or saga, jobs, at once.
 */
const [what = '', jobsText = '0', atOnceText = '1'] = process.argv.slice(2);
const [jobs, atOnce] = [Number(jobsText), Number(atOnceText)];

let open: Promise<void> = Promise.resolve();
let [steps, done] = [0, 0];
const step = (name: string) => async () => {
  steps += 1;
  return { name };
};
const kinds: JobKinds = {
  'bench.noop': {
    timeoutMs: 60_000,
    effect: async () => {
      await open;
      done += 1;
      return { outcome: 'done', detail: '' };
    },
  },
  'bench.saga': {
    timeoutMs: 60_000,
    effect: async (job) => {
      await job.step('reserve', step('reserve'));
      await job.step('charge', step('charge'));
      const result = await job.step('ship', step('ship'));
      done += 1;
      return { outcome: 'done', detail: '', result };
    },
  },
};

const read = readConfig(process.env);
if (!read.ok) throw new Error(read.problems.join('; '));
const settings = read.config;
const opslog = await startOpslog(settings, { logger: silentLog, jobKinds: kinds });
const { aggregates } = opslog.parts;
const database = new pg.Client({ connectionString: settings.databaseUrl });
await database.connect();

/** What was looked for at the table alone would take CPU time from what is measured: the tables are asked once all are done. */
const allDone = async (wanted: number): Promise<void> => {
  while (done < wanted) await sleep(1);
};

let rounds = 0;
/** Enqueues with so many commands under way at once. */
const enqueue = async (kind: string, count: number, under: number): Promise<void> => {
  rounds += 1;
  let next = 0;
  const context = { workspaceId: 'bench', departmentId: '', requestId: 'b6', correlationId: 'b6', causationId: '' };
  const hand = async (): Promise<void> => {
    while (next < count) {
      const key = `${rounds}-${next}`;
      next += 1;
      const job = { kind, workspaceId: 'bench', subjectId: key, dedupeKey: key };
      const sent = await enqueueJob({ aggregates }, job, systemEnvelope('bench', context, kind, key));
      if (!sent.ok) throw new Error(sent.rejection.reason);
    }
  };
  await Promise.all(Array.from({ length: under }, hand));
};
const count = async (condition: string): Promise<number> => {
  const { rows } = await database.query<{ jobs: number }>(`select count(*)::int as jobs from jobs where ${condition}`);
  return rows[0]?.jobs ?? 0;
};
const until = async (condition: string, wanted: number): Promise<void> => {
  while ((await count(condition)) < wanted) await sleep(5);
};

let before = 0;
let since = process.cpuUsage();
/** Seconds until the read tables show the last one as done. */
const measure = async (number: number): Promise<number> => {
  [steps, done] = [0, 0];
  let release = (): void => {};
  if (what === 'noop') {
    // All of them wait in the queue, as many as there are hands under a lease, until the time is taken.
    open = new Promise((resolve) => {
      release = resolve;
    });
    await enqueue('bench.noop', number, 64);
    await until("status in ('PENDING', 'RUNNING')", number);
    await until("status = 'RUNNING'", atOnce);
  }
  const startedAt = performance.now();
  since = process.cpuUsage();
  if (what === 'saga') await enqueue('bench.saga', number, atOnce);
  release();
  await allDone(number);
  await until("status = 'SUCCEEDED'", before + number);
  const seconds = (performance.now() - startedAt) / 1_000;
  if (what === 'saga' && steps !== 3 * number) throw new Error(`${steps} steps of ${number} jobs were done`);
  before += number;
  return seconds;
};

await measure(Math.ceil(jobs / 5));
const seconds = await measure(jobs);
const { user, system } = process.cpuUsage(since);
process.stdout.write(`${JSON.stringify({ done: jobs, seconds, cpu: (user + system) / 1_000 })}\n`);
await database.end();
await opslog.close();
