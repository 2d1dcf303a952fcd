import type { Aggregates } from '../commands/aggregates.ts';
import { everyCompany } from '../commands/reconciliation.ts';
import { countUnjudged, type KnownScript, type Look, plan } from '../domain/reconciliation/plan.ts';
import type { EdgeProvider } from '../platform/edge/port.ts';
import type { JobInHand, JobKind, JobOutcome } from './jobs/effect.ts';
import { type ActDeps, type Acted, settle } from './reconcileAct.ts';
import { confirmed } from './reconcileConfirm.ts';
import { reconcileResult, toMode } from './reconcileResult.ts';

/** A kind per provider, as for taking scripts down. `subjectId` is the company, or `*` for the whole installation. */
export const reconcileKind = (provider: string): string => `edge.reconcile.${provider}`;

export type ReconcileDeps = ActDeps & {
  readonly provider: EdgeProvider;
  readonly workers: Aggregates['edgeWorker'];
  /** Every name that was ever ours, with everything that the log held when it was asked. */
  readonly scripts: (companyId: string) => Promise<readonly KnownScript[]>;
  readonly now: () => number;
  readonly graceMs: number;
  readonly overdueMs: number;
};

/**
 * Compares what a provider runs with what should run there. `look` only tells, `record` also writes drift down, `apply`
 * also puts it right. What the tables made of it is confirmed by the log before anything is done, and a provider that does
 * not give its whole list gets nothing done at all. Two of these at once are harmless: what they do is decided by the log.
 */
export const reconcile = (deps: ReconcileDeps): JobKind => ({
  timeoutMs: 300_000,
  backoff: { firstMs: 5_000, ceilingMs: 300_000 },
  effect: async (job, signal): Promise<JobOutcome> => {
    const { provider } = deps;
    const askedAt = deps.now();
    const inventory = await provider.inventory(signal);
    if (!inventory.ok)
      return { outcome: 'retry', detail: `The list of ${provider.kind} is not whole: ${inventory.detail}` };
    // After the provider was asked: whatever it showed was in the log before.
    const known = await deps.scripts(job.subjectId === everyCompany ? '' : job.subjectId);
    const look = { ...lookOf(deps, askedAt), inventory: inventory.workers, known };
    const findings = await find(deps, job, look);
    const mode = toMode(job.payload['mode']);
    const acted: Acted[] = [];
    for (const [index, finding] of findings.entries()) {
      if (signal.aborted) return { outcome: 'retry', detail: 'It was told to stop before it was through.' };
      await job.progress((index / findings.length) * 100, finding.scriptName);
      acted.push({ finding, did: await settle(deps, job, mode, finding) });
    }
    return { outcome: 'done', ...reconcileResult(mode, acted, countUnjudged(look)) };
  },
});

const lookOf = ({ provider, graceMs, overdueMs }: ReconcileDeps, now: number) => ({
  ...{ provider: provider.kind, scope: provider.scope, now, graceMs, overdueMs },
});

const find = async (deps: ReconcileDeps, job: JobInHand, look: Look) => {
  // What is nobody's is the operator's business: a company learns nothing of names that are not its own.
  const proposed = plan(look).filter((finding) => job.subjectId === everyCompany || finding.workerId !== '');
  return confirmed(deps.workers, proposed, look);
};
