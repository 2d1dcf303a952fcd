import type { KnownScript } from '../domain/reconciliation/plan.ts';
import type {
  ApiTokenAnswer,
  AuditAnswer,
  AuditFilter,
  DepartmentAnswer,
  DepartmentScope,
  DueTicket,
  InvitationAnswer,
  LiveWorkerAnswer,
  MemberAnswer,
  Page,
  PageArgs,
  Reader,
  RevisionAnswer,
  RevisionWithEvidence,
  SessionAnswer,
  TicketAnswer,
  TicketWithSteps,
  UserAnswer,
  WorkerAnswer,
  WorkerWithLatest,
  WorkspaceAnswer,
  WorkspaceOfUser,
} from './answers.ts';
import { findApiToken, listApiTokens, listTokensIssuedBy } from './apiToken/apiTokens.ts';
import { type ExportArgs, type ExportedEntry, findAuditedAt, listAudit, listExported } from './audit/auditList.ts';
import { type AuditHead, findAuditHead } from './audit/heads.ts';
import {
  type CredentialAnswer,
  type CredentialFilter,
  findCredential,
  listActiveCredentials,
  listCredentials,
} from './credential/credentialList.ts';
import { findDepartment, listDepartments } from './department/departments.ts';
import {
  countCertificates,
  type DomainAnswer,
  findDomain,
  listDomains,
  listDomainsAt,
  listDomainsOfWorker,
} from './edgeDomain/domainList.ts';
import { listLeasedDeployments, listScopes } from './edgeMaintenance/scopes.ts';
import { listReadableSecrets, listSecrets, type SecretAnswer } from './edgeSecret/edgeSecrets.ts';
import { findNextDueAt, listDueTickets } from './edgeWorker/dueTickets.ts';
import { listProvidersUsed, listScripts } from './edgeWorker/edgeWorkerScripts.ts';
import { findWorker, listDeployedWorkers } from './edgeWorker/edgeWorkers.ts';
import { listLiveWorkers } from './edgeWorker/liveWorkers.ts';
import { findReferencedDigests, findRevision, listRevisions } from './edgeWorker/revisions.ts';
import { listScheduledWorkers, type ScheduledWorker } from './edgeWorker/scheduledWorkers.ts';
import { findLiveDeployment, findTicket, listDeployments, listWorkers } from './edgeWorker/tickets.ts';
import {
  type FeedArgs,
  type FeedChanges,
  type FeedPage,
  findFeedEnd,
  findNewestEvent,
  listFeedChanges,
  readFeed,
} from './event/feed.ts';
import { listInvitations } from './invitation/invitations.ts';
import type { DueJobAnswer, JobAnswer, JobCount, JobFilter } from './job/answers.ts';
import { type DueJobsArgs, listDueJobs } from './job/dueJobs.ts';
import { countJobs, findJob, listJobs } from './job/jobList.ts';
import { type ChangedThing, type ChangeFilter, listChanged } from './past/changes.ts';
import {
  findPastPosition,
  findPositionsBetween,
  listPastStreams,
  type PastPosition,
  type PastStreamsArgs,
  type PastStreamsPage,
  type TimeSpan,
} from './past/position.ts';
import type { RelationAnswer, ResourceAnswer } from './resource/answers.ts';
import { findRelation, listRelations, type RelationFilter } from './resource/relationList.ts';
import { findGraphPosition, findResource, listResources, type ResourceFilter } from './resource/resourceList.ts';
import type { GraphView } from './resource/view.ts';
import { type WalkAnswer, type WalkArgs, walkGraph } from './resource/walk.ts';
import type { ReadDatabase } from './schema.ts';
import { listSessionsOfUser } from './session/sessions.ts';
import { findUser, listImportedCosts } from './user/users.ts';
import {
  countWebhooks,
  findWebhook,
  listSubscriptions,
  listWebhooks,
  type WebhookAnswer,
  type WebhookCount,
  type WebhookSubscription,
} from './webhook/webhookList.ts';
import { findMember, listMembers } from './workspace/workspaceMembers.ts';
import { findWorkspace, listWorkspacesOfUser } from './workspace/workspaces.ts';

type Tenant = { readonly companyId: string };
type TenantDepartment = Tenant & { readonly departmentId: string };
type InWorkspace = { readonly workspaceId: string };

