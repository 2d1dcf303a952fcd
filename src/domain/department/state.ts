import type { DepartmentEvent } from './events.ts';

export type Department =
  | { readonly status: 'absent' }
  | { readonly status: 'active'; readonly workspaceId: string; readonly name: string; readonly slug: string };

export const initial: Department = { status: 'absent' };

export const evolve = (state: Department, event: DepartmentEvent): Department => {
  switch (event.type) {
    case 'DepartmentCreated':
      return { status: 'active', ...event.data };
    default:
      event.type satisfies never;
      return state;
  }
};
