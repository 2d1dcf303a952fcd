import type { OpslogEvent } from '../../domain/catalog.ts';
import { bigint, table } from '../table.ts';
import { relationColumns } from './columns.ts';
import type { Relation } from './graphChange.ts';
import { graphCategories, graphChangesOf, graphTypes } from './graphChanges.ts';
import { relationIdOf } from './relation.ts';

export const relationRow = (relation: Relation, createdAt: number) => ({
  ...{ id: relationIdOf(relation), workspace_id: relation.workspaceId, source_id: relation.sourceId },
  ...{ type: relation.type, target_id: relation.targetId, made_by: relation.madeBy, created_at: createdAt },
});

/** Directed edges between resources. One whose end goes, goes with it. */
export const resourceRelations = table<OpslogEvent>()({
  name: 'resource_relations',
  version: 1,
  columns: { ...relationColumns, position: bigint() },
  primaryKey: ['id'],
  unique: { uq_resource_relation: ['source_id', 'target_id', 'type'] },
  indexes: {
    ix_resource_relation_target: ['target_id', 'type'],
    ix_resource_relation_workspace: ['workspace_id', 'created_at', 'id'],
  },
  checks: { ck_resource_relation_made_by: 'made_by' },
  foreignKeys: {
    fk_resource_relation_source: { columns: ['source_id'], references: 'resources', to: ['id'], onDelete: 'cascade' },
    fk_resource_relation_target: { columns: ['target_id'], references: 'resources', to: ['id'], onDelete: 'cascade' },
  },
  categories: graphCategories,
  types: graphTypes,
  onAny: (event, rows) => {
    const { recordedAt, position } = event.meta;
    for (const each of graphChangesOf(event)) {
      if (each.change === 'relationPut') rows.put({ ...relationRow(each.relation, recordedAt), position }, {});
      if (each.change === 'relationRemoved') rows.remove(each.id);
    }
  },
});
