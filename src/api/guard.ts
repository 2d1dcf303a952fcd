import { isBacked } from '../commands/givers.ts';
import { mintToken, type ParsedToken, parseToken, sameDigest } from '../commands/tokens.ts';
import { atLeast, type Role } from '../domain/roles.ts';
import { isSessionCurrent } from '../domain/user/index.ts';
import type { ApiDeps } from './deps.ts';
import { type Refusal, refuse } from './problem.ts';
import type { Acting } from './request.ts';

/** Who asks. A session acts with the rights of its user, a token only with its own and in its own workspace. */
export type Caller = Acting &
  (
    | {
        readonly kind: 'session';
        readonly sessionId: string;
        /** The password was made by the program: until it is changed, little else is allowed. */
        readonly mustChangePassword: boolean;
        readonly userId: string;
        readonly expiresAt: number;
        readonly usedAt: number;
      }
    | {
        readonly kind: 'apiToken';
        readonly tokenId: string;
        readonly name: string;
        readonly workspaceId: string;
        readonly role: Role;
        readonly departmentId: string;
        readonly expiresAt: number;
        readonly usedAt: number;
      }
  );

/** Rights of a caller in one workspace; `departmentIds` empty means all of them. */
export type Membership = {
  readonly caller: Caller;
  readonly workspaceId: string;
  readonly role: Role;
  readonly departmentIds: readonly string[];
};
export type DepartmentMembership = Membership & { readonly departmentId: string };

/** What other processes revoke or change is noticed after this time at the latest. */
const maxAgeMs = 500;

/** Every reason for not knowing the caller has one answer. */
const unknownCaller = refuse(
  'AuthenticationRequired',
  'Send "Authorization: Bearer <token>" with a session or API token that is valid. Sign in to get one.',
);

export const authenticate = async (
  deps: ApiDeps,
  authorization: string | undefined,
): Promise<Caller | Refusal<'AuthenticationRequired'>> => {
  const parsed = parseToken(bearerOf(authorization));
  if (!parsed) return unknownCaller;
  const caller = await callerOf(deps, parsed);
  return caller && (caller.expiresAt === 0 || deps.clock.now() < caller.expiresAt) ? caller : unknownCaller;
};

/** Is this a token that only this installation could have made? Whether it is still good is another question. */
export const isMintedHere = ({ secretKey }: Pick<ApiDeps, 'secretKey'>, authorization: string | undefined): boolean => {
  const parsed = parseToken(bearerOf(authorization));
  return parsed !== undefined && sameDigest(mintToken(secretKey, parsed.kind, parsed.id).digest, parsed.digest);
};

const bearerOf = (authorization: string | undefined): string =>
  /^Bearer +([!-~]{1,200})$/i.exec(authorization ?? '')?.[1] ?? '';

const callerOf = (deps: ApiDeps, { kind, id, digest }: ParsedToken): Promise<Caller | undefined> => {
  switch (kind) {
    case 'session':
      return bySession(deps, id, digest);
    case 'apiToken':
      return byApiToken(deps, id, digest);
    case 'invitation':
      return Promise.resolve(undefined);
  }
};

const bySession = async ({ aggregates }: ApiDeps, id: string, digest: string): Promise<Caller | undefined> => {
  const state = await present(aggregates.session, id);
  if (state.status !== 'open' || !sameDigest(state.tokenDigest, digest)) return undefined;
  const { userId, expiresAt, usedAt } = state;
  const user = await present(aggregates.user, userId);
  if (!isSessionCurrent(user, id, state.epoch)) return undefined;
  return {
    kind: 'session',
    sessionId: id,
    mustChangePassword: user.status === 'registered' && user.initialUntil !== 0,
    userId,
    expiresAt,
    usedAt,
    actor: { kind: 'user', id: userId },
    authMethod: 'session',
  };
};

const byApiToken = async (deps: ApiDeps, id: string, digest: string): Promise<Caller | undefined> => {
  const { aggregates } = deps;
  const state = await present(aggregates.apiToken, id);
  if (state.status !== 'active' || !sameDigest(state.digest, digest)) return undefined;
  // A token ends with its workspace; whatever happens to its own stream then is housekeeping.
  if ((await present(aggregates.workspace, state.workspaceId)).status !== 'active') return undefined;
  if (!(await isBacked(deps, state, maxAgeMs))) return undefined;
  const { workspaceId, role, departmentId, name, expiresAt, usedAt } = state;
  const acting = { actor: { kind: 'apiToken', id }, authMethod: 'api_token' } as const;
  return { kind: 'apiToken', tokenId: id, name, workspaceId, role, departmentId, expiresAt, usedAt, ...acting };
};

