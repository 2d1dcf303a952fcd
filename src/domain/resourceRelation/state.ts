import type { RelationEnd, ResourceRelationEvent } from './events.ts';

export type ResourceRelation =
  | { readonly status: 'absent' }
  | {
      readonly status: 'active' | 'removed';
      readonly workspaceId: string;
      readonly relationType: string;
      readonly source: RelationEnd;
      readonly target: RelationEnd;
    };

export const initial: ResourceRelation = { status: 'absent' };

export const evolve = (state: ResourceRelation, event: ResourceRelationEvent): ResourceRelation => {
  switch (event.type) {
    case 'ResourceRelationCreated':
      return { status: 'active', ...event.data };
    case 'ResourceRelationRemoved':
      return state.status === 'absent' ? state : { ...state, status: 'removed' };
    default:
      event satisfies never;
      return state;
  }
};
