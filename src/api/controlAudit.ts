import { createHmac } from 'node:crypto';
import { canonicalJson } from '../commands/canonicalJson.ts';
import type { RefusedAction } from '../commands/controlAudit.ts';
import { sha256 } from '../commands/envelope.ts';
import { edgeDomainId, edgeSecretId, edgeWorkerId } from '../domain/identifiers.ts';
import type { ApiDeps } from './deps.ts';
import { authenticate, type Caller, enterWorkspace, isId, mayEnter } from './guard.ts';
import type { Operation } from './operation.ts';
import { isRefusal, type Refusal, snakeCase } from './problem.ts';
import { type ApiRequest, preferencesOf } from './request.ts';
import { statuses } from './statuses.ts';

/**
 * What is done to edge workers, which is anything under a worker, deployments, secrets, domains, schedules and
 * reconciliation; and to credentials.
 */
export const isControlled = ({ path }: Pick<Operation, 'path'>): boolean =>
  /\/(workers?|domains|credentials)(\/|$)/.test(path);

export type AuditedRequest = {
  readonly request: ApiRequest;
  readonly route: Pick<Operation, 'id' | 'path' | 'isCommand'>;
  /** The parsed body, undefined when it was not read. */
  readonly content: unknown;
};

/**
 * Records a refusal of an action on edge workers or credentials. Resolves before the answer may go out: at once for what is answered like
 * something that never was, because who waited longer for what exists would know that it does. Never rejects.
 */
export const auditRefusal = async (audited: AuditedRequest, refusal: Refusal): Promise<void> => {
  const verdict = verdictOf(refusal, audited);
  if (!verdict) return;
  const recording = record(audited, verdict);
  if (verdict.hidden) return;
  await recording;
};

type Verdict = Pick<RefusedAction, 'result' | 'reasonCode'> & { readonly hidden: boolean };

/** What may hide somebody who may not, or nothing at all. */
const hidings: ReadonlySet<string> = new Set([
  ...['WorkspaceNotFound', 'DepartmentNotFound', 'TicketNotFound', 'CredentialNotFound'],
]);
/** Others were faster: the caller tries again, and then it is decided. */
const undecided: ReadonlySet<string> = new Set(['StreamContended']);

const verdictOf = ({ rejected }: Refusal, { request, route }: AuditedRequest): Verdict | undefined => {
  const reasonCode = snakeCase(rejected);
  if (hidings.has(rejected)) return { result: 'denied', reasonCode, hidden: true };
  const status: number = statuses[rejected];
  if (status === 403) return { result: 'denied', reasonCode, hidden: false };
  if (!route.isCommand || undecided.has(rejected) || (status !== 409 && status !== 422)) return undefined;
  const preferences = preferencesOf(request.raw);
  // Nothing is attempted on a dry run.
  if (!isRefusal(preferences) && preferences.dryRun) return undefined;
  return { result: 'refused', reasonCode, hidden: false };
};

const record = async (audited: AuditedRequest, verdict: Verdict): Promise<void> => {
  const { deps } = audited.request;
  try {
    const refused = await refusedAction(audited, verdict);
    if (refused) await deps.refusals.record(refused);
  } catch (error) {
    deps.refusals.lost(1, error);
  }
};

/** Undefined when there is nothing to tell: nobody known asked, or what they asked for does not exist. */
const refusedAction = async (audited: AuditedRequest, verdict: Verdict): Promise<RefusedAction | undefined> => {
  const { request, route, content } = audited;
  const { deps, requestId, correlationId, ip } = request;
  const caller = await authenticate(deps, request.raw.headers.authorization);
  if (isRefusal(caller)) return undefined;
  const tenant = await tenantOf(deps, caller, request.params);
  if (!tenant) return undefined;
  const { actor, authMethod } = caller;
  const about = { ...tenant, actor, authMethod, ip, action: route.id, result: verdict.result };
  if (tenant.by === 'stranger') {
    // Theirs to know is who tried what, and nothing that a stranger could write into it.
    return {
      ...about,
      reasonCode: 'membership_missing',
      ...workspaceOf(tenant),
      requestId: '',
      correlationId: '',
      digest: '',
    };
  }
  if (verdict.hidden && !tenant.shut) return undefined;
  const reasonCode = tenant.shut ? 'department_forbidden' : verdict.reasonCode;
  const digest = digestOf(deps.secretKey, content);
  return { ...about, reasonCode, ...resourceOf(tenant, route.path, request.params), requestId, correlationId, digest };
};

