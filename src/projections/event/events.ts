import type { OpslogEvent } from '../../domain/catalog.ts';
import { isForTenants, publicData } from '../../domain/publicEvent.ts';
import { bigint, json, string, table, timestamp } from '../table.ts';
import { cut } from '../text.ts';

/**
 * What tenants are told of, one row per fact, in log order. Beside audit_logs it leaves out what is about the platform or
 * for auditors (sign-ins, reservations, refusals, renewed leases), the chain, and where somebody called from; it keeps the
 * payload as it is published. Rows stay when their workspace goes: whoever reads on by position must not find a hole.
 */
export const events = table<OpslogEvent>()({
  name: 'events',
  version: 1,
  columns: {
    position: bigint(),
    id: string(64),
    workspace_id: string(64),
    department_id: string(64),
    event_type: string(128),
    /** The category, and the id within it. */
    resource_type: string(64),
    resource_id: string(128),
    revision: bigint(),
    actor_type: string(32),
    actor_id: string(128),
    correlation_id: string(128),
    causation_id: string(128),
    payload: json(),
    created_at: timestamp(),
  },
  // Positions rise, so the key grows at one end; and it is what readers go by.
  primaryKey: ['position'],
  appendOnly: true,
  indexes: {
    ix_event_workspace_position: ['workspace_id', 'position'],
    ix_event_type_created: ['event_type', 'created_at'],
  },
  onAny: (event, rows) => {
    const { meta } = event;
    if (!isForTenants(event.type, meta)) return;
    rows.insert({
      position: meta.position,
      id: meta.eventId,
      workspace_id: meta.workspaceId,
      department_id: meta.departmentId,
      event_type: event.type,
      resource_type: meta.category,
      resource_id: meta.subjectId,
      revision: meta.revision,
      actor_type: meta.actor.kind,
      actor_id: meta.actor.id,
      correlation_id: cut(meta.correlationId, 128),
      causation_id: cut(meta.causationId, 128),
      payload: publicData(event.data),
      created_at: meta.recordedAt,
    });
  },
});
