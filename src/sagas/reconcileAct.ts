import type { Aggregates } from '../commands/aggregates.ts';
import { type AdmittedDeployment, admitDeployment, type Edge } from '../commands/deployment.ts';
import { enqueueJob, type NewJob } from '../commands/job.ts';
import type { ReconcileMode } from '../commands/reconciliation.ts';
import type { Finding } from '../domain/reconciliation/plan.ts';
import type { EdgeProvider } from '../platform/edge/port.ts';
import { presenceKind } from './applyPresence.ts';
import { systemEnvelope } from './envelope.ts';
import type { JobInHand } from './jobs/effect.ts';
import { removeScriptKind } from './removeScript.ts';

export type ActDeps = {
  readonly aggregates: Aggregates;
  readonly edge: Edge;
  readonly provider: EdgeProvider;
};

/** A finding, and in words what was done about it. */
export type Acted = { readonly finding: Finding; readonly did: string };

const nothing = 'nothing';

/** Does what the mode allows about one finding. Every command has an id of its own, so that a repetition adds nothing. */
export const settle = async (deps: ActDeps, job: JobInHand, mode: ReconcileMode, finding: Finding): Promise<string> => {
  if (mode === 'look') return nothing;
  switch (finding.kind) {
    case 'orphan':
      return mode === 'apply' ? takeDown(deps, job, finding) : nothing;
    case 'missing':
    case 'changed': {
      const recorded = await record(deps, job, finding, finding.kind);
      return mode === 'apply' ? `${recorded}, ${await redeploy(deps, job, finding)}` : recorded;
    }
    case 'presence':
      return mode === 'apply' ? show(deps, job, finding) : nothing;
    case 'settled':
      return forget(deps, job, finding);
    case 'foreign':
    case 'overdue':
      return nothing;
  }
};

const envelopeOf = (job: JobInHand, finding: Finding, what: string) => {
  const context = { ...job.context, workspaceId: finding.companyId, departmentId: finding.departmentId };
  return systemEnvelope('reconcile', context, job.jobId, what, finding.workerId);
};

const takeDown = (deps: ActDeps, job: JobInHand, finding: Finding): Promise<string> => {
  const { scriptName, workerId } = finding;
  const kind = removeScriptKind(deps.provider.kind);
  return enqueue(deps, job, finding, { kind, subjectId: scriptName, payload: { workerId } }, 'taking it down');
};

const show = (deps: ActDeps, job: JobInHand, finding: Finding): Promise<string> =>
  enqueue(
    deps,
    job,
    finding,
    { kind: presenceKind(deps.provider.kind), subjectId: finding.workerId },
    'applying its presence',
  );

const enqueue = async (
  { aggregates }: ActDeps,
  job: JobInHand,
  finding: Finding,
  work: Pick<NewJob, 'kind' | 'subjectId' | 'payload'>,
  words: string,
): Promise<string> => {
  const { companyId: workspaceId, departmentId } = finding;
  // One look may find several scripts of one company: each is a job of its own.
  const dedupeKey = `reconcile:${job.jobId}:${work.subjectId}`;
  const wanted = { ...work, workspaceId, departmentId, dedupeKey, maxAttempts: 20 };
  const sent = await enqueueJob({ aggregates }, wanted, envelopeOf(job, finding, work.kind));
  return sent.ok ? `${words} (job ${sent.value.jobId})` : `refused: ${sent.rejection.rejected}`;
};

const record = async (
  { aggregates, provider }: ActDeps,
  job: JobInHand,
  finding: Finding,
  kind: 'missing' | 'changed',
): Promise<string> => {
  const { expected, found, by } = finding;
  const data = { provider: provider.kind, scope: provider.scope, kind, expected, found, by };
  const command = { type: 'RecordEdgeWorkerDrift', data } as const;
  const sent = await aggregates.edgeWorker.send(finding.workerId, command, envelopeOf(job, finding, 'drift'));
  if (!sent.ok) return `refused: ${sent.rejection.rejected}`;
  return sent.events.length > 0 ? 'written down' : 'known';
};

const redeploy = async ({ aggregates, edge, provider }: ActDeps, job: JobInHand, finding: Finding): Promise<string> => {
  const { state } = await aggregates.edgeWorker.load(finding.workerId);
  if (state.status === 'absent') return 'refused: EdgeWorkerNotFound';
  const revision = state.history.at(-1) ?? 0;
  const wanted = { kind: 'deploy', revision, provider: provider.kind } as const;
  const envelope = envelopeOf(job, finding, 'redeploy');
  const admitted = await admitDeployment({ aggregates, edge }, finding.departmentId, wanted, envelope);
  return admitted.ok ? wordsOf(admitted.value) : `not deployed again: ${admitted.rejection.rejected}`;
};

const wordsOf = ({ revision, ticketId }: AdmittedDeployment): string =>
  `deploying revision ${revision} again (deployment ${ticketId})`;

const forget = async ({ aggregates }: ActDeps, job: JobInHand, finding: Finding): Promise<string> => {
  const command = { type: 'SettleEdgeWorkerDrift', data: { how: 'It runs what it should again.' } } as const;
  const sent = await aggregates.edgeWorker.send(finding.workerId, command, envelopeOf(job, finding, 'settled'));
  return sent.ok ? 'written down' : `refused: ${sent.rejection.rejected}`;
};
