import type { EdgeMaintenanceEvent } from './events.ts';

export type Backup = {
  readonly fenceId: string;
  readonly owner: string;
  readonly expiresAt: number;
  /** `raised` and `fenced` close the gate; while `copying` only artifacts are held back from cleanup. */
  readonly phase: 'raised' | 'fenced' | 'copying';
};

export type LiveScope = {
  readonly status: 'idle' | 'active';
  readonly epoch: number;
  /** Why maintenance is under way; '' when it is not. */
  readonly reason: string;
  readonly backup: Backup | undefined;
  /** Put back from a backup, and not yet running what the log says. */
  readonly restoring: boolean;
  /** The last restore that was recorded; '' when there was none. */
  readonly restoreId: string;
  /** Where the last completed backup ends, as decimal text; '' when there was none. */
  readonly backedUpTo: string;
};

export type EdgeMaintenance = { readonly status: 'absent' } | LiveScope;

export const initial: EdgeMaintenance = { status: 'absent' };

const fresh: Omit<LiveScope, 'epoch'> = {
  ...{ status: 'idle', reason: '', backup: undefined, restoring: false, restoreId: '', backedUpTo: '' },
};

export const evolve = (state: EdgeMaintenance, event: EdgeMaintenanceEvent): EdgeMaintenance => {
  if (event.type === 'EdgeScopeRegistered') return { ...fresh, epoch: event.data.epoch };
  return state.status === 'absent' ? state : evolveScope(state, event);
};

const evolveScope = (
  scope: LiveScope,
  event: Exclude<EdgeMaintenanceEvent, { type: 'EdgeScopeRegistered' }>,
): LiveScope => {
  switch (event.type) {
    case 'EdgeMaintenanceBegan':
      return { ...scope, status: 'active', reason: event.data.reason };
    case 'EdgeMaintenanceEnded':
      return { ...scope, status: 'idle', reason: '', epoch: event.data.epoch, restoring: false };
    case 'EdgeBackupFenceRaised':
      return { ...scope, backup: { ...event.data, phase: 'raised' } };
    case 'EdgeBackupFenced':
      return inPhase(scope, event.data.fenceId, 'fenced');
    case 'EdgeBackupFenceReleased':
      return inPhase(scope, event.data.fenceId, 'copying');
    case 'EdgeBackupCompleted':
      return { ...without(scope, event.data.fenceId), backedUpTo: event.data.position };
    case 'EdgeBackupAbandoned':
      return without(scope, event.data.fenceId);
    case 'EdgeScopeRestored': {
      const { epoch, restoreId } = event.data;
      return { ...scope, epoch, restoreId, restoring: true, backup: undefined };
    }
    case 'EdgeScopeResynced':
      return { ...scope, restoring: false };
    default:
      event satisfies never;
      return scope;
  }
};

const inPhase = (scope: LiveScope, fenceId: string, phase: Backup['phase']): LiveScope =>
  scope.backup?.fenceId === fenceId ? { ...scope, backup: { ...scope.backup, phase } } : scope;

const without = (scope: LiveScope, fenceId: string): LiveScope =>
  scope.backup?.fenceId === fenceId ? { ...scope, backup: undefined } : scope;

const holdsGate = (backup: Backup | undefined): boolean => backup !== undefined && backup.phase !== 'copying';

/** May a deployment be admitted, or begin? A scope that nobody registered fails closed. */
export const isOpen = (state: EdgeMaintenance): boolean =>
  state.status === 'idle' && !state.restoring && !holdsGate(state.backup);

/** May artifacts be removed? Not while a backup copies them, and not before a scope is known. */
export const mayRemoveArtifacts = (state: EdgeMaintenance): boolean =>
  state.status !== 'absent' && state.backup === undefined;
