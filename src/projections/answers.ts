import type { PinnedSecret } from '../domain/edgeWorker/index.ts';
import type { Role } from '../domain/roles.ts';

/**
 * What the queries answer: plain objects. Times are milliseconds since the epoch; what is "not there" is null, though
 * the tables store it as '' or 0.
 */

/** Where the next page begins: the ordering key and the id of the last row of this one. */
export type Cursor = { readonly key: number; readonly id: string };
export type Page<Row> = { readonly rows: readonly Row[]; readonly next: Cursor | null };
/** `limit` rows at most (1 or more), from after the row that `after` names. */
export type PageArgs = { readonly limit: number; readonly after?: Cursor | undefined };

/** Limits an answer to some departments; undefined means all of the tenant. */
export type DepartmentScope = { readonly departmentIds?: readonly string[] | undefined };

/** Who asks, where not everybody in a workspace sees everything of it. */
export type Reader = DepartmentScope & { readonly role: Role };

export type UserAnswer = {
  readonly id: string;
  readonly email: string;
  readonly displayName: string;
  readonly createdAt: number;
};

export type WorkspaceAnswer = {
  readonly id: string;
  readonly name: string;
  readonly slug: string;
  readonly createdAt: number;
};

export type WorkspaceOfUser = WorkspaceAnswer & { readonly role: Role; readonly departmentIds: readonly string[] };

