import type { OpslogEvent } from '../../domain/catalog.ts';
import { table } from '../table.ts';
import { factColumns, newColumns, resourceColumns, versionColumns, versionHistory } from './columns.ts';
import { graphCategories, graphChangesOf, graphTypes } from './graphChanges.ts';

/** What every resource was, from when to when: the graph of any moment by one query. */
export const resourceVersions = table<OpslogEvent>()({
  name: 'resource_versions',
  version: 2,
  columns: { ...resourceColumns, ...versionColumns },
  primaryKey: ['id', 'valid_from'],
  unique: { uq_resource_version_end: ['id', 'valid_to'] },
  indexes: {
    ix_resource_version_workspace: ['workspace_id', 'created_at', 'id'],
    ix_resource_version_until: ['workspace_id', 'valid_until'],
    ix_resource_version_department: ['department_id', 'valid_to'],
  },
  checks: { ck_resource_version_audience: 'audience', ck_resource_version_reader_role: 'reader_role' },
  foreignKeys: {
    fk_resource_version_workspace: {
      columns: ['workspace_id'],
      references: 'workspaces',
      to: ['id'],
      onDelete: 'cascade',
    },
  },
  history: versionHistory,
  categories: graphCategories,
  types: graphTypes,
  onAny: (event, rows) => {
    const { meta } = event;
    for (const each of graphChangesOf(event)) {
      switch (each.change) {
        case 'resourceAdded':
          rows.open(meta, newColumns(each.resource, meta.recordedAt));
          break;
        case 'resourcePut': {
          const { id } = each.resource;
          rows.revise(meta, id, factColumns(each.facts), newColumns(each.resource, meta.recordedAt));
          break;
        }
        case 'resourceRevised':
          rows.revise(meta, each.id, factColumns(each.facts));
          break;
        case 'resourceTagged':
          rows.revise(meta, each.id, { tags: each.tags });
          break;
        case 'resourceRemoved':
          rows.close(meta, each.id);
          break;
        case 'departmentRemoved':
          rows.closeWhere(meta, { department_id: each.departmentId });
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