/** Every read of the tables. A tenant's question always carries the tenant; a foreign row answers undefined, like none. */
export type Queries = {
  /** For sign-in, across tenants: `ln=16,r=8,p=1` of the imported password hashes that are still in use. */
  importedPasswordCosts(): Promise<readonly string[]>;
  user(args: { readonly userId: string }): Promise<UserAnswer | undefined>;

  /** Oldest first, as are members, departments, tokens and workers. */
  workspacesOfUser(args: PageArgs & { readonly userId: string }): Promise<Page<WorkspaceOfUser>>;
  workspace(args: InWorkspace): Promise<WorkspaceAnswer | undefined>;
  /** Sessions that can still be used, oldest first. */
  sessionsOfUser(args: PageArgs & { readonly userId: string; readonly now: number }): Promise<Page<SessionAnswer>>;
  members(args: PageArgs & InWorkspace & DepartmentScope): Promise<Page<MemberAnswer>>;
  member(args: InWorkspace & { readonly userId: string }): Promise<MemberAnswer | undefined>;
  departments(args: PageArgs & InWorkspace & DepartmentScope): Promise<Page<DepartmentAnswer>>;
  department(args: InWorkspace & { readonly departmentId: string }): Promise<DepartmentAnswer | undefined>;
  apiTokens(args: PageArgs & InWorkspace & DepartmentScope): Promise<Page<ApiTokenAnswer>>;
  apiToken(args: InWorkspace & { readonly tokenId: string }): Promise<ApiTokenAnswer | undefined>;
  invitations(args: PageArgs & InWorkspace & DepartmentScope): Promise<Page<InvitationAnswer>>;
  /** For the reactor that revokes them: active ones, by who issued them. */
  tokensIssuedBy(args: InWorkspace & { readonly userId: string }): Promise<readonly string[]>;

  workers(args: PageArgs & Tenant & DepartmentScope): Promise<Page<WorkerWithLatest>>;
  worker(args: TenantDepartment): Promise<WorkerAnswer | undefined>;
  /** Newest first. */
  revisions(args: PageArgs & TenantDepartment): Promise<Page<RevisionAnswer>>;
  revision(args: TenantDepartment & { readonly revision: number }): Promise<RevisionWithEvidence | undefined>;
  /** Deployments of a department's worker, newest admission first. */
  deployments(args: PageArgs & TenantDepartment): Promise<Page<TicketAnswer>>;
  /** The one that is alive, if any. */
  liveDeployment(args: TenantDepartment): Promise<TicketAnswer | undefined>;
  /** By id alone: the caller checks the tenant that the answer names before it shows anything. */
  ticket(args: { readonly ticketId: string }): Promise<TicketWithSteps | undefined>;

  /** Secrets that can be read, by name. */
  secrets(args: PageArgs & TenantDepartment): Promise<Page<SecretAnswer>>;
  /** For the reactor that removes them with their department or company. */
  readableSecrets(
    args: Tenant & { readonly departmentId?: string | undefined },
  ): Promise<readonly { readonly secretId: string; readonly departmentId: string }[]>;

  /** Oldest first, without the deleted ones. */
  credentials(args: PageArgs & InWorkspace & CredentialFilter & DepartmentScope): Promise<Page<CredentialAnswer>>;
  credential(
    args: InWorkspace & DepartmentScope & { readonly credentialId: string },
  ): Promise<CredentialAnswer | undefined>;
  /** For the reactor that deletes them with their department or workspace. */
  activeCredentials(
    args: InWorkspace & { readonly departmentId?: string | undefined },
  ): Promise<readonly { readonly credentialId: string; readonly departmentId: string }[]>;

  /** Host names of a department's worker, by name. */
  domains(args: PageArgs & TenantDepartment): Promise<Page<DomainAnswer>>;
  domain(args: TenantDepartment & { readonly domainId: string }): Promise<DomainAnswer | undefined>;
  /** For the reactor that detaches them. */
  domainsOfWorker(
    args: Tenant & { readonly workerId: string },
  ): Promise<readonly { readonly domainId: string; readonly departmentId: string }[]>;
  /** For the edge node: ids of the domains that this provider has or is to have, across tenants. */
  domainsAt(args: { readonly provider: string }): Promise<readonly string[]>;
  /** For metrics, across tenants: certificates that end before this time. */
  certificatesEndingBefore(args: { readonly endBefore: number }): Promise<number>;

  /** Newest first. */
  jobs(args: PageArgs & InWorkspace & JobFilter & Reader): Promise<Page<JobAnswer>>;
  job(args: InWorkspace & Reader & { readonly jobId: string }): Promise<JobAnswer | undefined>;
  /** For the runner: jobs of these kinds that are due, fairly, across tenants. `node` as for `dueTickets`. */
  dueJobs(args: DueJobsArgs): Promise<readonly DueJobAnswer[]>;
  /** For metrics, across tenants. */
  jobCounts(): Promise<readonly JobCount[]>;

  /** The graph of a workspace, as this caller sees it, now or at a moment. Oldest first. */
  resources(args: PageArgs & GraphView & ResourceFilter): Promise<Page<ResourceAnswer>>;
  resource(args: GraphView & { readonly resourceId: string }): Promise<ResourceAnswer | undefined>;
  /** Both ends are to be seen by the caller. */
  relations(args: PageArgs & GraphView & RelationFilter): Promise<Page<RelationAnswer>>;
  relation(args: GraphView & { readonly relationId: string }): Promise<RelationAnswer | undefined>;
  graphFrom(args: WalkArgs): Promise<WalkAnswer | undefined>;
  /** A position whose graph the tables have whole. */
  graphPosition(): Promise<number>;

  /** Newest first. */
  audit(args: PageArgs & InWorkspace & AuditFilter & DepartmentScope): Promise<Page<AuditAnswer>>;

  /** The same, oldest first, with what the hashes cover. */
  auditExport(args: ExportArgs): Promise<readonly ExportedEntry[]>;
  auditHead(args: InWorkspace): Promise<AuditHead>;
  /** What the audit trail has of a position: this event, another one, or none. */
  auditedAt(args: { readonly eventId: string; readonly position: bigint }): Promise<'same' | 'other' | 'none'>;

  /** How far a workspace had come by a time; undefined: it was not there yet. */
  pastPosition(args: InWorkspace & { readonly at: number }): Promise<PastPosition | undefined>;
  /** From where, exclusive, to where in the log a workspace was at work in a time, its end exclusive; undefined: it was not. */
  positionsBetween(args: TimeSpan): Promise<{ readonly after: bigint; readonly last: bigint } | undefined>;
  /** What changed between two positions, in the order of the first change. */
  changedThings(args: PageArgs & ChangeFilter): Promise<Page<ChangedThing>>;
  /** For a replay: where its events up to a position are. */
  pastStreams(args: PastStreamsArgs): Promise<PastStreamsPage>;

  /** What a workspace is told of, oldest first. */
  feed(args: FeedArgs): Promise<FeedPage>;
  /** Position of the newest event of a workspace, 0 when it has none. */
  feedEnd(args: InWorkspace): Promise<number>;
  /** For whoever wakes readers of feeds: the workspaces that have newer events. */
  feedChanges(args: { readonly after: number }): Promise<FeedChanges>;
  newestEvent(): Promise<number>;

  /**
   * For the runner: the most overdue first, across tenants. With `node`, also what an earlier, dead incarnation of that
   * node still holds: leases whose holder begins with `<name>/` and is not `holder`.
   */
  dueTickets(args: {
    readonly now: number;
    readonly limit: number;
    readonly node?: { readonly name: string; readonly holder: string };
    readonly gate?: { readonly open: readonly string[]; readonly mayRemoveArtifacts: boolean };
  }): Promise<readonly DueTicket[]>;
  /** All of a workspace, oldest first. */
  webhooks(args: InWorkspace): Promise<readonly WebhookAnswer[]>;
  webhook(args: InWorkspace & { readonly webhookId: string }): Promise<WebhookAnswer | undefined>;
  /** For deliveries: every webhook that is not removed, across tenants. */
  webhookSubscriptions(): Promise<readonly WebhookSubscription[]>;
  /** For metrics, across tenants. */
  webhookCounts(): Promise<readonly WebhookCount[]>;
  /** For the runner and operators: every deployment scope that has a row. */
  scopes(): Promise<readonly string[]>;
  /** For a backup: deployments of this scope whose lease has not run out. */
  leasedDeployments(args: { readonly scope: string; readonly now: number }): Promise<readonly string[]>;
  /** For the runner: when the earliest ticket that is not yet due becomes due; undefined when none waits. */
  nextDueAt(args: { readonly now: number }): Promise<number | undefined>;
  /** For the runner: everything that should be on the air, across tenants. */
  liveWorkers(): Promise<readonly LiveWorkerAnswer[]>;
  /** For the edge node: ids of the workers that have ever been deployed, across tenants. */
  deployedWorkers(): Promise<readonly string[]>;
  /** For the scheduler: what is on the air at this provider with schedules, across tenants. */
  scheduledWorkers(args: { readonly provider: string }): Promise<readonly ScheduledWorker[]>;
  /** For reconciliation: every script name that was ever ours, of one company or (with '') across tenants. */
  scripts(args: { readonly companyId: string }): Promise<readonly KnownScript[]>;
  /** For taking scripts down: the providers that deployments of this worker were admitted for. */
  providersUsed(args: { readonly workerId: string }): Promise<readonly string[]>;
  /** For artifact cleanup: those of the digests that a revision refers to, as source or bundle, across tenants. */
  referencedDigests(args: { readonly digests: readonly string[] }): Promise<ReadonlySet<string>>;
};