export type MemberAnswer = {
  readonly workspaceId: string;
  readonly userId: string;
  readonly email: string;
  readonly displayName: string;
  readonly role: Role;
  /** Empty: every department. */
  readonly departmentIds: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type DepartmentAnswer = {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly slug: string;
  readonly createdAt: number;
};

export type ApiTokenAnswer = {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  readonly role: Role;
  readonly departmentId: string | null;
  readonly expiresAt: number | null;
  /** To the hour. */
  readonly usedAt: number | null;
  readonly revokedAt: number | null;
  readonly createdAt: number;
};

export type SessionAnswer = {
  readonly id: string;
  readonly userAgent: string | null;
  readonly createdAt: number;
  /** To the hour; null when it was not used after the hour in which it began. */
  readonly usedAt: number | null;
  readonly expiresAt: number;
};

export type InvitationAnswer = {
  readonly id: string;
  readonly workspaceId: string;
  readonly email: string;
  readonly role: Role;
  readonly departmentIds: readonly string[];
  readonly status: 'open' | 'accepted' | 'revoked';
  readonly expiresAt: number;
  readonly settledAt: number | null;
  readonly createdAt: number;
};

export type WorkerStatus = 'draft' | 'active' | 'paused';

export type WorkerAnswer = {
  readonly id: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly scriptName: string;
  readonly status: WorkerStatus;
  readonly currentVersionId: string | null;
  readonly currentRevision: number | null;
  /** What a reconciliation found the provider to run instead. */
  readonly drift: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
};

/** A line of the company view. */
export type WorkerWithLatest = WorkerAnswer & { readonly latestDeployment: TicketAnswer | null };

export type RevisionStatus =
  | 'uploading'
  | 'ready'
  | 'deploy_pending'
  | 'deploying'
  | 'deployed'
  | 'superseded'
  | 'failed'
  | 'uncertain';

export type RevisionAnswer = {
  readonly versionId: string;
  readonly workerId: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly revision: number;
  readonly state: RevisionStatus;
  readonly language: 'javascript' | 'typescript';
  readonly entryPoint: string;
  readonly compatibilityDate: string;
  readonly compatibilityFlags: readonly string[];
  /** Names only: a value may be a secret that somebody put there by mistake. */
  readonly variableNames: readonly string[];
  readonly secrets: readonly PinnedSecret[];
  readonly schedules: readonly { readonly cron: string; readonly timeZone: string }[];
  readonly environmentDigest: string;
  readonly sourceDigest: string;
  readonly sourceBytes: number;
  readonly sourceFiles: number;
  readonly bundleDigest: string;
  readonly bundleBytes: number;
  readonly sbomDigest: string;
  readonly createdBy: string | null;
  readonly createdAt: number;
  readonly deployedAt: number | null;
  /** Since when its source and bundle are no longer kept. */
  readonly retiredAt: number | null;
  readonly updatedAt: number;
};

export type RevisionWithEvidence = RevisionAnswer & {
  readonly sbom: string | null;
  readonly buildReceipt: string | null;
};

export type TicketStatusAnswer = 'pending' | 'leased' | 'completed' | 'failed' | 'cancelled' | 'uncertain';
export type TicketOperation = 'deploy' | 'delete' | 'artifact_cleanup' | 'control_audit';

export type TicketAnswer = {
  readonly ticketId: string;
  readonly operation: TicketOperation;
  readonly companyId: string;
  readonly departmentId: string;
  readonly workerId: string;
  readonly versionId: string | null;
  readonly revision: number | null;
  readonly kind: 'deploy' | 'rollback' | null;
  readonly scope: string | null;
  readonly provider: string | null;
  readonly status: TicketStatusAnswer;
  readonly attemptCount: number;
  readonly maxAttempts: number;
  /** Names of the steps in the order in which they are performed. */
  readonly steps: readonly string[];
  readonly leaseHolder: string | null;
  readonly leasedUntil: number | null;
  /** Null: at once. Says something only while the status is pending or uncertain. */
  readonly nextAttemptAt: number | null;
  readonly admissionSequence: number;
  readonly cancelRequested: boolean;
  readonly reasonCode: string | null;
  readonly errorMessage: string | null;
  readonly url: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
  readonly completedAt: number | null;
};

export type StepAnswer = {
  readonly sequence: number;
  readonly attempt: number;
  readonly step: string;
  readonly outcome: 'done' | 'refused' | 'retry' | 'uncertain';
  readonly detail: string | null;
  readonly mode: 'perform' | 'probe';
  readonly facts: Readonly<Record<string, string>>;
  readonly startedAt: number;
  readonly durationMs: number;
};

export type TicketWithSteps = TicketAnswer & { readonly records: readonly StepAnswer[] };

export type AuditAnswer = {
  /** Id of the event that this row is about. */
  readonly id: string;
  readonly workspaceId: string;
  /** Counts the rows of a workspace from 1; the cursor's key. */
  readonly seq: number;
  readonly actorType: string;
  readonly actorId: string | null;
  readonly authMethod: string;
  /** `<category>.<Event>` */
  readonly action: string;
  readonly resourceType: string;
  readonly resourceId: string;
  /** Revision of the resource's stream that this row is about. */
  readonly resourceRevision: number;
  readonly departmentId: string | null;
  readonly riskLevel: 'low' | 'medium' | 'high';
  readonly status: 'success' | 'failure' | 'refused';
  readonly requestId: string | null;
  readonly correlationId: string | null;
  readonly causationId: string | null;
  readonly commandId: string | null;
  readonly ip: string | null;
  readonly metadata: unknown;
  readonly position: number;
  readonly createdAt: number;
  readonly previousHash: string | null;
  readonly hash: string;
};

export type AuditFilter = {
  readonly actorId?: string | undefined;
  readonly action?: string | undefined;
  readonly resourceType?: string | undefined;
  readonly resourceId?: string | undefined;
  readonly requestId?: string | undefined;
  readonly correlationId?: string | undefined;
  readonly status?: AuditAnswer['status'] | undefined;
  readonly riskLevel?: AuditAnswer['riskLevel'] | undefined;
  /** Inclusive. */
  readonly from?: number | undefined;
  /** Exclusive. */
  readonly to?: number | undefined;
};

/** A row that the runner should look at: waiting and due, or leased by somebody who let the lease run out. */
export type DueTicket = {
  readonly ticketId: string;
  readonly operation: TicketOperation;
  readonly workerId: string;
  readonly companyId: string;
  readonly departmentId: string;
  readonly status: 'pending' | 'uncertain' | 'leased';
  readonly leaseId: string | null;
  readonly leaseHolder: string | null;
  readonly leasedUntil: number | null;
  readonly nextAttemptAt: number | null;
  readonly attemptCount: number;
  readonly cancelRequested: boolean;
  readonly requestId: string | null;
  readonly correlationId: string;
  /** Id of the event that admitted it. */
  readonly causationId: string;
};

/** What should run: the shape of `DesiredWorker` in platform/edge/port.ts. */
export type LiveWorkerAnswer = {
  readonly spec: {
    readonly workspaceId: string;
    readonly departmentId: string;
    readonly workerId: string;
    readonly scriptName: string;
    readonly versionId: string;
    readonly revision: number;
    readonly bundleDigest: string;
    readonly compatibilityDate: string;
    readonly compatibilityFlags: readonly string[];
    readonly variables: Readonly<Record<string, string>>;
  };
  readonly paused: boolean;
};
