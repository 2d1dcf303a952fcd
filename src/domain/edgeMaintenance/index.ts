import type { Decider } from '../kernel.ts';
import { decide, type EdgeMaintenanceCommand, type EdgeMaintenanceRejection } from './decide.ts';
import type { EdgeMaintenanceEvent } from './events.ts';
import { type EdgeMaintenance, evolve, initial, isOpen } from './state.ts';

export const edgeMaintenance: Decider<
  EdgeMaintenanceCommand,
  EdgeMaintenanceEvent,
  EdgeMaintenance,
  EdgeMaintenanceRejection
> = {
  category: 'edgeMaintenance',
  events: { EdgeScopeRegistered: true, EdgeMaintenanceBegan: true, EdgeMaintenanceEnded: true },
  initial,
  decide,
  evolve,
};
export type { EdgeMaintenance, EdgeMaintenanceCommand, EdgeMaintenanceEvent, EdgeMaintenanceRejection };
export { isOpen };
