import { z } from 'zod';
import { createWebhook, removeWebhook, reviseWebhook, rotateWebhookSecret } from '../commands/webhook.ts';
import { createWebhookSchema, reviseWebhookSchema, rotateWebhookSecretSchema } from '../commands/webhookFields.ts';
import { isLive } from '../domain/webhook/index.ts';

import { workspaceOperation } from './define.ts';
import type { ApiDeps } from './deps.ts';
import { enterDepartment, isId, type Membership, noDepartment } from './guard.ts';
import { isoTime } from './models.ts';
import { answer, jsonBody, noInput, noQuery, type Operation } from './operation.ts';
import { isRefusal, type Refusal } from './problem.ts';
import { findLive, maySee, noWebhook, refuseBeyond } from './webhookAccess.ts';
import {
  createdWebhook,
  revisedWebhook,
  rotatedWebhookSecret,
  showWebhook,
  webhook,
  webhookList,
  webhookState,
} from './webhookModels.ts';

const tag = 'Webhooks';
const role = 'ADMIN';
const problems = ['WorkspaceNotFound', 'WebhookNotFound', 'WebhookExists'] as const;

/** Departments that a webhook is to tell of: those that there are, and that the caller may enter. */
const checkDepartments = async (
  deps: ApiDeps,
  who: Membership,
  departmentIds: readonly string[],
): Promise<Refusal<'RoleInsufficient' | 'DepartmentNotFound'> | undefined> => {
  for (const id of departmentIds) {
    if (isRefusal(await enterDepartment(deps, who, id))) return { ...noDepartment, field: 'departmentIds' };
  }
  return refuseBeyond(who, departmentIds);
};

const list = workspaceOperation(
  {
    id: 'listWebhooks',
    method: 'get',
    path: '/workspaces/{workspaceId}/webhooks',
    tag,
    role,
    summary: 'Webhooks of a workspace, oldest first',
    description: 'All of them: a workspace has few. Who is limited to departments sees those that tell of these alone.',
    ...noInput,
    success: { status: 200, description: 'The webhooks, without their secrets', schema: webhookList },
    problems: ['WorkspaceNotFound'],
  },
  async ({ deps, who }) => {
    const rows = await deps.queries.webhooks({ workspaceId: who.workspaceId });
    const items = rows.filter(({ departmentIds }) => maySee(who, departmentIds)).map(showWebhook);
    return { status: 200, body: { items } };
  },
);

const create = workspaceOperation(
  {
    id: 'createWebhook',
    method: 'post',
    path: '/workspaces/{workspaceId}/webhooks',
    tag,
    role,
    summary: 'Send events to a URL',
    description:
      'From now on each event that the filter wants is sent as a signed message, as the Standard Webhooks specification ' +
      'says: at least once, in no certain order. The secret is in this answer and nowhere else.',
    query: noQuery,
    body: jsonBody(createWebhookSchema),
    success: { status: 201, description: 'Created', schema: createdWebhook },
    problems: [...problems, 'DepartmentNotFound', 'WebhookLimitReached', 'WebhookUrlRefused', 'NameTaken'],
  },
  async ({ deps, who, body, envelope }) => {
    const refused = await checkDepartments(deps, who, body.departmentIds);
    if (refused) return refused;
    const { workspaceId } = who;
    const request = envelope(who.caller, { workspaceId });
    return answer(await createWebhook(deps, workspaceId, body, request), request, ({ webhookId: id, ...shown }) => ({
      status: 201,
      body: { ...shown, id },
      headers: { Location: `/workspaces/${workspaceId}/webhooks/${id}` },
    }));
  },
);

const catchUpMs = 2_000;

const get = workspaceOperation(
  {
    id: 'getWebhook',
    method: 'get',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}',
    tag,
    role,
    summary: 'A webhook, without its secret',
    ...noInput,
    success: { status: 200, description: 'The webhook', schema: webhook },
    problems: ['WorkspaceNotFound', 'WebhookNotFound'],
  },
  async ({ deps, who, params: { webhookId } }) => {
    if (!isId(webhookId)) return noWebhook;
    const args = { workspaceId: who.workspaceId, webhookId };
    const found = (await deps.queries.webhook(args)) ?? (await findLater(deps, args));
    return found && maySee(who, found.departmentIds) ? { status: 200, body: showWebhook(found) } : noWebhook;
  },
);

/** One that was created a moment ago may be on its way into the table. */
const findLater = async (deps: ApiDeps, args: Parameters<ApiDeps['queries']['webhook']>[0]) => {
  await deps.waitFor(await deps.log.head(), { timeoutMs: catchUpMs });
  return deps.queries.webhook(args);
};

