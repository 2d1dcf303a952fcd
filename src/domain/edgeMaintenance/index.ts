import type { Decider } from '../kernel.ts';
import type { EdgeMaintenanceCommand, EdgeMaintenanceRejection } from './commands.ts';
import { decide } from './decide.ts';
import type { EdgeMaintenanceEvent } from './events.ts';
import { type EdgeMaintenance, evolve, initial, isOpen, type LiveScope, mayRemoveArtifacts } from './state.ts';

export const edgeMaintenance: Decider<
  EdgeMaintenanceCommand,
  EdgeMaintenanceEvent,
  EdgeMaintenance,
  EdgeMaintenanceRejection
> = {
  category: 'edgeMaintenance',
  events: {
    EdgeScopeRegistered: true,
    EdgeMaintenanceBegan: true,
    EdgeMaintenanceEnded: true,
    EdgeBackupFenceRaised: true,
    EdgeBackupFenced: true,
    EdgeBackupFenceReleased: true,
    EdgeBackupCompleted: true,
    EdgeBackupAbandoned: true,
    EdgeScopeRestored: true,
    EdgeScopeResynced: true,
  },
  initial,
  decide,
  evolve,
};
export type { EdgeMaintenance, EdgeMaintenanceCommand, EdgeMaintenanceEvent, EdgeMaintenanceRejection, LiveScope };
export { isOpen, mayRemoveArtifacts };
