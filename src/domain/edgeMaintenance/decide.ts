import { type Decision, reject } from '../kernel.ts';
import type { EdgeMaintenanceCommand, EdgeMaintenanceRejection } from './commands.ts';
import type { EdgeMaintenanceEvent } from './events.ts';
import type { Backup, EdgeMaintenance, LiveScope } from './state.ts';

type Outcome = Decision<EdgeMaintenanceEvent, EdgeMaintenanceRejection>;
type DataOf<Type extends EdgeMaintenanceCommand['type']> = Extract<EdgeMaintenanceCommand, { type: Type }>['data'];

export const decide = (command: EdgeMaintenanceCommand, state: EdgeMaintenance): Outcome => {
  if (command.type === 'RegisterEdgeScope') {
    return state.status === 'absent' ? [{ type: 'EdgeScopeRegistered', data: { epoch: 1 } }] : [];
  }
  if (state.status === 'absent') return reject('EdgeScopeNotFound', 'This deployment scope is not registered.');
  switch (command.type) {
    case 'BeginEdgeMaintenance':
      return state.status === 'active' ? [] : [{ type: 'EdgeMaintenanceBegan', data: command.data }];
    case 'EndEdgeMaintenance':
      return end(state);
    case 'RaiseBackupFence':
      return raise(command.data, state);
    case 'FenceBackup':
      return withBackup(command.data.fenceId, state, ({ phase, fenceId }) =>
        phase === 'raised' ? [{ type: 'EdgeBackupFenced', data: { fenceId, epoch: state.epoch } }] : [],
      );
    case 'ReleaseBackupFence':
      return withBackup(command.data.fenceId, state, ({ phase, fenceId }) =>
        phase === 'copying' ? [] : [{ type: 'EdgeBackupFenceReleased', data: { fenceId } }],
      );
    case 'CompleteBackup':
      if (state.backup === undefined && state.backedUpTo === command.data.position) return [];
      return withBackup(command.data.fenceId, state, () => [{ type: 'EdgeBackupCompleted', data: command.data }]);
    case 'AbandonBackup':
      return abandon(command.data, state);
    case 'RestoreEdgeScope':
      return restore(command.data, state);
    case 'RecordEdgeResync':
      return state.restoring ? [{ type: 'EdgeScopeResynced', data: { ...command.data, epoch: state.epoch } }] : [];
  }
};

/** Whoever ends maintenance wants the gate open: a backup that still holds it is given up as well. */
const end = (state: LiveScope): Outcome => [
  ...(state.backup ? [abandoned(state.backup, 'maintenance_ended')] : []),
  ...(state.status === 'active' || state.restoring
    ? [{ type: 'EdgeMaintenanceEnded', data: { epoch: state.epoch } } as const]
    : []),
];

const raise = ({ now, ...fence }: DataOf<'RaiseBackupFence'>, { backup }: LiveScope): Outcome => {
  const raised: EdgeMaintenanceEvent = { type: 'EdgeBackupFenceRaised', data: fence };
  if (backup === undefined) return [raised];
  if (backup.fenceId === fence.fenceId) return [];
  if (now >= backup.expiresAt) return [abandoned(backup, 'expired'), raised];
  return reject('BackupUnderWay', 'Another backup is under way. Wait for it, or run "opslog maintenance end".', {
    details: { fenceId: backup.fenceId, owner: backup.owner, expiresAt: backup.expiresAt },
  });
};

const withBackup = (fenceId: string, { backup }: LiveScope, then: (backup: Backup) => Outcome): Outcome =>
  backup?.fenceId === fenceId
    ? then(backup)
    : reject('BackupFenceLost', 'This backup was given up meanwhile. Begin another one.', { details: { fenceId } });

const abandon = ({ fenceId, reason }: DataOf<'AbandonBackup'>, { backup }: LiveScope): Outcome =>
  backup !== undefined && (fenceId === '' || backup.fenceId === fenceId) ? [abandoned(backup, reason)] : [];

const abandoned = ({ fenceId }: Backup, reason: string): EdgeMaintenanceEvent => ({
  type: 'EdgeBackupAbandoned',
  data: { fenceId, reason },
});

const restore = ({ restoreId, fromPosition, above }: DataOf<'RestoreEdgeScope'>, state: LiveScope): Outcome => {
  if (state.restoreId === restoreId) return [];
  const epoch = Math.max(state.epoch, above) + 1;
  return [{ type: 'EdgeScopeRestored', data: { restoreId, epoch, fromPosition } }];
};
