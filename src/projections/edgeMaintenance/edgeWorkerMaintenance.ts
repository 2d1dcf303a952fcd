import type { EdgeMaintenanceEvent } from '../../domain/edgeMaintenance/index.ts';
import { choice, integer, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

/** Epoch and gate of an on-prem deployment scope, `onprem:<12 hex>`. The primary key is the scope. */
export const edgeWorkerMaintenance = table<EdgeMaintenanceEvent>()({
  name: 'edge_worker_maintenance',
  version: 1,
  columns: {
    scope: string(64),
    state: choice(['idle', 'active'], 'active'),
    epoch: integer(),
    reason: string(255),
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
  },
});
