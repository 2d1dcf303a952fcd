import type { EdgeMaintenanceEvent } from '../../domain/edgeMaintenance/index.ts';
import { choice, integer, nullable, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

const noBackup = { fence_id: '', fence_owner: '', fence_phase: 'none', fence_expires_at: null } as const;

/**
 * Epoch, gate and backup fence of an on-prem deployment scope, `onprem:<12 hex>`. The primary key is the scope. For people:
 * the gate itself is read from the log. Positions are decimal text.
 */
export const edgeWorkerMaintenance = table<EdgeMaintenanceEvent>()({
  name: 'edge_worker_maintenance',
  version: 2,
  columns: {
    scope: string(64),
    state: choice(['idle', 'active'], 'active'),
    epoch: integer(),
    reason: string(255),
    fence_id: string(64),
    fence_owner: string(255),
    fence_phase: choice(['none', 'raised', 'fenced', 'copying'], 'none'),
    fence_expires_at: nullable(timestamp()),
    backed_up_to: string(20),
    backed_up_at: nullable(timestamp()),
    restored_from: string(20),
    restored_at: nullable(timestamp()),
    resynced_at: nullable(timestamp()),
    created_at: timestamp(),
    updated_at: timestamp(),
  },
  primaryKey: ['scope'],
  checks: { ck_edge_worker_maintenance_state: 'state' },
  on: {
    EdgeScopeRegistered: ({ data, meta }, rows) =>
      rows.insert({
        scope: meta.subjectId,
        state: 'idle',
        epoch: data.epoch,
        created_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    EdgeMaintenanceBegan: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { state: 'active', reason: cut(data.reason, 255), updated_at: meta.recordedAt }),
    EdgeMaintenanceEnded: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, { state: 'idle', reason: '', epoch: data.epoch, updated_at: meta.recordedAt }),
    EdgeBackupFenceRaised: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        fence_id: data.fenceId,
        fence_owner: cut(data.owner, 255),
        fence_phase: 'raised',
        fence_expires_at: data.expiresAt,
        updated_at: meta.recordedAt,
      }),
    EdgeBackupFenced: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { fence_phase: 'fenced', updated_at: meta.recordedAt }),
    EdgeBackupFenceReleased: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { fence_phase: 'copying', updated_at: meta.recordedAt }),
    EdgeBackupCompleted: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...noBackup,
        backed_up_to: data.position,
        backed_up_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    EdgeBackupAbandoned: ({ meta }, rows) => rows.patch(meta.subjectId, { ...noBackup, updated_at: meta.recordedAt }),
    EdgeScopeRestored: ({ data, meta }, rows) =>
      rows.patch(meta.subjectId, {
        ...noBackup,
        epoch: data.epoch,
        restored_from: data.fromPosition,
        restored_at: meta.recordedAt,
        updated_at: meta.recordedAt,
      }),
    EdgeScopeResynced: ({ meta }, rows) =>
      rows.patch(meta.subjectId, { resynced_at: meta.recordedAt, updated_at: meta.recordedAt }),
  },
});
