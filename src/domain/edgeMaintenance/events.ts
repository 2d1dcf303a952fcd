import type { Message } from '../kernel.ts';

/**
 * One stream per on-prem deployment scope, `onprem:<12 hex>`. The epoch rises when a restore makes older agents stale.
 * The place of EdgeBackupFenced in the log is the end of what that backup holds: a fact cannot carry its own position.
 */
export type EdgeMaintenanceEvent =
  | Message<'EdgeScopeRegistered', { epoch: number }>
  | Message<'EdgeMaintenanceBegan', { reason: string }>
  | Message<'EdgeMaintenanceEnded', { epoch: number }>
  /** A backup has closed the gate and waits for leases to finish. `owner` is `<node>/<incarnation>`. */
  | Message<'EdgeBackupFenceRaised', { fenceId: string; owner: string; expiresAt: number }>
  | Message<'EdgeBackupFenced', { fenceId: string; epoch: number }>
  /** The log is copied: the gate opens again. Artifacts are kept until the backup is completed or abandoned. */
  | Message<'EdgeBackupFenceReleased', { fenceId: string }>
  | Message<'EdgeBackupCompleted', { fenceId: string; position: string; manifestDigest: string; bytes: number }>
  | Message<'EdgeBackupAbandoned', { fenceId: string; reason: string }>
  /** This log was put back from a backup. The gate stays closed until the node runs again what the log says. */
  | Message<'EdgeScopeRestored', { restoreId: string; epoch: number; fromPosition: string }>
  | Message<'EdgeScopeResynced', { epoch: number; started: number; stopped: number; kept: number; failed: number }>;
