import type { EdgeMaintenanceEvent } from './events.ts';

export type EdgeMaintenance =
  | { readonly status: 'absent' }
  | { readonly status: 'idle' | 'active'; readonly epoch: number };

export const initial: EdgeMaintenance = { status: 'absent' };

export const evolve = (state: EdgeMaintenance, event: EdgeMaintenanceEvent): EdgeMaintenance => {
  switch (event.type) {
    case 'EdgeScopeRegistered':
      return { status: 'idle', epoch: event.data.epoch };
    case 'EdgeMaintenanceBegan':
      return state.status === 'absent' ? state : { ...state, status: 'active' };
    case 'EdgeMaintenanceEnded':
      return { status: 'idle', epoch: event.data.epoch };
    default:
      event satisfies never;
      return state;
  }
};

/** May a deployment be admitted? A scope that nobody registered fails closed. */
export const isOpen = (state: EdgeMaintenance): boolean => state.status === 'idle';
