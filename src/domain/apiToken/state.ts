import type { Actor } from '../kernel.ts';
import type { Role } from '../roles.ts';
import type { ApiTokenEvent } from './events.ts';

export type ApiToken =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'revoked';
      readonly workspaceId: string;
      readonly name: string;
      readonly digest: string;
      readonly role: Role;
      readonly departmentId: string;
      readonly expiresAt: number;
      readonly issuedBy?: Pick<Actor, 'kind' | 'id'> | undefined;
      /** 0: never, or not noted yet. */
      readonly usedAt: number;
    };

export const initial: ApiToken = { status: 'absent' };

export const evolve = (state: ApiToken, event: ApiTokenEvent): ApiToken => {
  switch (event.type) {
    case 'ApiTokenIssued':
      return { status: 'active', ...event.data, usedAt: 0 };
    case 'ApiTokenUsed':
      return state.status === 'absent' ? state : { ...state, usedAt: event.data.usedAt };
    case 'ApiTokenRevoked':
      return state.status === 'absent' ? state : { ...state, status: 'revoked' };
    default:
      event satisfies never;
      return state;
  }
};
