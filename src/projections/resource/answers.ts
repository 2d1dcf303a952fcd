import { orNull } from '../text.ts';
import { parseAny, parseStrings } from '../values.ts';

export type ResourceAnswer = {
  readonly id: string;
  readonly workspaceId: string;
  readonly departmentId: string | null;
  readonly type: string;
  /** Of one that was made by hand. */
  readonly kind: string | null;
  readonly name: string;
  readonly provider: string | null;
  readonly status: string;
  readonly detail: string | null;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
  readonly tags: readonly string[];
  readonly createdAt: number;
  readonly updatedAt: number;
};

export type RelationAnswer = {
  readonly id: string;
  readonly sourceId: string;
  readonly type: string;
  readonly targetId: string;
  readonly madeBy: 'feature' | 'hand';
  readonly createdAt: number;
};

export type NodeRow = {
  readonly id: string;
  readonly workspace_id: string;
  readonly department_id: string;
  readonly type: string;
  readonly kind: string;
  readonly name: string;
  readonly provider: string;
  readonly status: string;
  readonly detail: string;
  readonly metadata: string | null;
  readonly tags: string | null;
  readonly created_at: number;
  readonly changed_at: number;
};

export type EdgeRow = {
  readonly id: string;
  readonly source_id: string;
  readonly type: string;
  readonly target_id: string;
  readonly made_by: 'feature' | 'hand';
  readonly created_at: number;
};

const isPlain = (value: unknown): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

const plainEntries = (json: string | null): Readonly<Record<string, string | number | boolean>> => {
  const value = parseAny(json);
  if (typeof value !== 'object' || value === null) return {};
  return Object.fromEntries(
    Object.entries(value).filter((entry): entry is [string, string | number | boolean] => isPlain(entry[1])),
  );
};

export const resourceAnswerOf = (row: NodeRow): ResourceAnswer => ({
  ...{ id: row.id, workspaceId: row.workspace_id, departmentId: orNull(row.department_id) },
  ...{ type: row.type, kind: orNull(row.kind), name: row.name, provider: orNull(row.provider), status: row.status },
  ...{ detail: orNull(row.detail), metadata: plainEntries(row.metadata), tags: parseStrings(row.tags) },
  ...{ createdAt: row.created_at, updatedAt: row.changed_at },
});

export const relationAnswerOf = (row: EdgeRow): RelationAnswer => ({
  ...{ id: row.id, sourceId: row.source_id, type: row.type, targetId: row.target_id, madeBy: row.made_by },
  createdAt: row.created_at,
});
