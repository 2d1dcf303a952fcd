import type { Message } from '../kernel.ts';
import type { DeploymentKind, RevisionFacts } from './events.ts';

export type SubmitRevision = Message<
  'SubmitRevision',
  Omit<RevisionFacts, 'revision'> & { companyId: string; departmentId: string; scriptName: string }
>;

export type AdmitDeployment = Message<
  'AdmitDeployment',
  {
    ticketId: string;
    kind: DeploymentKind;
    /** 0 asks for the newest revision (deploy) or the one that was live before (rollback). */
    revision: number;
    gate: 'open' | 'closed';
    provider: string;
    scope: string;
    steps: readonly string[];
    dedupeKey: string;
    maxAttempts: number;
  }
>;

/** `takeover` lets a node reclaim what its own earlier, dead incarnation held before that lease has run out. */
export type LeaseDeployment = Message<
  'LeaseDeployment',
  { ticketId: string; leaseId: string; holder: string; now: number; leasedUntil: number; takeover: boolean }
>;

export type RenewDeploymentLease = Message<
  'RenewDeploymentLease',
  { ticketId: string; leaseId: string; leasedUntil: number }
>;

export type ReportDeploymentStep = Message<
  'ReportDeploymentStep',
  {
    ticketId: string;
    leaseId: string;
    step: string;
    outcome:
      | { readonly outcome: 'done'; readonly detail: string }
      | { readonly outcome: 'refused'; readonly code: string; readonly detail: string }
      | { readonly outcome: 'retry'; readonly detail: string; readonly nextAttemptAt: number }
      | { readonly outcome: 'uncertain'; readonly detail: string; readonly nextAttemptAt: number };
    startedAt: number;
    durationMs: number;
    /** Where the worker answers; recorded when the last step is done. */
    url: string;
  }
>;

export type EdgeWorkerCommand =
  | SubmitRevision
  | AdmitDeployment
  | LeaseDeployment
  | RenewDeploymentLease
  | ReportDeploymentStep
  | Message<'RequestDeploymentCancel', { ticketId: string }>
  | Message<'ConfirmDeploymentCancel', { ticketId: string; leaseId: string }>
  | Message<'PauseEdgeWorker', Record<never, never>>
  | Message<'ResumeEdgeWorker', Record<never, never>>;

export type EdgeWorkerRejection =
  | 'EdgeWorkerNotFound'
  | 'EdgeWorkerPaused'
  | 'EdgeWorkerNotDeployed'
  | 'RevisionNotFound'
  | 'RevisionEvidenceMissing'
  | 'RollbackTargetMissing'
  | 'DeploymentAlive'
  | 'EdgeWorkersMaintenance'
  | 'TicketNotFound'
  | 'TicketSettled'
  | 'TicketNotDue'
  | 'LeaseHeld'
  | 'LeaseLost';