const revise = workspaceOperation(
  {
    id: 'reviseWebhook',
    method: 'patch',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}',
    tag,
    role,
    summary: 'Change where a webhook goes, or what it wants',
    description: 'What is left out stays. What waits to be delivered goes to the new URL.',
    query: noQuery,
    body: jsonBody(reviseWebhookSchema),
    success: { status: 200, description: 'As it is now', schema: revisedWebhook },
    problems: [...problems, 'DepartmentNotFound', 'WebhookUrlRefused'],
  },
  async ({ deps, who, params: { webhookId }, body, envelope }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    const departmentIds = body.departmentIds ?? found.departmentIds;
    const refused = body.departmentIds && (await checkDepartments(deps, who, body.departmentIds));
    if (refused) return refused;
    const { url = found.url, description = found.description, eventTypes = found.eventTypes } = body;
    const settings = { url, description, eventTypes, departmentIds };
    const request = envelope(who.caller, found);
    const revised = await reviseWebhook(deps, webhookId, settings, request);
    return answer(revised, request, (state) => ({
      status: 200,
      body: { ...settings, id: webhookId, status: state?.status ?? found.status },
    }));
  },
);

const turn = <const Id extends 'pauseWebhook' | 'resumeWebhook'>(
  id: Id,
  verb: 'pause' | 'resume',
  type: 'PauseWebhook' | 'ResumeWebhook',
  summary: string,
  description: string,
) =>
  workspaceOperation(
    {
      ...({ id, method: 'post', path: `/workspaces/{workspaceId}/webhooks/{webhookId}/${verb}`, tag, role } as const),
      ...{ summary, description, ...noInput, problems },
      success: { status: 200, description: 'As it is now', schema: webhookState },
    },
    async ({ deps, who, params: { webhookId }, envelope }) => {
      const found = await findLive(deps, who, webhookId);
      if (isRefusal(found)) return found;
      const request = envelope(who.caller, found);
      const sent = await deps.aggregates.webhook.send(webhookId, { type, data: {} }, request);
      if (!sent.ok) return sent.rejection;
      const status = isLive(sent.state) ? sent.state.status : found.status;
      return answer({ ...sent, value: { id: webhookId, status } }, request, (body) => ({ status: 200, body }));
    },
  );

const pause = turn(
  'pauseWebhook',
  'pause',
  'PauseWebhook',
  'Send nothing for a while',
  'What happens meanwhile is not sent; what waits already waits on. `replay` sends what was left out.',
);

const resume = turn(
  'resumeWebhook',
  'resume',
  'ResumeWebhook',
  'Send again what happens from now on',
  'For one that was paused, or disabled because nothing arrived. Before that, `inactiveSince` says from when to `replay`.',
);

const rotate = workspaceOperation(
  {
    id: 'rotateWebhookSecret',
    method: 'post',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}/rotate-secret',
    tag,
    role,
    summary: 'Replace the secret of a webhook',
    description:
      'For some hours messages bear a signature of both secrets, so that the receiver can change over. The new one is in ' +
      'this answer and nowhere else; the key of the old one is destroyed at the end.',
    query: noQuery,
    body: jsonBody(rotateWebhookSecretSchema, { optional: true }),
    success: { status: 200, description: 'The new secret', schema: rotatedWebhookSecret },
    problems,
  },
  async ({ deps, who, params: { webhookId }, body, envelope }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    const request = envelope(who.caller, found);
    const rotated = await rotateWebhookSecret(deps, { workspaceId: who.workspaceId, webhookId }, body, request);
    return answer(rotated, request, ({ secret, previousValidUntil }) => ({
      status: 200,
      body: { id: webhookId, secret, previousSecretValidUntil: isoTime(previousValidUntil) },
    }));
  },
);

const remove = workspaceOperation(
  {
    id: 'removeWebhook',
    method: 'delete',
    path: '/workspaces/{workspaceId}/webhooks/{webhookId}',
    tag,
    role,
    summary: 'Remove a webhook',
    description: 'Nothing is sent any more, what waits neither, and the keys of its secrets are destroyed.',
    ...noInput,
    success: { status: 204, description: 'Removed', schema: z.null() },
    problems,
  },
  async ({ deps, who, params: { webhookId }, envelope }) => {
    const found = await findLive(deps, who, webhookId);
    if (isRefusal(found)) return found;
    const request = envelope(who.caller, found);
    const removed = await removeWebhook(deps, { workspaceId: who.workspaceId, webhookId }, request);
    return answer(removed, request, () => ({ status: 204, body: null }));
  },
);

export const webhookOperations: readonly Operation[] = [list, create, get, revise, pause, resume, rotate, remove];