type Loader<State> = {
  load(id: string, options?: { readonly maxAgeMs?: number }): Promise<{ readonly state: State }>;
};

/** A state that is absent in the cache may have come to be since, in another process: look again. */
const present = async <State extends { readonly status: string }>(
  aggregate: Loader<State>,
  id: string,
  ageMs: number = maxAgeMs,
): Promise<State> => {
  const { state } = await aggregate.load(id, { maxAgeMs: ageMs });
  return state.status === 'absent' ? (await aggregate.load(id)).state : state;
};

export const noWorkspace = refuse('WorkspaceNotFound', 'There is no such workspace.');
export const noDepartment = refuse('DepartmentNotFound', 'There is no such department in this workspace.');
const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
export const isId = (text: string): boolean => uuid.test(text);

/** Somebody else's workspace answers exactly like one that never was. */
export const enterWorkspace = async (
  deps: ApiDeps,
  caller: Caller,
  workspaceId: string,
): Promise<Membership | Refusal<'WorkspaceNotFound'>> => {
  if (caller.kind === 'apiToken') {
    if (caller.workspaceId !== workspaceId) return noWorkspace;
    const departmentIds = caller.departmentId === '' ? [] : [caller.departmentId];
    return { caller, workspaceId, role: caller.role, departmentIds };
  }
  if (!isId(workspaceId)) return noWorkspace;
  const state = await present(deps.aggregates.workspace, workspaceId);
  const member = state.status === 'active' ? state.members.get(caller.userId) : undefined;
  if (!member) return noWorkspace;
  return { caller, workspaceId, role: member.role, departmentIds: member.departmentIds };
};

export const mayEnter = ({ departmentIds }: Pick<Membership, 'departmentIds'>, departmentId: string): boolean =>
  departmentIds.length === 0 || departmentIds.includes(departmentId);

/** A department of another workspace, or one that the caller is kept out of, answers like one that never was. */
export const enterDepartment = async (
  { aggregates }: ApiDeps,
  membership: Membership,
  departmentId: string,
  { orRemoved = false }: { readonly orRemoved?: boolean } = {},
): Promise<DepartmentMembership | Refusal<'DepartmentNotFound'>> => {
  if (!isId(departmentId) || !mayEnter(membership, departmentId)) return noDepartment;
  const state = await present(aggregates.department, departmentId);
  if (state.status === 'absent' || state.workspaceId !== membership.workspaceId) return noDepartment;
  // Whoever looks back may see one that is gone since, if he sees all of them.
  const isSeen = state.status === 'active' || (orRemoved && membership.departmentIds.length === 0);
  if (!isSeen) return noDepartment;
  return { ...membership, departmentId };
};

export const needRole = (membership: Membership, needed: Role): Refusal<'RoleInsufficient'> | undefined =>
  atLeast(membership.role, needed)
    ? undefined
    : refuse('RoleInsufficient', `This needs the role ${needed}; you have ${membership.role} in this workspace.`, {
        details: { needed, role: membership.role },
      });

/** As the queries take it: undefined for a caller who may see every department. */
export const scopeOf = ({ departmentIds }: Membership): { readonly departmentIds: readonly string[] | undefined } => ({
  departmentIds: departmentIds.length === 0 ? undefined : departmentIds,
});

/** As queries take it that show more to some than to others. */
export const readerOf = (who: Membership) => ({ workspaceId: who.workspaceId, role: who.role, ...scopeOf(who) });

export const needAllDepartments = ({ departmentIds }: Membership): Refusal<'RoleInsufficient'> | undefined =>
  departmentIds.length === 0
    ? undefined
    : refuse('RoleInsufficient', 'You are limited to some departments; this needs somebody who is not.');

/** Nobody gives away more than he has: neither a higher role nor a department that he may not enter. */
export const mayGrant = (
  membership: Membership,
  role: Role,
  departmentIds: readonly string[],
): Refusal<'RoleInsufficient'> | undefined => {
  if (!atLeast(membership.role, role)) {
    return refuse('RoleInsufficient', `Only an OWNER deals with the role ${role}; you are ${membership.role}.`, {
      field: 'role',
    });
  }
  if (membership.departmentIds.length === 0) return undefined;
  const beyond = departmentIds.length === 0 || departmentIds.some((id) => !mayEnter(membership, id));
  return beyond ? needAllDepartments(membership) : undefined;
};
