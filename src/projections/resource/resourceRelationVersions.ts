import type { OpslogEvent } from '../../domain/catalog.ts';
import { string, table } from '../table.ts';
import { relationColumns, versionColumns, versionHistory } from './columns.ts';
import type { Relation } from './graphChange.ts';
import { graphCategories, graphChangesOf, graphTypes } from './graphChanges.ts';
import { relationRow } from './resourceRelations.ts';

const versionRow = (relation: Relation, createdAt: number) => ({
  ...relationRow(relation, createdAt),
  source_department_id: relation.sourceDepartmentId,
  target_department_id: relation.targetDepartmentId,
});

/** What edges there were, from when to when. Shown only together with both of their ends. */
export const resourceRelationVersions = table<OpslogEvent>()({
  name: 'resource_relation_versions',
  version: 1,
  columns: {
    ...relationColumns,
    /** Of the ends, which have theirs for good: what a removed department takes along is found by it. */
    source_department_id: string(64),
    target_department_id: string(64),
    ...versionColumns,
  },
  primaryKey: ['id', 'valid_from'],
  unique: { uq_resource_relation_version_end: ['id', 'valid_to'] },
  indexes: {
    ix_resource_relation_version_source: ['source_id', 'valid_to'],
    ix_resource_relation_version_target: ['target_id', 'valid_to'],
    ix_resource_relation_version_source_department: ['source_department_id', 'valid_to'],
    ix_resource_relation_version_target_department: ['target_department_id', 'valid_to'],
    ix_resource_relation_version_workspace: ['workspace_id', 'created_at', 'id'],
  },
  checks: { ck_resource_relation_version_made_by: 'made_by' },
  foreignKeys: {
    fk_resource_relation_version_workspace: {
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
        case 'relationPut': {
          const row = versionRow(each.relation, meta.recordedAt);
          rows.revise(meta, row.id, {}, row);
          break;
        }
        case 'relationRemoved':
          rows.close(meta, each.id);
          break;
        case 'resourceRemoved':
          rows.closeWhere(meta, { source_id: each.id });
          rows.closeWhere(meta, { target_id: each.id });
          break;
        case 'departmentRemoved':
          rows.closeWhere(meta, { source_department_id: each.departmentId });
          rows.closeWhere(meta, { target_department_id: each.departmentId });
          break;
        case 'resourceAdded':
        case 'resourcePut':
        case 'resourceRevised':
        case 'resourceTagged':
          break;
        default:
          each satisfies never;
      }
    }
  },
});
