import type { Message } from '../kernel.ts';

export type Language = 'javascript' | 'typescript';
export type DeploymentKind = 'deploy' | 'rollback';
/** Where a revision goes once a deployment of it settles without success. */
export type SettledState = 'ready' | 'deployed' | 'superseded' | 'failed';

export type RevisionFacts = {
  readonly versionId: string;
  readonly revision: number;
  readonly language: Language;
  readonly entryPoint: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  readonly variables: Readonly<Record<string, string>>;
  /** SHA-256 over the variables and names of secrets that this revision pins, hex. */
  readonly environmentDigest: string;
  readonly sourceDigest: string;
  readonly sourceBytes: number;
  readonly sourceFiles: number;
  readonly bundleDigest: string;
  readonly bundleBytes: number;
  readonly sbomDigest: string;
  readonly sbom: string;
  readonly buildReceipt: string;
};

/** Times are milliseconds since the epoch, durations milliseconds. Every deployment fact names its ticket. */
export type EdgeWorkerEvent =
  | Message<'EdgeWorkerCreated', { companyId: string; departmentId: string; scriptName: string }>
  | Message<'RevisionSubmitted', RevisionFacts>
  | Message<
      'DeploymentAdmitted',
      {
        ticketId: string;
        versionId: string;
        revision: number;
        kind: DeploymentKind;
        provider: string;
        scope: string;
        steps: readonly string[];
        dedupeKey: string;
        admissionSequence: number;
        maxAttempts: number;
      }
    >
  | Message<
      'DeploymentLeased',
      { ticketId: string; versionId: string; leaseId: string; holder: string; attempt: number; leasedUntil: number }
    >
  | Message<'DeploymentLeaseRenewed', { ticketId: string; leaseId: string; leasedUntil: number }>
  | Message<
      'DeploymentStepRecorded',
      {
        ticketId: string;
        /** Counts the records of a ticket from 1. */
        sequence: number;
        attempt: number;
        step: string;
        outcome: 'done' | 'refused' | 'retry' | 'uncertain';
        detail: string;
        startedAt: number;
        durationMs: number;
      }
    >
  | Message<'DeploymentRetryScheduled', { ticketId: string; versionId: string; reason: string; nextAttemptAt: number }>
  | Message<
      'DeploymentBecameUncertain',
      { ticketId: string; versionId: string; step: string; reason: string; nextAttemptAt: number }
    >
  | Message<
      'DeploymentCompleted',
      {
        ticketId: string;
        versionId: string;
        revision: number;
        supersededVersionId: string;
        url: string;
        /** What the worker is from now on: the first deployment makes a draft active, a paused worker stays paused. */
        workerStatus: 'active' | 'paused';
      }
    >
  | Message<
      'DeploymentFailed',
      { ticketId: string; versionId: string; reasonCode: string; reason: string; revisionState: SettledState }
    >
  | Message<'DeploymentCancelRequested', { ticketId: string }>
  | Message<'DeploymentCancelled', { ticketId: string; versionId: string; revisionState: SettledState }>
  | Message<'EdgeWorkerPaused', Record<never, never>>
  | Message<'EdgeWorkerResumed', Record<never, never>>;
