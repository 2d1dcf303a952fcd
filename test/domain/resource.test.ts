import { describe, expect, it } from 'vitest';
import {
  maxTags,
  type ResourceCommand,
  type ResourceEvent,
  resource,
  tagsOf,
} from '../../src/domain/resource/index.ts';
import { specification } from '../support/decider.ts';

const { given } = specification(resource);
const workspaceId = 'workspace-1';
const facts = { departmentId: '', kind: 'switch', name: 'S1', description: '', provider: '', notes: { rack: '2' } };
const created: ResourceEvent = { type: 'ResourceCreated', data: { workspaceId, ...facts } };
const create: ResourceCommand = { type: 'CreateResource', data: { workspaceId, ...facts } };
const removed: ResourceEvent = { type: 'ResourceRemoved', data: { workspaceId } };
const tag = (incarnation: string, ...tags: readonly string[]): ResourceCommand => ({
  type: 'TagResource',
  data: { workspaceId, incarnation, tags },
});
const tagged = (incarnation: string, tags: readonly string[], added: readonly string[]): ResourceEvent => ({
  type: 'ResourceTagged',
  data: { workspaceId, incarnation, tags, added },
});

describe('a resource made by hand', () => {
  it('is created once', () => {
    given([]).when(create).then([created]);
  });

  it('is renamed and described only where that says something new', () => {
    const data = { workspaceId, name: 'S2', provider: 'hetzner', notes: { rack: '2' } };
    given([created])
      .when({ type: 'DescribeResource', data })
      .then([
        { type: 'ResourceRenamed', data: { workspaceId, name: 'S2' } },
        {
          type: 'ResourceDescribed',
          data: { workspaceId, description: '', provider: 'hetzner', notes: { rack: '2' } },
        },
      ]);
    given([created])
      .when({ type: 'DescribeResource', data: { workspaceId, name: 'S1', notes: { rack: '2' } } })
      .thenNothing();
  });

  it('is removed once, and is nothing to another workspace', () => {
    given([created]).when({ type: 'RemoveResource', data: { workspaceId } }).then([removed]);
    given([created])
      .when({ type: 'RemoveResource', data: { workspaceId: 'workspace-2' } })
      .thenRejected('ResourceNotFound');
    given([created, removed])
      .when({ type: 'DescribeResource', data: { workspaceId, name: 'S2' } })
      .thenRejected('ResourceNotFound');
    given([created, removed]).when(tag('', 'team')).thenRejected('ResourceNotFound');
  });
});

describe('tags', () => {
  it('are kept in order, each once, also for what was not made by hand', () => {
    given([])
      .when(tag('1', 'team', 'env=test', 'team'))
      .then([tagged('1', ['env=test', 'team'], ['env=test', 'team'])]);
    given([tagged('1', ['team'], ['team'])])
      .when(tag('1', 'team'))
      .thenNothing();
  });

  it('of a life of before are nothing to the one that came back under the id', () => {
    given([tagged('1', ['old'], ['old'])])
      .when(tag('2', 'new'))
      .then([tagged('2', ['new'], ['new'])]);
    given([tagged('1', ['old'], ['old'])])
      .when({ type: 'UntagResource', data: { workspaceId, incarnation: '2', tags: ['old'] } })
      .thenNothing();
    expect(tagsOf(given([tagged('1', ['old'], ['old'])]).state, '2')).toEqual([]);
  });

  it('end somewhere', () => {
    const full = Array.from({ length: maxTags }, (_, index) => `t${index}`).sort();
    given([tagged('', full, full)])
      .when(tag('', 'one-more'))
      .thenRejected('ResourceTagsExhausted', { field: 'tags' });
  });
});
