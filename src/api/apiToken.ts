import { z } from 'zod';
import { issueApiToken, issueApiTokenSchema } from '../commands/apiToken.ts';
import { workspaceOperation } from './define.ts';
import { enterDepartment, isId, type Membership, mayGrant, noDepartment, scopeOf } from './guard.ts';
import { apiToken, isoTime, isoTimeOrNull, issuedApiToken, pageOf } from './models.ts';
import { answer, jsonBody, noBody, noInput, noQuery, type Operation } from './operation.ts';
import { pageReply, paging } from './paging.ts';
import { isRefusal, refuse } from './problem.ts';

const tag = 'API tokens';

const dayMs = 24 * 60 * 60 * 1000;
/** Time enough to put another one in its place. */
const soonMs = 14 * dayMs;

const isSoon = (expiresAt: number | null, now: number): boolean =>
  expiresAt !== null && now < expiresAt && expiresAt - now <= soonMs;

const list = workspaceOperation(
  {
    id: 'listApiTokens',
    method: 'get',
    path: '/workspaces/{workspaceId}/api-tokens',
    tag,
    summary: 'API tokens of a workspace',
    description: 'Who is limited to departments sees the tokens of those only.',
    role: 'ADMIN',
    query: paging,
    body: noBody,
    success: {
      status: 200,
      description: 'A page of tokens, without the tokens themselves',
      schema: pageOf(apiToken, 'ApiTokenPage'),
    },
    problems: ['WorkspaceNotFound'],
  },
  ({ deps, request, who, query }) =>
    pageReply(
      request,
      query,
      (page) => deps.queries.apiTokens({ ...page, workspaceId: who.workspaceId, ...scopeOf(who) }),
      ({ expiresAt, usedAt, revokedAt, createdAt, ...row }) => ({
        ...row,
        expiresSoon: revokedAt === null && isSoon(expiresAt, deps.clock.now()),
        lastUsedAt: isoTimeOrNull(usedAt),
        expiresAt: isoTimeOrNull(expiresAt),
        revokedAt: isoTimeOrNull(revokedAt),
        createdAt: isoTime(createdAt),
      }),
    ),
);

/** A token that ends must not go on in one that it gave out. */
const refuseOutliving = ({ caller }: Membership, expiresInDays: number | undefined, now: number) => {
  if (caller.kind !== 'apiToken' || caller.expiresAt === 0) return undefined;
  if (expiresInDays !== undefined && now + expiresInDays * dayMs <= caller.expiresAt) return undefined;
  return refuse('RoleInsufficient', 'A token gives out none that outlives it. Choose fewer days, or sign in.', {
    field: 'expiresInDays',
  });
};

const issue = workspaceOperation(
  {
    id: 'issueApiToken',
    method: 'post',
    path: '/workspaces/{workspaceId}/api-tokens',
    tag,
    summary: 'Issue an API token',
    description: 'For services and CI. The token is in this answer and nowhere else.',
    role: 'ADMIN',
    query: noQuery,
    body: jsonBody(issueApiTokenSchema),
    success: { status: 201, description: 'Issued', schema: issuedApiToken },
    problems: ['WorkspaceNotFound', 'DepartmentNotFound', 'ApiTokenNotFound', 'ApiTokenExists'],
  },
  async ({ deps, who, body, envelope }) => {
    const departmentIds = body.departmentId === undefined ? [] : [body.departmentId];
    const refused =
      mayGrant(who, body.role, departmentIds) ?? refuseOutliving(who, body.expiresInDays, deps.clock.now());
    if (refused) return refused;
    for (const id of departmentIds) {
      if (isRefusal(await enterDepartment(deps, who, id))) return { ...noDepartment, field: 'departmentId' };
    }
    const request = envelope(who.caller, { workspaceId: who.workspaceId });
    return answer(await issueApiToken(deps, who.workspaceId, body, request), request, (issued) => ({
      status: 201,
      body: {
        id: issued.tokenId,
        workspaceId: who.workspaceId,
        name: issued.name,
        role: issued.role,
        departmentId: issued.departmentId === '' ? null : issued.departmentId,
        expiresAt: isoTimeOrNull(issued.expiresAt),
        token: issued.token,
      },
    }));
  },
);

const noToken = refuse('ApiTokenNotFound', 'There is no such token in this workspace.');

const revoke = workspaceOperation(
  {
    id: 'revokeApiToken',
    method: 'delete',
    path: '/workspaces/{workspaceId}/api-tokens/{tokenId}',
    tag,
    summary: 'Revoke an API token',
    role: 'ADMIN',
    ...noInput,
    success: { status: 204, description: 'Revoked', schema: z.null() },
    problems: ['WorkspaceNotFound', 'ApiTokenNotFound', 'ApiTokenExists'],
  },
  async ({ deps, who, params: { tokenId }, envelope }) => {
    if (!isId(tokenId)) return noToken;
    const { state } = await deps.aggregates.apiToken.load(tokenId);
    if (state.status === 'absent' || state.workspaceId !== who.workspaceId) return noToken;
    const refused = mayGrant(who, state.role, state.departmentId === '' ? [] : [state.departmentId]);
    if (refused) return refused;
    const data = { workspaceId: who.workspaceId };
    const request = envelope(who.caller, data);
    const sent = await deps.aggregates.apiToken.send(tokenId, { type: 'RevokeApiToken', data }, request);
    return answer(sent.ok ? { ...sent, value: null } : sent, request, () => ({ status: 204, body: null }));
  },
);

export const apiTokenOperations: readonly Operation[] = [list, issue, revoke];
