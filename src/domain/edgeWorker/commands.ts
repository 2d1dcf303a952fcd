import type { Message } from '../kernel.ts';
import type { DeploymentKind, Facts, Placement, RevisionFacts } from './events.ts';

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
    /** A deployment that waits for its turn or its next attempt is cancelled in favour of this one. */
    supersede: boolean;
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
    mode: 'perform' | 'probe';
    facts: Facts;
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
  /** `giveUp` also ends one whose outcome is uncertain: nobody looks any more, and the worker may differ from the log. */
  | Message<'RequestDeploymentCancel', { ticketId: string; giveUp: boolean }>
  | Message<'ConfirmDeploymentCancel', { ticketId: string; leaseId: string }>
  | Message<'PauseEdgeWorker', Record<never, never>>
  | Message<'ResumeEdgeWorker', Record<never, never>>
  | Message<'RetireEdgeWorker', { reason: string }>
  | Message<'ConfirmScriptRemoval', Placement>
  | Message<'DeleteEdgeWorker', { reason: string }>
  | Message<
      'RecordEdgeWorkerDrift',
      Placement & { kind: 'missing' | 'changed'; expected: string; found: string; by: string }
    >
  | Message<'SettleEdgeWorkerDrift', { how: string }>
  /** Keeps the newest so many revisions, those that went live last (for rolling back), and whatever is live. */
  | Message<'ReleaseRevisionArtifacts', { keepNewest: number; keepDeployed: number }>;

export type EdgeWorkerRejection =
  | 'EdgeWorkerNotFound'
  | 'EdgeWorkerPaused'
  | 'EdgeWorkerNotDeployed'
  | 'EdgeWorkerRetired'
  | 'EdgeWorkerPlacedElsewhere'
  | 'RevisionNotFound'
  | 'RevisionEvidenceMissing'
  | 'RevisionRetired'
  | 'RollbackTargetMissing'
  | 'DeploymentAlive'
  | 'EdgeWorkersMaintenance'
  | 'TicketNotFound'
  | 'TicketSettled'
  | 'TicketNotDue'
  | 'LeaseHeld'
  | 'LeaseLost';
