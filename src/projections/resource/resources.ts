import type { OpslogEvent } from '../../domain/catalog.ts';
import { bigint, table, timestamp } from '../table.ts';
import { factColumns, newColumns, resourceColumns } from './columns.ts';
import { graphCategories, graphChangesOf, graphTypes } from './graphChanges.ts';

/** Everything that a workspace has, of whatever feature, one row each. */
export const resources = table<OpslogEvent>()({
  name: 'resources',
  version: 2,
  columns: { ...resourceColumns, updated_at: timestamp(), position: bigint() },
  primaryKey: ['id'],
  indexes: {
    ix_resource_workspace: ['workspace_id', 'created_at', 'id'],
    ix_resource_workspace_type: ['workspace_id', 'type', 'created_at', 'id'],
    ix_resource_type_status: ['type', 'status'],
    ix_resource_department: ['department_id', 'created_at', 'id'],
  },
  checks: { ck_resource_audience: 'audience', ck_resource_reader_role: 'reader_role' },
  foreignKeys: {
    fk_resource_workspace: { columns: ['workspace_id'], references: 'workspaces', to: ['id'], onDelete: 'cascade' },
  },
  categories: graphCategories,
  types: graphTypes,
  onAny: (event, rows) => {
    const { recordedAt, position } = event.meta;
    const touched = { updated_at: recordedAt, position };
    for (const each of graphChangesOf(event)) {
      switch (each.change) {
        case 'resourceAdded':
          rows.insert({ ...newColumns(each.resource, recordedAt), ...touched });
          break;
        case 'resourcePut':
          rows.put(
            { ...newColumns(each.resource, recordedAt), ...touched },
            { ...factColumns(each.facts), ...touched },
          );
          break;
        case 'resourceRevised':
          rows.patch(each.id, { ...factColumns(each.facts), ...touched });
          break;
        case 'resourceTagged':
          rows.patch(each.id, { tags: each.tags, ...touched });
          break;
        case 'resourceRemoved':
          rows.remove(each.id);
          break;
        case 'departmentRemoved':
          rows.removeWhere({ department_id: each.departmentId });
          break;
        case 'relationPut':
        case 'relationRemoved':
          break;
        default:
          each satisfies never;
      }
    }
  },
});
