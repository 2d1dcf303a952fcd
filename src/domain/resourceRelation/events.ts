import type { Message } from '../kernel.ts';

/** One end of a relation, as it was found when the relation was made. */
export type RelationEnd = {
  readonly id: string;
  readonly type: string;
  /** '' for a resource of the whole workspace. */
  readonly departmentId: string;
  /** Which life of the resource it is: a relation ends with it. */
  readonly incarnation: string;
};

/** A directed edge between two resources of a workspace, made by hand. Those that follow from features are no facts of their own. */
export type ResourceRelationEvent =
  | Message<
      'ResourceRelationCreated',
      { workspaceId: string; relationType: string; source: RelationEnd; target: RelationEnd }
    >
  | Message<'ResourceRelationRemoved', { workspaceId: string }>;