type Tenant = Pick<RefusedAction, 'workspaceId' | 'departmentId' | 'by'> & {
  /** The department is there, and the caller is kept out of it. */
  readonly shut: boolean;
  /** Of this workspace. The id of another's, which a caller may bring along, is for no record here. */
  readonly credentialId?: string;
};
type Params = ApiRequest['params'];

/** Whose the thing is that was asked for. Undefined when it does not exist. */
const tenantOf = async (deps: ApiDeps, caller: Caller, params: Params): Promise<Tenant | undefined> => {
  const { ticketId, credentialId, workspaceId = '', departmentId = '' } = params;
  if (credentialId !== undefined) return tenantOfCredential(deps, caller, workspaceId, credentialId);
  if (ticketId === undefined) return tenantIn(deps, caller, workspaceId, departmentId);
  const ticket = isId(ticketId) ? await deps.queries.ticket({ ticketId }) : undefined;
  return ticket && tenantIn(deps, caller, ticket.companyId, ticket.departmentId);
};

/** Of the whole workspace it is shut to whoever is limited to departments. */
const tenantOfCredential = async (
  deps: ApiDeps,
  caller: Caller,
  workspaceId: string,
  credentialId: string,
): Promise<Tenant | undefined> => {
  const tenant = await tenantIn(deps, caller, workspaceId, '');
  if (tenant?.by !== 'member' || !isId(credentialId)) return tenant;
  const { state } = await deps.aggregates.credential.load(credentialId, { maxAgeMs });
  if (state.status === 'absent' || state.workspaceId !== workspaceId) return tenant;
  if (state.status === 'deleted') return { ...tenant, credentialId };
  const membership = await enterWorkspace(deps, caller, workspaceId);
  const shut = !isRefusal(membership) && !mayEnter(membership, state.departmentId);
  return { ...tenant, departmentId: state.departmentId, shut, credentialId };
};

const tenantIn = async (
  deps: ApiDeps,
  caller: Caller,
  workspaceId: string,
  departmentId: string,
): Promise<Tenant | undefined> => {
  if (!isId(workspaceId)) return undefined;
  const { state: workspace } = await deps.aggregates.workspace.load(workspaceId, { maxAgeMs });
  if (workspace.status !== 'active') return undefined;
  const membership = await enterWorkspace(deps, caller, workspaceId);
  if (isRefusal(membership)) return { workspaceId, departmentId: '', by: 'stranger', shut: false };
  if (departmentId === '') return { workspaceId, departmentId, by: 'member', shut: false };
  if (!isId(departmentId)) return undefined;
  const { state: department } = await deps.aggregates.department.load(departmentId, { maxAgeMs });
  if (department.status !== 'active' || department.workspaceId !== workspaceId) return undefined;
  return { workspaceId, departmentId, by: 'member', shut: !mayEnter(membership, departmentId) };
};

const maxAgeMs = 500;

const workspaceOf = ({ workspaceId }: Tenant) => ({ resourceType: 'workspace', resourceId: workspaceId });

/** What it was about. Ids are derived where a caller chose the name, so that none is ever too long for its column. */
const resourceOf = (tenant: Tenant, path: string, params: Params) => {
  const { departmentId, credentialId } = tenant;
  const { ticketId, name, hostname } = params;
  if (credentialId !== undefined) return { resourceType: 'credential', resourceId: credentialId };
  if (ticketId !== undefined) return { resourceType: 'deployment', resourceId: ticketId };
  if (departmentId === '') return workspaceOf(tenant);
  if (hostname !== undefined) {
    return { resourceType: 'edgeDomain', resourceId: edgeDomainId(sha256, hostname.toLowerCase()) };
  }
  if (name !== undefined && path.includes('/secrets/')) {
    return { resourceType: 'edgeSecret', resourceId: edgeSecretId(sha256, departmentId, name) };
  }
  return { resourceType: 'edgeWorker', resourceId: edgeWorkerId(sha256, departmentId) };
};

/** Keyed, because a body may hold a secret and a plain digest could be guessed at. */
const digestOf = (key: Uint8Array, content: unknown): string => {
  if (content === undefined) return '';
  const text = content instanceof Uint8Array ? sha256(content) : canonicalJson(content ?? {});
  return createHmac('sha256', key).update(`control-audit\0${text}`).digest('hex');
};
