import type { Decider } from '../kernel.ts';
import { decide, type ResourceRelationCommand, type ResourceRelationRejection } from './decide.ts';
import type { ResourceRelationEvent } from './events.ts';
import { evolve, initial, type ResourceRelation } from './state.ts';

export const resourceRelation: Decider<
  ResourceRelationCommand,
  ResourceRelationEvent,
  ResourceRelation,
  ResourceRelationRejection
> = {
  category: 'resourceRelation',
  events: { ResourceRelationCreated: true, ResourceRelationRemoved: true },
  initial,
  decide,
  evolve,
};
export type { RelationEnd } from './events.ts';
export { managedRelation } from './managed.ts';
export type { ResourceRelation, ResourceRelationCommand, ResourceRelationEvent, ResourceRelationRejection };
