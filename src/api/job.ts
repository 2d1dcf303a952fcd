import { z } from 'zod';
import { isObligation } from '../commands/job.ts';
import type { LiveJob } from '../domain/job/index.ts';
import { maySeeJob } from '../domain/resource/index.ts';
import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { isId, type Membership, readerOf } from './guard.ts';
import { cancelledJob, job, jobStatus, redrivenJob, showJob } from './jobModels.ts';
import { pageOf } from './models.ts';
import { answer, noBody, noInput, type Operation } from './operation.ts';
import { pageReply, pagingFields } from './paging.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';

const tag = 'Jobs';
export const jobProblems = [
  ...(['WorkspaceNotFound', 'JobNotFound', 'JobExists', 'JobMalformed', 'JobSettled', 'JobNotDue'] as const),
  ...(['JobNotDead', 'JobCancelNotRequested', 'LeaseHeld', 'LeaseLost', 'LeaseTooLong'] as const),
] as const;

const filter = z
  .string()
  .regex(/^[\w.:-]{1,128}$/, 'Letters, digits and . : - _.')
  .optional();
const jobQuery = z.strictObject({
  ...pagingFields,
  status: jobStatus.optional(),
  kind: filter.meta({ description: 'For example `domain.verify`.' }),
  subjectId: filter.meta({ description: 'What the job is about.' }),
});

const list = workspaceOperation(
  {
    id: 'listJobs',
    method: 'get',
    path: '/workspaces/{workspaceId}/jobs',
    tag,
    summary: 'Jobs of a workspace, newest first',
    description:
      'Work that the platform does outside. Who is limited to departments sees the jobs of those only; those that are ' +
      'about webhooks or credentials are for whoever may see these.',
    role: 'VIEWER',
    query: jobQuery,
    body: noBody,
    success: { status: 200, description: 'A page of jobs', schema: pageOf(job, 'JobPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) => {
    const { limit: _, cursor: __, ...filters } = query;
    const args = { ...filters, ...readerOf(who) };
    return pageReply(request, query, (page) => deps.queries.jobs({ ...page, ...args }), showJob);
  },
);

const noJob = refuse('JobNotFound', 'There is no such job in this workspace.');
const catchUpMs = 2_000;

/** One that was enqueued a moment ago may be on its way into the table. */
export const findJob = async (deps: ApiDeps, args: Parameters<ApiDeps['queries']['job']>[0]) => {
  const found = await deps.queries.job(args);
  if (found) return found;
  await deps.waitFor(await deps.log.head(), { timeoutMs: catchUpMs });
  return deps.queries.job(args);
};

const get = workspaceOperation(
  {
    id: 'getJob',
    method: 'get',
    path: '/workspaces/{workspaceId}/jobs/{jobId}',
    tag,
    summary: 'A job, and what happens next',
    role: 'VIEWER',
    ...noInput,
    success: { status: 200, description: 'The job', schema: job },
    problems: ['WorkspaceNotFound', 'JobNotFound'],
  },
  async ({ deps, who, params: { jobId } }) => {
    if (!isId(jobId)) return noJob;
    const args = { jobId, ...readerOf(who) };
    const found = await findJob(deps, args);
    return found ? { status: 200, body: showJob(found) } : noJob;
  },
);

/** A job of another workspace, or that the list does not show to the caller, answers like one that never was. */
const find = async (
  { aggregates }: ApiDeps,
  { workspaceId, departmentIds, role }: Membership,
  jobId: string,
): Promise<LiveJob | Refusal<'JobNotFound'>> => {
  if (!isId(jobId)) return noJob;
  const { state } = await aggregates.job.load(jobId);
  if (state.status === 'absent' || state.workspaceId !== workspaceId || !maySeeJob(role, state.kind)) return noJob;
  return departmentIds.length === 0 || departmentIds.includes(state.departmentId) ? state : noJob;
};

const required = refuse(
  'JobNotCancellable',
  'This job follows from a removal and is carried out in any case. There is nothing to do but to wait for it.',
);

const cancel = workspaceOperation(
  {
    id: 'cancelJob',
    method: 'post',
    path: '/workspaces/{workspaceId}/jobs/{jobId}/cancel',
    tag,
    summary: 'Cancel a job',
    description:
      'One that waits is cancelled at once. For one that runs, or may have happened, it is a request. What follows from ' +
      'a removal cannot be cancelled.',
    role: 'MEMBER',
    ...noInput,
    success: { status: 202, description: 'Cancelled, or asked for', schema: cancelledJob },
    problems: [...jobProblems, 'JobNotCancellable'],
  },
  async ({ deps, who, params: { jobId }, envelope }) => {
    const found = await find(deps, who, jobId);
    if (isRefusal(found)) return found;
    if (isObligation(found.kind)) return required;
    const request = envelope(who.caller, found);
    const sent = await deps.aggregates.job.send(jobId, { type: 'RequestJobCancel', data: {} }, request);
    if (!sent.ok) return sent.rejection;
    const cancelled = sent.state.status === 'cancelled';
    return answer({ ...sent, value: { jobId, cancelled } }, request, (body) => ({ status: 202, body }));
  },
);

const redrive = workspaceOperation(
  {
    id: 'redriveJob',
    method: 'post',
    path: '/workspaces/{workspaceId}/jobs/{jobId}/redrive',
    tag,
    summary: 'Begin a dead job again',
    description: 'With all its attempts, at once. Only for one that was given up: its status is DEAD.',
    role: 'ADMIN',
    ...noInput,
    success: { status: 202, description: 'It waits to be begun again', schema: redrivenJob },
    problems: jobProblems,
  },
  async ({ deps, who, params: { jobId }, envelope }) => {
    const found = await find(deps, who, jobId);
    if (isRefusal(found)) return found;
    const request = envelope(who.caller, found);
    const command = { type: 'RedriveJob', data: { now: deps.clock.now() } } as const;
    const sent = await deps.aggregates.job.send(jobId, command, request);
    if (!sent.ok) return sent.rejection;
    const redrives = sent.state.status === 'absent' ? 0 : sent.state.redrives;
    return answer({ ...sent, value: { jobId, redrives } }, request, (body) => ({ status: 202, body }));
  },
);

export const jobOperations: readonly Operation[] = [list, get, cancel, redrive];
