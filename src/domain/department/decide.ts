import { type Decision, type Message, reject } from '../kernel.ts';
import type { DepartmentEvent } from './events.ts';
import type { Department } from './state.ts';

export type DepartmentCommand =
  | Message<'CreateDepartment', { workspaceId: string; name: string; slug: string }>
  | Message<'RemoveDepartment', { workspaceId: string }>
  /** Somebody else wants the slug, and nothing came of the claim yet. */
  | Message<'ForfeitDepartmentClaim', { workspaceId: string }>;

export type DepartmentRejection = 'DepartmentExists' | 'DepartmentNotFound';

export const decide = (
  command: DepartmentCommand,
  state: Department,
): Decision<DepartmentEvent, DepartmentRejection> => {
  if (command.type === 'RemoveDepartment') return remove(command.data.workspaceId, state);
  if (command.type === 'ForfeitDepartmentClaim') {
    const isOpen = state.status === 'absent' && !state.forfeited;
    return isOpen ? [{ type: 'DepartmentClaimForfeited', data: command.data }] : [];
  }
  if (state.status === 'absent') {
    return state.forfeited
      ? reject('DepartmentExists', 'Somebody else took its slug before it came to be.', { field: 'slug' })
      : [{ type: 'DepartmentCreated', data: command.data }];
  }
  return state.slug === command.data.slug && state.workspaceId === command.data.workspaceId
    ? []
    : reject('DepartmentExists', 'This department exists under another name.', { field: 'slug' });
};

const remove = (workspaceId: string, state: Department): Decision<DepartmentEvent, DepartmentRejection> => {
  if (state.status === 'absent' || state.workspaceId !== workspaceId) {
    return reject('DepartmentNotFound', 'There is no such department in this workspace.');
  }
  return state.status === 'removed' ? [] : [{ type: 'DepartmentRemoved', data: { workspaceId, slug: state.slug } }];
};
