import { type Decision, type Message, reject } from '../kernel.ts';
import type { EdgeMaintenanceEvent } from './events.ts';
import type { EdgeMaintenance } from './state.ts';

export type EdgeMaintenanceCommand =
  | Message<'RegisterEdgeScope', Record<never, never>>
  | Message<'BeginEdgeMaintenance', { reason: string }>
  | Message<'EndEdgeMaintenance', Record<never, never>>;

export type EdgeMaintenanceRejection = 'EdgeScopeNotFound';

export const decide = (
  command: EdgeMaintenanceCommand,
  state: EdgeMaintenance,
): Decision<EdgeMaintenanceEvent, EdgeMaintenanceRejection> => {
  if (command.type === 'RegisterEdgeScope') {
    return state.status === 'absent' ? [{ type: 'EdgeScopeRegistered', data: { epoch: 1 } }] : [];
  }
  if (state.status === 'absent') return reject('EdgeScopeNotFound', 'This deployment scope is not registered.');
  switch (command.type) {
    case 'BeginEdgeMaintenance':
      return state.status === 'active' ? [] : [{ type: 'EdgeMaintenanceBegan', data: command.data }];
    case 'EndEdgeMaintenance':
      return state.status === 'idle' ? [] : [{ type: 'EdgeMaintenanceEnded', data: { epoch: state.epoch } }];
  }
};
