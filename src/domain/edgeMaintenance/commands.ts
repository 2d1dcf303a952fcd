import type { Message } from '../kernel.ts';

export type EdgeMaintenanceCommand =
  | Message<'RegisterEdgeScope', Record<never, never>>
  | Message<'BeginEdgeMaintenance', { reason: string }>
  /** Also gives up a backup fence and a resync that nobody will finish. */
  | Message<'EndEdgeMaintenance', Record<never, never>>
  /** `now` and `expiresAt` are milliseconds since the epoch: a fence that has expired gives way to the next. */
  | Message<'RaiseBackupFence', { fenceId: string; owner: string; now: number; expiresAt: number }>
  | Message<'FenceBackup', { fenceId: string }>
  | Message<'ReleaseBackupFence', { fenceId: string }>
  | Message<'CompleteBackup', { fenceId: string; position: string; manifestDigest: string; bytes: number }>
  /** '' abandons whatever backup is under way: its owner is known to be gone. */
  | Message<'AbandonBackup', { fenceId: string; reason: string }>
  /** `above`: the highest epoch that anything outside the log has seen; the new one is higher than that, too. */
  | Message<'RestoreEdgeScope', { restoreId: string; fromPosition: string; above: number }>
  | Message<'RecordEdgeResync', { started: number; stopped: number; kept: number; failed: number }>;

export type EdgeMaintenanceRejection = 'EdgeScopeNotFound' | 'BackupUnderWay' | 'BackupFenceLost';
