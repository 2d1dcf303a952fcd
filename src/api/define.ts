import type { z } from 'zod';
import { sessionMs } from '../commands/session.ts';
import type { Use } from '../commands/useRecorder.ts';
import type { Role } from '../domain/roles.ts';
import {
  authenticate,
  type Caller,
  type DepartmentMembership,
  enterDepartment,
  enterWorkspace,
  isMintedHere,
  type Membership,
  needRole,
} from './guard.ts';
import { fold, type Guard, type Handle, type Operation, type Spec, takesMoment } from './operation.ts';
import { isRefusal, type Refusal, refuse } from './problem.ts';
import type { ApiRequest } from './request.ts';
import type { ProblemCode } from './statuses.ts';

// Four ways to define an operation, by who may call it. The guard runs before anything of the request's body is read. A handler
// that answers a problem which its operation does not list does not compile.

export const publicOperation = <
  const Path extends string,
  Query,
  Body,
  ReplyBody extends z.ZodType,
  const Code extends ProblemCode,
>(
  spec: Spec<Path, Query, Body, ReplyBody, Code>,
  handle: Handle<Path, Query, Body, object, ReplyBody, NoInfer<Code>>,
): Operation => fold(spec, { access: { kind: 'public' }, guard: asAnybody, ownerOf: addressOwner }, handle);

export const signedInOperation = <
  const Path extends string,
  Query,
  Body,
  ReplyBody extends z.ZodType,
  const Code extends ProblemCode,
>(
  spec: Spec<Path, Query, Body, ReplyBody, Code> & {
    /** Also for whoever has yet to change a password that the program made. */
    readonly beforePasswordChange?: true;
  },
  handle: Handle<Path, Query, Body, Caller, ReplyBody, NoInfer<Code>>,
): Operation => {
  const access = { kind: 'signedIn', beforePasswordChange: spec.beforePasswordChange ?? false } as const;
  const guard = access.beforePasswordChange ? recognise : identify;
  return fold(spec, { access, guard, ownerOf: callerOwner }, handle);
};

export const workspaceOperation = <
  const Path extends `/workspaces/{workspaceId}${string}`,
  Query,
  Body,
  ReplyBody extends z.ZodType,
  const Code extends ProblemCode,
>(
  spec: Spec<Path, Query, Body, ReplyBody, Code> & { readonly role: Role },
  handle: Handle<Path, Query, Body, Membership, ReplyBody, NoInfer<Code>>,
): Operation => {
  const { role } = spec;
  const guard: Guard<Membership> = (request) => asMember(request, role);
  return fold(spec, { access: { kind: 'workspace', role }, guard, ownerOf: workspaceOwner }, handle);
};

export const departmentOperation = <
  const Path extends `/workspaces/{workspaceId}/departments/{departmentId}${string}`,
  Query,
  Body,
  ReplyBody extends z.ZodType,
  const Code extends ProblemCode,
>(
  spec: Spec<Path, Query, Body, ReplyBody, Code> & { readonly role: Role },
  handle: Handle<Path, Query, Body, DepartmentMembership, ReplyBody, NoInfer<Code>>,
): Operation => {
  const { role } = spec;
  const looksBack = takesMoment(spec, 'department');
  const guard: Guard<DepartmentMembership> = (request) => asDepartmentMember(request, role, looksBack);
  return fold(spec, { access: { kind: 'department', role }, guard, ownerOf: workspaceOwner }, handle);
};

// On whose account a request is done: what of one is under way keeps nobody else waiting for long.
const addressOwner = ({ address }: ApiRequest): string => `address ${address}`;
/** A workspace makes as many tokens as it likes: they are one owner wherever they are used. */
const callerOwner = (_request: ApiRequest, caller: Caller): string =>
  caller.kind === 'apiToken' ? `workspace ${caller.workspaceId}` : `user ${caller.userId}`;
const workspaceOwner = (_request: ApiRequest, { workspaceId }: Membership): string => `workspace ${workspaceId}`;

const asAnybody = ({ limiters, address, weight }: ApiRequest): object => {
  const wait = limiters.perAddress(address, weight);
  return wait === 0 ? {} : rateExceeded(wait);
};

/**
 * Whoever is known is limited by token; an address is charged for what it could not prove, and may not go on for ever. What
 * others at the same address failed at keeps nobody out whose token is one of ours: that is seen without reading the log.
 */
const recognise = async (request: ApiRequest): Promise<Caller | Refusal> => {
  const { deps, limiters, address, raw, recognised } = request;
  const blocked = limiters.perAddress(address, 0);
  if (blocked > 0 && !isMintedHere(deps, raw.headers.authorization)) return rateExceeded(blocked);
  const caller = await authenticate(deps, raw.headers.authorization);
  if (isRefusal(caller)) {
    limiters.perAddress(address);
    return blocked > 0 ? rateExceeded(blocked) : caller;
  }
  const wait = limiters.perToken(caller.actor.id, request.weight);
  if (wait > 0) return rateExceeded(wait);
  recognised?.(useOf(caller));
  return caller;
};

const passwordChangeRequired = refuse(
  'PasswordChangeRequired',
  'This password was made for you, and opens nothing before you change it: POST /auth/password, or "opslog password".',
);

const identify = async (request: ApiRequest): Promise<Caller | Refusal> => {
  const caller = await recognise(request);
  if (isRefusal(caller) || caller.kind === 'apiToken' || !caller.mustChangePassword) return caller;
  return passwordChangeRequired;
};

/** Whoever just signed in is known to be using the session: its first hour needs no note. */
const useOf = (caller: Caller): Use => {
  const { kind, actor, authMethod } = caller;
  if (kind === 'apiToken') {
    const { tokenId: id, usedAt, workspaceId } = caller;
    return { kind, id, usedAt, workspaceId, actor, authMethod };
  }
  const { sessionId: id, usedAt, expiresAt } = caller;
  return { kind, id, usedAt: Math.max(usedAt, expiresAt - sessionMs), workspaceId: '', actor, authMethod };
};

export const rateExceeded = (seconds: number, what = 'Too many requests.'): Refusal<'RateExceeded'> =>
  refuse('RateExceeded', `${what} Try again in ${seconds} s.`, { retryAfterSeconds: seconds });

const enter = async (request: ApiRequest): Promise<Membership | Refusal> => {
  const caller = await identify(request);
  if (isRefusal(caller)) return caller;
  const membership = await enterWorkspace(request.deps, caller, request.params['workspaceId'] ?? '');
  if (isRefusal(membership)) return membership;
  // Counted for members alone, so that no stranger spends what a workspace may ask.
  const wait = request.limiters.perWorkspace(membership.workspaceId, request.weight);
  return wait > 0 ? rateExceeded(wait, 'Too many requests of this workspace.') : membership;
};

const asMember = async (request: ApiRequest, role: Role): Promise<Membership | Refusal> => {
  const membership = await enter(request);
  return isRefusal(membership) ? membership : (needRole(membership, role) ?? membership);
};

/** The department is looked for before the role is judged: who may not enter learns nothing, not even of a missing right. */
const asDepartmentMember = async (
  request: ApiRequest,
  role: Role,
  looksBack: boolean,
): Promise<DepartmentMembership | Refusal> => {
  const membership = await enter(request);
  if (isRefusal(membership)) return membership;
  const orRemoved = looksBack && request.query.has('at');
  const inside = await enterDepartment(request.deps, membership, request.params['departmentId'] ?? '', { orRemoved });
  return isRefusal(inside) ? inside : (needRole(inside, role) ?? inside);
};
