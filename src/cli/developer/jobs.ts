import { z } from 'zod';
import { answerOf, type components, createClient } from '../../client/index.ts';
import type { Cli } from '../cli.ts';
import { plain } from '../paint.ts';
import { remoteCommand } from './remote.ts';
import { findServer } from './server.ts';
import { findWorkspace } from './target.ts';

type Job = components['schemas']['Job'];

const statuses = ['PENDING', 'RUNNING', 'SUCCEEDED', 'FAILED', 'CANCELLED', 'DEAD'] as const;
const pageSize = 200;

const whereArgs = z.object({ workspace: z.string().default(''), url: z.string().optional() });
const listArgs = whereArgs.extend({
  status: z
    .string()
    .transform((text) => text.toUpperCase())
    .pipe(z.enum(statuses))
    .optional(),
  kind: z.string().optional(),
  subject: z.string().optional(),
  limit: z.coerce.number().int().min(1).max(10_000).default(50),
});
const jobArgs = whereArgs.extend({ job: z.string().min(1) });

const open = async (cli: Cli, { workspace, url: given }: z.infer<typeof whereArgs>) => {
  const { url, token } = await findServer(cli, given);
  const client = createClient({ url, token });
  return { client, workspaceId: await findWorkspace(cli, client, workspace) };
};

export const list = remoteCommand(listArgs, async ({ status, kind, subject, limit, ...where }, cli) => {
  const { client, workspaceId } = await open(cli, where);
  const filter = { ...(status && { status }), ...(kind && { kind }), ...(subject && { subjectId: subject }) };
  const jobs: Job[] = [];
  for (let cursor: string | null = ''; cursor !== null && jobs.length < limit; ) {
    const size = String(Math.min(pageSize, limit - jobs.length));
    const query = { ...filter, limit: size, ...(cursor !== '' && { cursor }) };
    const page: { items: Job[]; next: string | null } = await answerOf(
      client.GET('/workspaces/{workspaceId}/jobs', {
        params: { path: { workspaceId }, query },
        signal: cli.signal,
      }),
    );
    jobs.push(...page.items);
    cursor = page.next;
  }
  cli.answer({ ok: true, workspaceId, jobs }, jobs.map(lineOf).join('\n') || 'There is no such job.');
});

const lineOf = ({ jobId, kind, status, subjectId, uncertain, progress, lastError, createdAt }: Job): string =>
  [
    ...[createdAt, jobId, status + (uncertain ? ' (uncertain)' : ''), kind, subjectId],
    ...(status === 'RUNNING' && progress > 0 ? [`${progress} %`] : []),
    ...(lastError === null ? [] : [lastError]),
  ]
    .map(plain)
    .join('  ');

export const show = remoteCommand(jobArgs, async ({ job: jobId, ...where }, cli) => {
  const { client, workspaceId } = await open(cli, where);
  const job = await answerOf(
    client.GET('/workspaces/{workspaceId}/jobs/{jobId}', {
      params: { path: { workspaceId, jobId } },
      signal: cli.signal,
    }),
  );
  cli.answer({ ok: true, job }, factsOf(job).join('\n'));
});

const factsOf = (job: Job): readonly string[] => {
  const facts: readonly (readonly [string, string | null])[] = [
    ['job', job.jobId],
    ['kind', job.kind],
    ['about', job.subjectId],
    ['status', job.status + (job.uncertain ? ': nobody knows whether it happened' : '')],
    ['progress', `${job.progress} %${job.note === null ? '' : `, ${job.note}`}`],
    ['steps', job.steps > 0 ? `${job.steps} recorded` : null],
    ['attempts', `${job.attempts} begun, ${job.failures} of ${job.maxAttempts} failed, redriven ${job.redrives} times`],
    ['priority', String(job.priority)],
    ['cancel', job.cancelRequested ? 'asked for' : null],
    ['last error', job.lastError],
    ['reason', job.reasonCode],
    ['outcome', job.detail],
    ['next', job.next && `${job.next.description} ${job.next.at ?? 'now'}`],
    ['enqueued', job.createdAt],
    ['ended', job.completedAt],
  ];
  return facts.flatMap(([name, value]) => (value === null ? [] : [`${name.padEnd(12)}${plain(value)}`]));
};

export const cancel = remoteCommand(jobArgs, async ({ job: jobId, ...where }, cli) => {
  const { client, workspaceId } = await open(cli, where);
  const params = { path: { workspaceId, jobId } };
  const cancelled = await answerOf(
    client.POST('/workspaces/{workspaceId}/jobs/{jobId}/cancel', { params, signal: cli.signal }),
  );
  const text = cancelled.cancelled
    ? 'cancelled'
    : 'asked for; whoever works on it confirms, or says that it was too late';
  cli.answer({ ok: true, ...cancelled }, `${jobId}: ${text}`);
});

export const redrive = remoteCommand(jobArgs, async ({ job: jobId, ...where }, cli) => {
  const { client, workspaceId } = await open(cli, where);
  const params = { path: { workspaceId, jobId } };
  const redriven = await answerOf(
    client.POST('/workspaces/{workspaceId}/jobs/{jobId}/redrive', { params, signal: cli.signal }),
  );
  cli.answer({ ok: true, ...redriven }, `${jobId}: begun again, for the ${redriven.redrives}. time`);
});
