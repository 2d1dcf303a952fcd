import { derivedId } from '../domain/identifiers.ts';
import type { JobRejection } from '../domain/job/index.ts';
import type { Aggregates } from './aggregates.ts';
import { type Envelope, sha256 } from './envelope.ts';
import { enqueueJob } from './job.ts';
import { done, type Outcome } from './outcome.ts';

/** `look` only tells, `record` also writes drift down, `apply` also puts it right. */
export type ReconcileMode = 'look' | 'record' | 'apply';

/** Jobs that belong to no company belong to the installation. */
export const installation = 'installation';
export const everyCompany = '*';

export type WantedReconciliation = {
  /** One per provider: each is done where that provider can be reached. */
  readonly providers: readonly string[];
  /** `*` for the whole installation. */
  readonly companyId: string;
  readonly mode: ReconcileMode;
  /** The same key is the same reconciliation. */
  readonly key: string;
};

export type RequestedReconciliation = { readonly provider: string; readonly jobId: string };

/** Asks for the providers to be compared with what should run there; the jobs tell what came of it. */
export const requestReconciliation = async (
  deps: { readonly aggregates: Pick<Aggregates, 'job'> },
  { providers, companyId, mode, key }: WantedReconciliation,
  request: Envelope,
): Promise<Outcome<{ readonly jobs: readonly RequestedReconciliation[] }, JobRejection>> => {
  const workspaceId = companyId === everyCompany ? installation : companyId;
  const jobs: RequestedReconciliation[] = [];
  let last = { revision: -1, position: 0n };
  const steps: Pick<Extract<Outcome<null, never>, { ok: true }>, 'events'>[] = [];
  for (const provider of providers) {
    const sent = await enqueueJob(
      deps,
      {
        ...{ kind: `edge.reconcile.${provider}`, workspaceId, subjectId: companyId },
        ...{ payload: { mode }, dedupeKey: key, maxAttempts: 3 },
      },
      { ...request, commandId: derivedId(sha256, 'reconcile', request.commandId, provider) },
    );
    if (!sent.ok) return sent;
    jobs.push({ provider, jobId: sent.value.jobId });
    last = sent;
    steps.push(sent);
  }
  return done({ jobs }, last, ...steps);
};
