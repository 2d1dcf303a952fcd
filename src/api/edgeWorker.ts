import type { Envelope } from '../commands/envelope.ts';
import { sha256 } from '../commands/envelope.ts';
import { type EdgeWorker, type LiveWorker, liveRevision } from '../domain/edgeWorker/index.ts';
import { edgeWorkerId } from '../domain/identifiers.ts';
import { departmentOperation, workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { urlOf, workerWithDomains } from './edgeDomainModels.ts';
import { type DepartmentMembership, scopeOf } from './guard.ts';
import { isoTime, pageOf, worker, workerInCompany } from './models.ts';
import { answer, noBody, noInput, type Operation, type Reply } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { refuse } from './problem.ts';
import { showDeployment } from './showDeployment.ts';

const tag = 'Edge workers';
export const edgeWorkerProblems = [
  'WorkspaceNotFound',
  'DepartmentNotFound',
  'EdgeWorkerNotFound',
  'EdgeWorkerPaused',
  'EdgeWorkerNotDeployed',
  'EdgeWorkerRetired',
  'EdgeWorkerPlacedElsewhere',
  'RevisionNotFound',
  'RevisionEvidenceMissing',
  'RevisionRetired',
  'RollbackTargetMissing',
  'DeploymentAlive',
  'EdgeWorkersMaintenance',
  'TicketNotFound',
  'TicketSettled',
  'TicketNotDue',
  'LeaseHeld',
  'LeaseLost',
] as const;

export const noEdgeWorker = refuse(
  'EdgeWorkerNotFound',
  'This department has no edge worker yet. Submit a revision first.',
);

const showWorker = (deps: ApiDeps, id: string, state: LiveWorker) => {
  const live = liveRevision(state);
  const { ticket } = state;
  return {
    id,
    workspaceId: state.companyId,
    departmentId: state.departmentId,
    scriptName: state.scriptName,
    status: state.status,
    liveRevision: live === 0 ? null : live,
    drift: state.drift?.found ?? null,
    newestRevision: state.revisions.length,
    url: live === 0 ? null : deps.edge.url(state.scriptName, state.placement?.provider) || null,
    deployment: ticket
      ? { ticketId: ticket.ticketId, revision: ticket.revision, kind: ticket.kind, status: ticket.status }
      : null,
  };
};

const companyView = workspaceOperation(
  {
    id: 'listWorkers',
    method: 'get',
    path: '/workspaces/{workspaceId}/workers',
    tag,
    summary: 'Workers of a workspace, each with its latest deployment',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of workers', schema: pageOf(workerInCompany, 'WorkerPage') },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.workers({ ...page, companyId: who.workspaceId, ...scopeOf(who) }),
      (row) => ({
        ...{ id: row.id, workspaceId: row.companyId, departmentId: row.departmentId },
        ...{ scriptName: row.scriptName, status: row.status, liveRevision: row.currentRevision },
        url: row.currentRevision === null ? null : deps.edge.url(row.scriptName, placeOf(row.latestDeployment)) || null,
        drift: row.drift,
        latestDeployment: row.latestDeployment && showDeployment(row.latestDeployment),
        ...{ createdAt: isoTime(row.createdAt), updatedAt: isoTime(row.updatedAt) },
      }),
    ),
);

/** A worker stays where it was first deployed, so that its latest deployment says where it is. */
const placeOf = (latest: { readonly provider: string | null } | null): string | undefined =>
  latest?.provider ?? undefined;

const domainUrlsOf = async (deps: ApiDeps, { workspaceId: companyId, departmentId }: DepartmentMembership) => {
  try {
    const { rows } = await deps.queries.domains({ companyId, departmentId, limit: 100 });
    return rows.filter(({ status }) => status === 'attached').map((row) => urlOf(deps, row));
  } catch (error) {
    // The worker itself is shown from the log, which does not need the read tables.
    if (deps.isUnavailable?.(error)) return null;
    throw error;
  }
};

const get = departmentOperation(
  {
    id: 'getWorker',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker',
    tag,
    summary: 'The worker of a department',
    role: 'VIEWER',
    ...noInput,
    success: { status: 200, description: 'The worker', schema: workerWithDomains },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'EdgeWorkerNotFound'],
  },
  async ({ deps, who }) => {
    const id = edgeWorkerId(sha256, who.departmentId);
    const { state, revision } = await deps.aggregates.edgeWorker.load(id);
    if (state.status === 'absent') return noEdgeWorker;
    return {
      status: 200,
      revision,
      body: { ...showWorker(deps, id, state), domainUrls: await domainUrlsOf(deps, who) },
    };
  },
);

const change = async (
  deps: ApiDeps,
  who: DepartmentMembership,
  type: 'PauseEdgeWorker' | 'ResumeEdgeWorker',
  envelope: Envelope,
) => {
  const id = edgeWorkerId(sha256, who.departmentId);
  const sent = await deps.aggregates.edgeWorker.send(id, { type, data: {} }, envelope);
  return answer(sent.ok ? { ...sent, value: sent.state } : sent, envelope, (state) => reply(deps, id, state));
};

const reply = (deps: ApiDeps, id: string, state: EdgeWorker): Reply<ReturnType<typeof showWorker>> => {
  if (state.status === 'absent') throw new Error(`Worker ${id} took a command but is not there.`);
  return { status: 200, body: showWorker(deps, id, state) };
};

const pause = departmentOperation(
  {
    id: 'pauseWorker',
    method: 'post',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/pause',
    tag,
    summary: 'Take the worker off the air',
    description: 'It keeps its revision and answers 503 until it is resumed. Pausing a paused worker changes nothing.',
    role: 'MEMBER',
    ...noInput,
    success: { status: 200, description: 'Paused', schema: worker },
    problems: edgeWorkerProblems,
  },
  async ({ deps, who, envelope }) => change(deps, who, 'PauseEdgeWorker', envelope(who.caller, who)),
);

const resume = departmentOperation(
  {
    id: 'resumeWorker',
    method: 'post',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/resume',
    tag,
    summary: 'Put the worker back on the air',
    role: 'MEMBER',
    ...noInput,
    success: { status: 200, description: 'Resumed', schema: worker },
    problems: edgeWorkerProblems,
  },
  async ({ deps, who, envelope }) => change(deps, who, 'ResumeEdgeWorker', envelope(who.caller, who)),
);

export const edgeWorkerOperations: readonly Operation[] = [companyView, get, pause, resume];
