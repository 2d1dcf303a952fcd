import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { z } from 'zod';
import { failed, type Ran, type Served, serve, type Workbench, workbench } from './support.ts';

const listed = z.object({ jobs: z.array(z.object({ jobId: z.string(), kind: z.string(), status: z.string() })) });
const shown = z.object({ ok: z.literal(true), job: z.object({ jobId: z.string(), status: z.string() }) });

describe('Jobs on the command line', () => {
  let bench: Workbench;
  let opslog: Served;
  const run = (args: readonly string[], options = {}): Promise<Ran> => bench.opslog([...args], options);
  const jobs = async (...filter: readonly string[]) =>
    (await run(['jobs', 'list', ...filter, '--json'])).json(listed).jobs;

  beforeAll(async () => {
    bench = await workbench();
    opslog = await serve(bench, join(bench.home, 'data'));
    const input = `${opslog.admin.password ?? ''}\n`;
    await run(['login', '--url', opslog.url, '--email', opslog.admin.email, '--password-stdin'], { input });
    await run(['department', 'create', 'Sales']);
    await run(['init', 'hello']);
    // No such name leads here, so what attaching enqueues comes to an end in one way or another.
    await run(['deploy', 'hello']);
    await run(['domains', 'attach', 'shop.example.com', 'hello']);
    await vi.waitFor(async () => expect(await jobs()).not.toEqual([]), { timeout: 30_000 });
  });
  afterAll(async () => {
    await opslog?.stop();
    await bench.remove();
  });

  test('are listed with their kind and where they stand, and filtered', async () => {
    const all = await jobs();
    const [first] = all;
    expect(await jobs('--kind', first?.kind ?? '')).toContainEqual(expect.objectContaining({ jobId: first?.jobId }));
    expect(await jobs('--limit', '1')).toHaveLength(1);
    expect(await jobs('--status', 'dead')).toEqual([]);
    const text = (await run(['jobs', 'list'])).stdout;
    for (const { jobId, kind } of all) expect(text).toMatch(new RegExp(`${jobId} .*${kind}`));
  });

  test('are shown one by one, with what happens next', async () => {
    const [job] = await jobs();
    const ran = await run(['jobs', 'show', job?.jobId ?? '', '--json']);
    expect(ran.json(shown).job.jobId).toBe(job?.jobId);
    expect((await run(['jobs', 'show', job?.jobId ?? ''])).stdout).toMatch(/^kind +\S/m);
  });

  test('that have settled can be neither cancelled nor, unless they are dead, redriven', async () => {
    await expect.poll(() => jobs('--status', 'succeeded'), { timeout: 30_000 }).not.toEqual([]);
    const [job] = await jobs('--status', 'succeeded');
    const cancelled = await run(['jobs', 'cancel', job?.jobId ?? '', '--json']);
    expect(cancelled.code).not.toBe(0);
    expect(cancelled.json(failed).code).toBe('job_settled');
    const redriven = await run(['jobs', 'redrive', job?.jobId ?? '', '--json']);
    expect(redriven.json(failed).code).toBe('job_not_dead');
  });

  test('that are not there, and a status that there is not, are said to be so', async () => {
    const missing = await run(['jobs', 'show', '00000000-0000-4000-8000-000000000000', '--json']);
    expect(missing.json(failed).code).toBe('job_not_found');
    expect((await run(['jobs', 'list', '--status', 'lost'])).code).toBe(2);
  });
});
