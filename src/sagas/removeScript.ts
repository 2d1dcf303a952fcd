import type { Aggregates } from '../commands/aggregates.ts';
import type { EdgeWorker } from '../domain/edgeWorker/index.ts';
import { isAlive } from '../domain/edgeWorker/index.ts';
import type { EdgeProvider, StepOutcome } from '../platform/edge/port.ts';
import { systemEnvelope } from './envelope.ts';
import type { JobInHand, JobKind, JobOutcome } from './jobs/effect.ts';

/** A kind per provider: a job is left to whoever can reach it. `subjectId` is the script, `payload.workerId` its worker. */
export const removeScriptKind = (provider: string): string => `edge.removeScript.${provider}`;

type Deps = { readonly workers: Aggregates['edgeWorker']; readonly provider: EdgeProvider };

/**
 * Takes a script down, unless its worker wants it there now, and tells the worker. A script that is not there is done, so
 * an attempt that nobody knows the end of is simply made again.
 */
export const removeScript = ({ workers, provider }: Deps): JobKind => ({
  timeoutMs: 60_000,
  backoff: { firstMs: 2_000, ceilingMs: 600_000 },
  effect: async (job, signal) => {
    const workerId = String(job.payload['workerId'] ?? '');
    const { state } = await workers.load(workerId);
    const why = whyWanted(state, provider.kind);
    if (why !== '') return { outcome: 'done', detail: `Left where it is: ${why}.`, result: { removed: false } };
    const outcome = await provider.remove(job.subjectId, signal);
    if (outcome.outcome !== 'done') return persistently(outcomeOf(outcome));
    await confirm(workers, provider, workerId, job);
    return { outcome: 'done', detail: outcome.detail, result: { removed: true } };
  },
});

/**
 * A removal was decided and stays owed: rights that are missing today may be given tomorrow. What is refused all along
 * ends as a dead job, which can be redriven; a failed one could not.
 */
const persistently = (outcome: JobOutcome): JobOutcome =>
  outcome.outcome === 'refused' ? { outcome: 'retry', detail: `${outcome.code}: ${outcome.detail}` } : outcome;

const confirm = async (workers: Deps['workers'], { kind, scope }: EdgeProvider, workerId: string, job: JobInHand) => {
  const command = { type: 'ConfirmScriptRemoval', data: { provider: kind, scope } } as const;
  const envelope = systemEnvelope('removeScript', job.context, job.jobId, String(job.attempt));
  const sent = await workers.send(workerId, command, envelope);
  if (!sent.ok && sent.rejection.rejected !== 'EdgeWorkerNotFound') {
    throw new Error(`The removal of ${job.subjectId} could not be recorded: ${sent.rejection.rejected}`);
  }
};

/** Nobody takes away what another deployment has put there meanwhile. */
const whyWanted = (worker: EdgeWorker, provider: string): string => {
  if (worker.status === 'absent' || worker.retired) return '';
  if (isAlive(worker.ticket) && worker.ticket.provider === provider) return 'a deployment of it is under way';
  return worker.status !== 'draft' && worker.placement?.provider === provider ? 'its worker runs there' : '';
};

/** What a provider says, as a job says it. */
export const outcomeOf = (outcome: StepOutcome): JobOutcome => {
  const { detail } = outcome;
  switch (outcome.outcome) {
    case 'done':
      return { outcome: 'done', detail };
    case 'refused':
      return { outcome: 'refused', code: outcome.code, detail };
    case 'retry':
      return { outcome: 'retry', detail, ...(outcome.afterMs !== undefined && { afterMs: outcome.afterMs }) };
    case 'uncertain':
      return { outcome: 'uncertain', detail };
  }
};
