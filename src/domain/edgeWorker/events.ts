import type { Message } from '../kernel.ts';

export type Language = 'javascript' | 'typescript';
export type DeploymentKind = 'deploy' | 'rollback';
/** Where a revision goes once a deployment of it settles without success. */
export type SettledState = 'ready' | 'deployed' | 'superseded' | 'failed';

/** A secret that a revision reads, by version: never its value. */
export type PinnedSecret = { readonly name: string; readonly version: number; readonly digest: string };
/** Five fields of cron, in an IANA time zone. */
export type Schedule = { readonly cron: string; readonly timeZone: string };
/** A provider, and the deployment scope within it. */
export type Placement = { readonly provider: string; readonly scope: string };
/** Short texts by name: what was asked and answered outside, and the ids that came of it. Never a secret. */
export type Facts = Readonly<Record<string, string>>;

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
  /** Not in facts of before secrets and schedules. */
  readonly secrets?: readonly PinnedSecret[] | undefined;
  readonly schedules?: readonly Schedule[] | undefined;
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
        /** `probe`: it was looked at, after an uncertain outcome. Not in facts of before. */
        mode?: 'perform' | 'probe' | undefined;
        facts?: Facts | undefined;
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
        /** Where it runs from now on. Not in facts of before there was a choice. */
        provider?: string | undefined;
        scope?: string | undefined;
      }
    >
  | Message<
      'DeploymentFailed',
      { ticketId: string; versionId: string; reasonCode: string; reason: string; revisionState: SettledState }
    >
  | Message<'DeploymentCancelRequested', { ticketId: string }>
  | Message<'DeploymentCancelled', { ticketId: string; versionId: string; revisionState: SettledState }>
  | Message<'EdgeWorkerPaused', Record<never, never>>
  | Message<'EdgeWorkerResumed', Record<never, never>>
  /** Its department was removed: it takes no more commands, and its script is to be taken down. */
  | Message<'EdgeWorkerRetired', { reason: string }>
  /** The provider confirmed that the script is gone. */
  | Message<'EdgeWorkerScriptRemoved', Placement>
  /** Its company was hard-deleted: the tables forget it, the log does not. */
  | Message<'EdgeWorkerDeleted', { reason: string; scriptName: string }>
  /** The provider runs something else than the log says; `by` is whoever did it, as the provider names them. */
  | Message<
      'EdgeWorkerDriftFound',
      Placement & { kind: 'missing' | 'changed'; expected: string; found: string; by: string }
    >
  | Message<'EdgeWorkerDriftSettled', { how: string }>
  /** Nothing keeps their source and bundles any more: these revisions can no longer be deployed. */
  | Message<'RevisionArtifactsReleased', { versionIds: readonly string[] }>;
