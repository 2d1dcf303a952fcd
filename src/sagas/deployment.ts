import type { ReportDeploymentStep } from '../domain/edgeWorker/commands.ts';
import type { LiveWorker, Revision, Ticket } from '../domain/edgeWorker/index.ts';
import type { StepOutcome, WorkerSpec } from '../platform/edge/port.ts';

/** The one step now due: `probe` looks whether an uncertain step took effect before anything is done again. */
export type DueStep = { readonly step: string; readonly mode: 'perform' | 'probe' };

export const nextStep = (ticket: Ticket): DueStep | undefined => {
  const step = ticket.steps.find((each) => !ticket.done.includes(each));
  if (step === undefined) return undefined;
  return { step, mode: step === ticket.uncertainStep ? 'probe' : 'perform' };
};

export type Backoff = { readonly firstMs: number; readonly ceilingMs: number };
export const deploymentBackoff: Backoff = { firstMs: 500, ceilingMs: 60_000 };

/** Doubles per attempt up to the ceiling; between half and all of it, so that many tickets do not return at once. */
export const backoffMs = (attempt: number, { firstMs, ceilingMs }: Backoff, fraction: number): number => {
  const full = Math.min(ceilingMs, firstMs * 2 ** Math.min(30, Math.max(0, attempt - 1)));
  return Math.round(full * (0.5 + fraction / 2));
};

/** How an outcome goes into the log: what is to be tried again gets the time of its next attempt. */
export const reportOf = (outcome: StepOutcome, nextAttemptAt: number): ReportDeploymentStep['data']['outcome'] => {
  switch (outcome.outcome) {
    case 'done':
      return { outcome: 'done', detail: outcome.detail };
    case 'refused':
      return { outcome: 'refused', code: outcome.code, detail: outcome.detail };
    case 'retry':
    case 'uncertain':
      return { outcome: outcome.outcome, detail: outcome.detail, nextAttemptAt };
  }
};

export const specOf = (workerId: string, worker: LiveWorker, revision: Revision): WorkerSpec => ({
  workspaceId: worker.companyId,
  departmentId: worker.departmentId,
  workerId,
  scriptName: worker.scriptName,
  versionId: revision.versionId,
  revision: revision.revision,
  bundleDigest: revision.bundleDigest,
  compatibilityDate: revision.compatibilityDate,
  compatibilityFlags: revision.compatibilityFlags,
  variables: revision.variables,
  secrets: revision.secrets,
  schedules: revision.schedules,
});
