import { derivedId } from '../domain/identifiers.ts';
import type { JobData, JobFacts, JobRejection } from '../domain/job/index.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { done, type Outcome } from './outcome.ts';

/** What whoever enqueues must say; the rest has a default. */
export type NewJob = {
  readonly kind: string;
  readonly workspaceId: string;
  /** The whole workspace when not given. */
  readonly departmentId?: string;
  readonly subjectId: string;
  /** References only, never a secret. */
  readonly payload?: JobData;
  /** The intent: within a workspace and a kind, the same key is the same job, for ever. */
  readonly dedupeKey: string;
  /** From 0, the most urgent, to 9; 5 when not given. It ranks the jobs of one workspace. */
  readonly priority?: number;
  /** Milliseconds since the epoch; at once when not given. */
  readonly runAt?: number;
  /** So many attempts may fail; 8 when not given. */
  readonly maxAttempts?: number;
};

export const jobIdOf = ({ workspaceId, kind, dedupeKey }: Pick<NewJob, 'workspaceId' | 'kind' | 'dedupeKey'>): string =>
  derivedId(sha256, 'job', workspaceId, kind, dedupeKey);

const factsOf = (job: NewJob): JobFacts => ({
  ...{ kind: job.kind, workspaceId: job.workspaceId, departmentId: job.departmentId ?? '', subjectId: job.subjectId },
  ...{ payload: job.payload ?? {}, priority: job.priority ?? 5, runAt: job.runAt ?? 0 },
  ...{ maxAttempts: job.maxAttempts ?? 8, dedupeKey: job.dedupeKey },
});

/**
 * What follows from a removal that was decided: to cancel it would let keys or a script outlive what they belonged to, at
 * the word of somebody who could not have undone the removal.
 */
export const isObligation = (kind: string): boolean =>
  kind === 'edgeSecret.shred' ||
  kind === 'credential.shred' ||
  kind === 'webhook.shred' ||
  /^edge\.removeScript\./.test(kind);

/** Puts work into the queue under the trace of the request. The same intent again answers the same job and adds nothing. */
export const enqueueJob = async (
  { aggregates }: { readonly aggregates: Pick<Aggregates, 'job'> },
  job: NewJob,
  request: Envelope,
): Promise<Outcome<{ readonly jobId: string }, JobRejection>> => {
  const jobId = jobIdOf(job);
  const data = factsOf(job);
  const { workspaceId, departmentId } = data;
  // The revision that the caller saw is about another stream than the job's. That one is mostly new: a conflict tells
  // when it is not, except on a dry run, which appends nothing.
  const { expectedRevision: _, ...rest } = request;
  const envelope = { ...rest, fresh: request.dryRun !== true, workspaceId, departmentId };
  const sent = await aggregates.job.send(jobId, { type: 'EnqueueJob', data }, envelope);
  return sent.ok ? done({ jobId }, sent, sent) : sent;
};
