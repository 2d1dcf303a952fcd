import type { ApiToken } from '../domain/apiToken/index.ts';
import type { Actor } from '../domain/kernel.ts';
import { covers, type Rights } from '../domain/roles.ts';
import type { Aggregates } from './aggregates.ts';

export type GiverDeps = {
  readonly aggregates: Pick<Aggregates, 'apiToken' | 'workspace'>;
  readonly clock: { now(): number };
};

type Issued = Extract<ApiToken, { readonly status: 'active' | 'revoked' }>;

/** Tokens that gave out tokens that gave out tokens: nobody needs more. */
const longestChain = 8;

/** What whoever gave something out in this workspace may do now; undefined: nothing any more. */
export const rightsOfGiver = async (
  deps: GiverDeps,
  workspaceId: string,
  { kind, id }: Pick<Actor, 'kind' | 'id'>,
  maxAgeMs = 0,
  chain = longestChain,
): Promise<Rights | undefined> => {
  switch (kind) {
    case 'system':
      return { role: 'OWNER', departmentIds: [] };
    case 'user': {
      const { state } = await deps.aggregates.workspace.load(workspaceId, { maxAgeMs });
      return state.status === 'active' ? state.members.get(id) : undefined;
    }
    case 'apiToken': {
      const { state } = await deps.aggregates.apiToken.load(id, { maxAgeMs });
      if (chain === 0 || state.status !== 'active' || state.workspaceId !== workspaceId) return undefined;
      if (state.expiresAt !== 0 && deps.clock.now() >= state.expiresAt) return undefined;
      return (await isBacked(deps, state, maxAgeMs, chain - 1)) ? rightsOfToken(state) : undefined;
    }
  }
};

export const rightsOfToken = ({ role, departmentId }: Pick<Issued, 'role' | 'departmentId'>): Rights => ({
  role,
  departmentIds: departmentId === '' ? [] : [departmentId],
});

/** A token does no more than whoever gave it out still may: a demotion reaches it at once, whatever becomes of its row. */
export const isBacked = async (
  deps: GiverDeps,
  token: Pick<Issued, 'workspaceId' | 'role' | 'departmentId' | 'issuedBy'>,
  maxAgeMs = 0,
  chain = longestChain,
): Promise<boolean> => {
  if (token.issuedBy === undefined) return true;
  const giver = await rightsOfGiver(deps, token.workspaceId, token.issuedBy, maxAgeMs, chain);
  return giver !== undefined && covers(giver, rightsOfToken(token));
};