/** The queries on one database. */
export const createQueries = ({ db }: { readonly db: ReadDatabase }): Queries => ({
  importedPasswordCosts: () => listImportedCosts(db),
  user: (args) => findUser(db, args),
  workspacesOfUser: (args) => listWorkspacesOfUser(db, args),
  workspace: (args) => findWorkspace(db, args),
  sessionsOfUser: (args) => listSessionsOfUser(db, args),
  members: (args) => listMembers(db, args),
  member: (args) => findMember(db, args),
  departments: (args) => listDepartments(db, args),
  department: (args) => findDepartment(db, args),
  apiTokens: (args) => listApiTokens(db, args),
  apiToken: (args) => findApiToken(db, args),
  invitations: (args) => listInvitations(db, args),
  tokensIssuedBy: (args) => listTokensIssuedBy(db, args),
  workers: (args) => listWorkers(db, args),
  worker: (args) => findWorker(db, args),
  revisions: (args) => listRevisions(db, args),
  revision: (args) => findRevision(db, args),
  deployments: (args) => listDeployments(db, args),
  liveDeployment: (args) => findLiveDeployment(db, args),
  ticket: (args) => findTicket(db, args),
  secrets: (args) => listSecrets(db, args),
  readableSecrets: (args) => listReadableSecrets(db, args),
  credentials: (args) => listCredentials(db, args),
  credential: (args) => findCredential(db, args),
  activeCredentials: (args) => listActiveCredentials(db, args),
  domains: (args) => listDomains(db, args),
  domain: (args) => findDomain(db, args),
  domainsOfWorker: (args) => listDomainsOfWorker(db, args),
  domainsAt: (args) => listDomainsAt(db, args),
  certificatesEndingBefore: (args) => countCertificates(db, args),
  jobs: (args) => listJobs(db, args),
  job: (args) => findJob(db, args),
  dueJobs: (args) => listDueJobs(db, args),
  jobCounts: () => countJobs(db),
  resources: (args) => listResources(db, args),
  resource: (args) => findResource(db, args),
  relations: (args) => listRelations(db, args),
  relation: (args) => findRelation(db, args),
  graphFrom: (args) => walkGraph(db, args),
  graphPosition: () => findGraphPosition(db),
  webhooks: (args) => listWebhooks(db, args),
  webhook: (args) => findWebhook(db, args),
  webhookSubscriptions: () => listSubscriptions(db),
  webhookCounts: () => countWebhooks(db),
  audit: (args) => listAudit(db, args),
  auditExport: (args) => listExported(db, args),
  auditHead: (args) => findAuditHead(db, args),
  auditedAt: (args) => findAuditedAt(db, args),
  pastPosition: (args) => findPastPosition(db, args),
  positionsBetween: (args) => findPositionsBetween(db, args),
  changedThings: (args) => listChanged(db, args),
  pastStreams: (args) => listPastStreams(db, args),
  feed: (args) => readFeed(db, args),
  feedEnd: (args) => findFeedEnd(db, args),
  feedChanges: (args) => listFeedChanges(db, args),
  newestEvent: () => findNewestEvent(db),
  dueTickets: (args) => listDueTickets(db, args),
  scopes: () => listScopes(db),
  leasedDeployments: (args) => listLeasedDeployments(db, args),
  nextDueAt: (args) => findNextDueAt(db, args),
  liveWorkers: () => listLiveWorkers(db),
  deployedWorkers: () => listDeployedWorkers(db),
  scheduledWorkers: (args) => listScheduledWorkers(db, args),
  scripts: (args) => listScripts(db, args),
  providersUsed: (args) => listProvidersUsed(db, args),
  referencedDigests: (args) => findReferencedDigests(db, args),
});
