import type { DepartmentEvent } from './events.ts';

export type Department =
  | { readonly status: 'absent'; readonly forfeited?: true }
  | {
      readonly status: 'active' | 'removed';
      readonly workspaceId: string;
      readonly name: string;
      readonly slug: string;
    };

export const initial: Department = { status: 'absent' };

export const evolve = (state: Department, event: DepartmentEvent): Department => {
  switch (event.type) {
    case 'DepartmentCreated':
      return { status: 'active', ...event.data };
    case 'DepartmentRemoved':
      return state.status === 'absent' ? state : { ...state, status: 'removed' };
    case 'DepartmentClaimForfeited':
      return state.status === 'absent' ? { status: 'absent', forfeited: true } : state;
    default:
      event satisfies never;
      return state;
  }
};
