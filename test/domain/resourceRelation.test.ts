import { describe, it } from 'vitest';
import {
  type ResourceRelationCommand,
  type ResourceRelationEvent,
  resourceRelation,
} from '../../src/domain/resourceRelation/index.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(resourceRelation);
const workspaceId = 'workspace-1';
const end = (id: string, type: string, incarnation = '') => ({ id, type, departmentId: 'd1', incarnation });

const data = (relationType: string, source: ReturnType<typeof end>, target: ReturnType<typeof end>) => ({
  ...{ workspaceId, relationType, source, target },
});
const create = (...args: Parameters<typeof data>): ResourceRelationCommand => ({
  type: 'CreateResourceRelation',
  data: data(...args),
});
const created = (...args: Parameters<typeof data>): ResourceRelationEvent => ({
  type: 'ResourceRelationCreated',
  data: data(...args),
});
const [shop, name] = [end('s', 'custom'), end('n', 'edgeDomain', '1')];

describe('a relation made by hand', () => {
  it('is made once, and again when an end has gone and come back', () => {
    given([])
      .when(create('has_domain', shop, name))
      .then([created('has_domain', shop, name)]);
    given([created('has_domain', shop, name)])
      .when(create('has_domain', shop, end('n', 'edgeDomain', '2')))
      .then([created('has_domain', shop, end('n', 'edgeDomain', '2'))]);
  });

  it('leads from one resource to another one', () => {
    given([])
      .when(create('uses', shop, shop))
      .thenRejected('ResourceRelationInvalid', { field: 'targetId' });
  });

  it('is not what a feature makes', () => {
    given([])
      .when(create('resolves_to', name, end('w', 'edgeWorker')))
      .thenRejected('ResourceRelationManaged');
    given([])
      .when(create('resolves_to', shop, end('w', 'edgeWorker')))
      .then([created('resolves_to', shop, end('w', 'edgeWorker'))]);
  });

  it('is removed once, in its workspace', () => {
    const removed: ResourceRelationEvent = { type: 'ResourceRelationRemoved', data: { workspaceId } };
    given([created('uses', shop, name)])
      .when({ type: 'RemoveResourceRelation', data: { workspaceId } })
      .then([removed]);
    given([created('uses', shop, name)])
      .when({ type: 'RemoveResourceRelation', data: { workspaceId: 'workspace-2' } })
      .thenRejected('ResourceRelationNotFound');
    given([created('uses', shop, name), removed])
      .when(create('uses', shop, name))
      .then([created('uses', shop, name)]);
  });
});
