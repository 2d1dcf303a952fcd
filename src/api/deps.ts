import type { Aggregates } from '../commands/aggregates.ts';
import type { RefusalRecorder } from '../commands/controlAudit.ts';
import type { Edge } from '../commands/deployment.ts';
import type { SubmissionReader } from '../commands/submission.ts';
import type { ArtifactStore } from '../platform/artifacts/port.ts';
import type { Built, Project, Refused } from '../platform/builder/port.ts';
import type { Random } from '../platform/clock/port.ts';
import type { Csv } from '../platform/csv/port.ts';
import type { EventLog, Position } from '../platform/eventLog/port.ts';
import type { Log } from '../platform/log/port.ts';
import type { Outbound } from '../platform/outbound/port.ts';
import type { Passwords } from '../platform/password/port.ts';
import type { ScheduleRules } from '../platform/schedule/port.ts';
import type { SshKeys } from '../platform/ssh/port.ts';
import type { Vault } from '../platform/vault/port.ts';
import type { OpenTail, WorkerLogReader } from '../platform/workerLogs/port.ts';
import type { AuditHead } from '../projections/audit/heads.ts';
import type { Past } from '../projections/past/past.ts';
import type { Queries } from '../projections/queries.ts';
import type { AnswerLimits } from './answerBudget.ts';
import type { BodyLimits } from './bodyBudget.ts';
import type { FeedWatch } from './feedWatch.ts';
import type { HoldLimits } from './heldAnswers.ts';
import type { Load } from './load.ts';
import type { StreamLimits } from './streamSlots.ts';
import { type TurnLimits, turnLimits } from './turns.ts';

export type Readiness = {
  readonly ready: boolean;
  /** One entry per part that must answer. */
  readonly checks: readonly { readonly name: string; readonly ok: boolean; readonly detail?: string }[];
  /** How far the read tables are behind the log. */
  readonly lag: { readonly events: number; readonly ms: number };
};

export type ObservedRequest = {
  readonly method: string;
  readonly route: string;
  readonly status: number;
  readonly seconds: number;
};

/** Tokens that refill with time: `perSecond` on average, `burst` at once. */
export type Rate = { readonly perSecond: number; readonly burst: number };

export type ApiLimits = {
  readonly jsonBytes: number;
  readonly submissionBytes: number;
  readonly jsonDepth: number;
  readonly urlBytes: number;
  readonly headers: number;
  /** Bytes of bodies in memory at once. */
  readonly bodies: BodyLimits;
  /** Bytes of answers that nobody takes. */
  readonly answers: AnswerLimits;
  readonly waitMs: number;
  /** How much is done at once, and how much of it for one. */
  readonly turns: TurnLimits;
  /** Answers that tell somebody to wait. */
  readonly heldAnswers: HoldLimits;
  /** Event streams open at once. */
  readonly streams: StreamLimits;
  readonly perAddress: Rate;
  readonly perToken: Rate;
  /** All members and tokens of a workspace together. */
  readonly perWorkspace: Rate;
  /** Sign-ins per address. */
  readonly signIn: Rate;
  /** Sign-ins per e-mail address from anywhere: so many that one stranger alone cannot keep its owner out. */
  readonly signInPerEmail: Rate;
  /** Changes of a password per account, failed ones included. */
  readonly passwordChange: Rate;
};

export const apiLimits: ApiLimits = {
  jsonBytes: 1024 * 1024,
  submissionBytes: 8 * 1024 * 1024,
  jsonDepth: 32,
  urlBytes: 4_096,
  headers: 100,
  bodies: { total: 128 * 1024 * 1024, perCaller: 32 * 1024 * 1024 },
  answers: { total: 64 * 1024 * 1024 },
  waitMs: 10_000,
  turns: turnLimits,
  heldAnswers: { ms: 250, most: 1_000 },
  streams: { total: 500, perWorkspace: 50, perCaller: 8 },
  perAddress: { perSecond: 500, burst: 2_000 },
  perToken: { perSecond: 250, burst: 1_000 },
  perWorkspace: { perSecond: 500, burst: 1_000 },
  signIn: { perSecond: 0.2, burst: 20 },
  signInPerEmail: { perSecond: 2, burst: 200 },
  passwordChange: { perSecond: 0.1, burst: 10 },
};

/** Makes a DSSE envelope of a head. `position` is decimal, `at` RFC 3339. */
export type SignHead = (
  head: Pick<AuditHead, 'workspaceId' | 'sequence' | 'hash'> & { readonly position: string; readonly at: string },
) => { payloadType: string; payload: string; signatures: { keyid: string; sig: string }[] };

export type ApiDeps = {
  readonly version: string;
  readonly aggregates: Aggregates;
  readonly log: EventLog;
  readonly queries: Queries;
  /** Of a look back: how far, and the tables of now, for what keeps its past in them. */
  readonly asOf?: { readonly position: number; readonly present: Queries };
  /** Workspaces as they were. */
  readonly past: Pick<Past, 'positionAt' | 'open'>;
  /** Does this error of a query say that the database does not answer? */
  readonly isUnavailable?: (error: unknown) => boolean;
  /** Resolves when the read tables hold everything up to the position. */
  readonly waitFor: (position: Position, options: { readonly timeoutMs: number }) => Promise<'reached' | 'timeout'>;
  readonly builder: { build(project: Project): Promise<Built | Refused> };
  readonly reader: SubmissionReader;
  readonly schedules: Pick<ScheduleRules, 'next'>;
  readonly artifacts: ArtifactStore;
  /** Lines of the workers; undefined where none are kept. */
  readonly workerLogs?: WorkerLogReader;
  /** Lines of a worker at Cloudflare, as they happen; undefined without an account. */
  readonly openTail?: OpenTail;
  /** Signs the newest entry of an audit trail with the installation's key. */
  readonly signHead: SignHead;
  readonly csv: Csv;
  /** Wakes who reads the feed of a workspace. */
  readonly feed: FeedWatch;
  /** Aborts when streams must end because the program does. */
  readonly streamsEnding?: AbortSignal;
  readonly passwords: Passwords;
  /** Who may found a company of his own here. */
  readonly mayCreateWorkspace: (userId: string) => boolean;
  readonly vault: Vault;
  readonly sshKeys: SshKeys;
  /** Says which URLs nothing is ever sent to. */
  readonly outbound: Pick<Outbound, 'check'>;
  readonly edge: Edge & {
    /** At this provider, on-prem by default; '' where only its domains say where it answers. */
    url(scriptName: string, provider?: string): string;
    /** Where attached host names answer over HTTPS on-prem; undefined: nowhere. */
    tlsPort?(): number | undefined;
  };
  readonly clock: { now(): number };
  readonly random: Pick<Random, 'uuid' | 'bytes'>;
  /** Tokens, generated passwords and digests of commands are derived from it: 32 bytes or more, kept for good. */
  readonly secretKey: Uint8Array;
  readonly logger: Log;
  /** A prom-client registry fits. */
  readonly metrics: { readonly contentType: string; metrics(): Promise<string> };
  readonly observe?: (request: ObservedRequest) => void;
  /** Told at the start how to ask what the API has in its hands. */
  readonly showLoad?: (read: () => Load) => void;
  /** Where refused and denied actions on edge workers are written down. */
  readonly refusals: Pick<RefusalRecorder, 'record' | 'lost'>;
  readonly readiness: () => Promise<Readiness>;
  readonly limits: ApiLimits;
  /** Behind a proxy that sets X-Forwarded-For, whose word then counts. */
  readonly trustForwarded?: boolean;
};
