import { maskSecrets, maskText } from '../../domain/masking.ts';
import { visibilityOf } from '../../domain/resource/index.ts';
import { bigint, choice, json, string, timestamp } from '../table.ts';
import { cut, searchable } from '../text.ts';
import type { NewResource, ResourceFacts } from './graphChange.ts';

/** What a resource is, now or in one version of it. */
export const resourceColumns = {
  id: string(64),
  workspace_id: string(64),
  department_id: string(64),
  audience: choice(['members', 'unlimited'], 'members'),
  reader_role: choice(['VIEWER', 'MEMBER', 'ADMIN', 'OWNER'], 'VIEWER'),
  type: string(32),
  kind: string(64),
  name: string(255),
  /** The name as it is searched, whatever its case. */
  search_name: string(255),
  provider: string(64),
  status: string(32),
  detail: string(255),
  metadata: json(),
  /** In order; what is searched by is in resource_tags. */
  tags: json(),
  created_at: timestamp(),
} as const;

/** An edge, now or in one version of it. */
export const relationColumns = {
  id: string(64),
  workspace_id: string(64),
  source_id: string(64),
  type: string(32),
  target_id: string(64),
  made_by: choice(['feature', 'hand'], 'hand'),
  created_at: timestamp(),
} as const;

/** When a version began and ended: positions in the log, and times. */
export const versionColumns = {
  valid_from: bigint(),
  valid_to: bigint(),
  valid_since: timestamp(),
  valid_until: timestamp(),
} as const;

export const versionHistory = {
  subject: 'id',
  from: 'valid_from',
  to: 'valid_to',
  since: 'valid_since',
  until: 'valid_until',
} as const;

const columnsOfName = (name: string) => {
  const shown = cut(maskText(name), 255);
  return { name: shown, search_name: cut(searchable(shown), 255) };
};

export const factColumns = ({ name, provider, status, detail, metadata }: Partial<ResourceFacts>) => ({
  ...(name !== undefined && columnsOfName(name)),
  ...(provider !== undefined && { provider: cut(provider, 64) }),
  ...(status !== undefined && { status: cut(status, 32) }),
  ...(detail !== undefined && { detail: cut(maskText(detail), 255) }),
  ...(metadata !== undefined && { metadata: maskSecrets(metadata) }),
});

const visibilityColumns = (type: string) => {
  const { audience, readerRole } = visibilityOf(type);
  return { audience, reader_role: readerRole };
};

export const newColumns = (resource: NewResource, createdAt: number) => ({
  ...{ id: resource.id, workspace_id: resource.workspaceId, department_id: resource.departmentId },
  ...{
    ...visibilityColumns(resource.type),
    type: resource.type,
    kind: cut(resource.kind ?? '', 64),
  },
  ...{ name: '', metadata: {}, tags: [], created_at: createdAt },
  ...factColumns(resource),
});
