import { setTimeout as delay } from 'node:timers/promises';
import { z } from 'zod';
import { admitDeployment, deploySchema, rollbackSchema, type WantedDeployment } from '../commands/deployment.ts';
import type { Envelope } from '../commands/envelope.ts';
import type { TicketWithSteps } from '../projections/answers.ts';
import { departmentOperation, signedInOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { edgeWorkerProblems } from './edgeWorker.ts';
import { type Caller, type DepartmentMembership, enterDepartment, enterWorkspace, isId, needRole } from './guard.ts';
import { admittedDeployment, cancelledDeployment, deployment, deploymentWithSteps, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { asThen, untilKnown } from './past.ts';
import { atQuery } from './pointInTime.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import type { ApiRequest } from './request.ts';
import { showDeployment, showDeploymentWithSteps } from './showDeployment.ts';

const tag = 'Deployments';

const rowMs = 1_000;

/** A row that is missing closes the gate; a database that is slow or away does not. */
const gated = ({ aggregates, edge, queries }: ApiDeps) => ({
  aggregates,
  edge: {
    ...edge,
    isRowMissing: (scope: string): Promise<boolean> =>
      Promise.race([
        queries.scopes().then(
          (known) => !known.includes(scope),
          () => false,
        ),
        delay(rowMs, false, { ref: false }),
      ]),
  },
});

const admit = async (
  deps: ApiDeps,
  { departmentId }: DepartmentMembership,
  wanted: WantedDeployment,
  envelope: Envelope,
) =>
  answer(await admitDeployment(gated(deps), departmentId, wanted, envelope), envelope, (admitted) => {
    const statusUrl = `/worker/deployments/${admitted.ticketId}`;
    return { status: 202, body: { ...admitted, statusUrl }, headers: { Location: statusUrl } };
  });

const wantedOf = ({ revision = 0, supersede = false, provider }: z.output<typeof deploySchema>) => ({
  ...{ revision, supersede, provider: provider ?? '' },
});

const deploymentProblems = [...edgeWorkerProblems, 'EdgeProviderNotFound', 'SecretGone'] as const;

const deploy = departmentOperation(
  {
    id: 'deployRevision',
    method: 'post',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/deployments',
    tag,
    summary: 'Deploy a revision',
    description: 'Answers with a ticket at once. One deployment of a worker is alive at a time.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(deploySchema, { optional: true }),
    success: { status: 202, description: 'Admitted', schema: admittedDeployment },
    problems: deploymentProblems,
  },
  ({ deps, who, body, envelope }) => admit(deps, who, { kind: 'deploy', ...wantedOf(body) }, envelope(who.caller, who)),
);

const rollBack = departmentOperation(
  {
    id: 'rollBack',
    method: 'post',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/rollback',
    tag,
    summary: 'Deploy a revision that was live before',
    description: 'The revision is put back as it was built then, with its settings; nothing is rebuilt.',
    role: 'MEMBER',
    query: noQuery,
    body: jsonBody(rollbackSchema, { optional: true }),
    success: { status: 202, description: 'Admitted', schema: admittedDeployment },
    problems: deploymentProblems,
  },
  ({ deps, who, body, envelope }) =>
    admit(deps, who, { kind: 'rollback', ...wantedOf(body) }, envelope(who.caller, who)),
);

const list = departmentOperation(
  {
    id: 'listDeployments',
    method: 'get',
    path: '/workspaces/{workspaceId}/departments/{departmentId}/worker/deployments',
    tag,
    summary: 'Deployments of the worker, newest first',
    role: 'VIEWER',
    query: paging,
    body: noBody,
    success: { status: 200, description: 'A page of deployments', schema: pageOf(deployment, 'DeploymentPage') },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound'],
  },
  ({ deps, request, who: { workspaceId, departmentId }, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.deployments({ ...page, companyId: workspaceId, departmentId }),
      showDeployment,
    ),
);

const noTicket = refuse('TicketNotFound', 'There is no such deployment.');
const catchUpMs = 2_000;

type Found = { readonly ticket: TicketWithSteps; readonly who: DepartmentMembership };

/** A ticket of somebody else answers like one that never was. One that was admitted a moment ago may be on its way. */
const find = async (
  deps: ApiDeps,
  caller: Caller,
  ticketId: string,
  { orRemoved = false }: { readonly orRemoved?: boolean } = {},
): Promise<Found | Refusal<'TicketNotFound'>> => {
  if (!isId(ticketId)) return noTicket;
  const ticket = (await deps.queries.ticket({ ticketId })) ?? (await findLater(deps, ticketId));
  if (ticket?.operation !== 'deploy') return noTicket;
  const membership = await enterWorkspace(deps, caller, ticket.companyId);
  if (isRefusal(membership)) return noTicket;
  const who = await enterDepartment(deps, membership, ticket.departmentId, { orRemoved });
  return isRefusal(who) ? noTicket : { ticket, who };
};

const findLater = async (deps: ApiDeps, ticketId: string): Promise<TicketWithSteps | undefined> => {
  await deps.waitFor(await deps.log.head(), { timeoutMs: catchUpMs });
  return deps.queries.ticket({ ticketId });
};

const get = signedInOperation(
  {
    id: 'getDeployment',
    method: 'get',
    path: '/worker/deployments/{ticketId}',
    tag,
    summary: 'A deployment with its steps, and what happens next',
    query: atQuery,
    body: noBody,
    success: { status: 200, description: 'The deployment', schema: deploymentWithSteps },
    problems: ['TicketNotFound', 'HistoryTooLong', 'ServerBusy'],
  },
  async ({ deps, request, who, params, query: { at } }) => {
    const found = await find(deps, who, params.ticketId, { orRemoved: at !== undefined });
    if (isRefusal(found)) return found;
    return at === undefined
      ? { status: 200, body: showDeploymentWithSteps(found.ticket) }
      : findThen(request, found, at);
  },
);

/** The address names no workspace: what it was then is looked for once it is known whose it is. */
const findThen = async (
  request: Pick<ApiRequest, 'deps' | 'limiters'>,
  { who: { workspaceId, departmentId }, ticket: { ticketId } }: Found,
  at: number,
) => {
  const unknown = await untilKnown(request.deps, at);
  if (unknown) return unknown;
  const answered = await asThen(request, { workspaceId, departmentId, at }, async ({ deps: { queries } }) => {
    const then = await queries.ticket({ ticketId });
    return then ? { status: 200, body: showDeploymentWithSteps(then) } : noTicket;
  });
  return isRefusal(answered) ? noTicket : answered;
};

const settledBefore = refuse('TicketSettled', 'This deployment has settled, and another one followed it.');

const cancelSchema = z.strictObject({ giveUp: z.boolean().optional() });

const cancel = signedInOperation(
  {
    id: 'cancelDeployment',
    method: 'post',
    path: '/worker/deployments/{ticketId}/cancel',
    tag,
    summary: 'Cancel a deployment',
    description:
      'One that waits is cancelled at once. For one that a runner works on it is a request. With `giveUp` one whose ' +
      'outcome is uncertain ends too, as failed: nobody looks any more what became of it, so reconcile afterwards.',
    query: noQuery,
    body: jsonBody(cancelSchema, { optional: true }),
    success: { status: 202, description: 'Cancelled, or asked for', schema: cancelledDeployment },
    problems: [...edgeWorkerProblems, 'RoleInsufficient'],
  },
  async ({ deps, who: caller, params: { ticketId }, body, envelope }) => {
    const found = await find(deps, caller, ticketId);
    if (isRefusal(found)) return found;
    const { ticket, who } = found;
    const refused = needRole(who, 'MEMBER');
    if (refused) return refused;
    const request = envelope(caller, who);
    const command = { type: 'RequestDeploymentCancel', data: { ticketId, giveUp: body.giveUp ?? false } } as const;
    const sent = await deps.aggregates.edgeWorker.send(ticket.workerId, command, request);
    // The worker remembers its newest deployment only; one that there was is not unknown.
    if (!sent.ok) return sent.rejection.rejected === 'TicketNotFound' ? settledBefore : sent.rejection;
    const current = sent.state.status === 'absent' ? undefined : sent.state.ticket;
    const cancelled =
      sent.events.some((event) => event.type === 'DeploymentCancelled') ||
      (current?.ticketId === ticketId && current.status === 'cancelled');
    return answer({ ...sent, value: { ticketId, cancelled } }, request, (body) => ({ status: 202, body }));
  },
);

export const deploymentOperations: readonly Operation[] = [deploy, rollBack, list, get, cancel];
