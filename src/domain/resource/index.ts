import type { Decider } from '../kernel.ts';
import { decide, type ResourceCommand, type ResourceRejection } from './decide.ts';
import type { ResourceEvent } from './events.ts';
import { evolve, initial, type Resource } from './state.ts';

export const resource: Decider<ResourceCommand, ResourceEvent, Resource, ResourceRejection> = {
  category: 'resource',
  events: {
    ResourceCreated: true,
    ResourceRenamed: true,
    ResourceDescribed: true,
    ResourceTagged: true,
    ResourceUntagged: true,
    ResourceRemoved: true,
  },
  initial,
  decide,
  evolve,
};
export { maxTags } from './decide.ts';
export type { ResourceNotes } from './events.ts';
export { tagsOf } from './state.ts';
export { maySeeJob, typesHiddenFrom, type Visibility, visibilityOf } from './visibility.ts';
export type { Resource, ResourceCommand, ResourceEvent, ResourceRejection };
