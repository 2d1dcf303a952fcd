import { type Decision, type Message, reject } from '../kernel.ts';
import type { RelationEnd, ResourceRelationEvent } from './events.ts';
import { managedRelation } from './managed.ts';
import type { ResourceRelation } from './state.ts';

type CreatedData = Extract<ResourceRelationEvent, { type: 'ResourceRelationCreated' }>['data'];

export type ResourceRelationCommand =
  /** Whoever sends it has found both ends, in this workspace and in these lives. */
  Message<'CreateResourceRelation', CreatedData> | Message<'RemoveResourceRelation', { workspaceId: string }>;

export type ResourceRelationRejection =
  | 'ResourceRelationNotFound'
  | 'ResourceRelationInvalid'
  | 'ResourceRelationManaged';

export const decide = (
  command: ResourceRelationCommand,
  state: ResourceRelation,
): Decision<ResourceRelationEvent, ResourceRelationRejection> => {
  if (command.type === 'CreateResourceRelation') return create(command.data, state);
  if (state.status === 'absent' || state.workspaceId !== command.data.workspaceId) {
    return reject('ResourceRelationNotFound', 'There is no such relation in this workspace.');
  }
  return state.status === 'removed' ? [] : [{ type: 'ResourceRelationRemoved', data: command.data }];
};

const sameLife = (left: RelationEnd, right: RelationEnd): boolean => left.incarnation === right.incarnation;

const create = (
  data: CreatedData,
  state: ResourceRelation,
): Decision<ResourceRelationEvent, ResourceRelationRejection> => {
  const { source, target, relationType } = data;
  if (source.id === target.id) {
    return reject('ResourceRelationInvalid', 'A resource has no relation to itself.', { field: 'targetId' });
  }
  const owner = managedRelation(source.type, relationType, target.type);
  if (owner !== undefined) {
    return reject('ResourceRelationManaged', `This relation follows from ${owner}, and comes and goes with it.`, {
      field: 'type',
    });
  }
  // An end that went took the relation along, even if it came back.
  const isThere = state.status === 'active' && sameLife(state.source, source) && sameLife(state.target, target);
  return isThere ? [] : [{ type: 'ResourceRelationCreated', data }];
};
