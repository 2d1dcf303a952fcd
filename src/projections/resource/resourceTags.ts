import type { OpslogEvent } from '../../domain/catalog.ts';
import { string, table } from '../table.ts';
import { graphCategories, graphChangesOf, graphTypes } from './graphChanges.ts';

/** Tags of resources one by one, to be searched by. */
export const resourceTags = table<OpslogEvent>()({
  name: 'resource_tags',
  version: 1,
  columns: { resource_id: string(64), tag: string(160), workspace_id: string(64) },
  primaryKey: ['resource_id', 'tag'],
  indexes: { ix_resource_tag: ['workspace_id', 'tag', 'resource_id'] },
  foreignKeys: {
    fk_resource_tag_resource: { columns: ['resource_id'], references: 'resources', to: ['id'], onDelete: 'cascade' },
  },
  categories: graphCategories,
  types: graphTypes,
  onAny: (event, rows) => {
    for (const each of graphChangesOf(event)) {
      if (each.change !== 'resourceTagged') continue;
      for (const tag of each.removed) rows.remove({ resource_id: each.id, tag });
      for (const tag of each.added) rows.put({ resource_id: each.id, tag, workspace_id: each.workspaceId }, {});
    }
  },
});
