import { type Decision, type Message, type Rejection, reject } from '../kernel.ts';
import type { ResourceEvent, ResourceNotes } from './events.ts';
import { type KnownResource, type Resource, tagsOf } from './state.ts';

type OfWorkspace = { workspaceId: string };
type Tagging = OfWorkspace & { incarnation: string; tags: readonly string[] };
type CreatedData = Extract<ResourceEvent, { type: 'ResourceCreated' }>['data'];

export type ResourceCommand =
  | Message<'CreateResource', CreatedData>
  /** What is undefined stays as it is. */
  | Message<
      'DescribeResource',
      OfWorkspace & {
        name?: string | undefined;
        description?: string | undefined;
        provider?: string | undefined;
        notes?: ResourceNotes | undefined;
      }
    >
  | Message<'RemoveResource', OfWorkspace>
  /** Whoever sends these has found the resource, whatever feature it is of, in this life. */
  | Message<'TagResource', Tagging>
  | Message<'UntagResource', Tagging>;

export type ResourceRejection = 'ResourceNotFound' | 'ResourceExists' | 'ResourceTagsExhausted';

/** They are shown with every row, and carried by every version of it. */
export const maxTags = 50;

type Outcome = Decision<ResourceEvent, ResourceRejection>;

export const decide = (command: ResourceCommand, state: Resource): Outcome => {
  switch (command.type) {
    case 'CreateResource':
      return create(command.data, state);
    case 'TagResource':
      return tag(command.data, state);
    case 'UntagResource':
      return untag(command.data, state);
    case 'DescribeResource':
      return state.status === 'active' && state.workspaceId === command.data.workspaceId
        ? describe(command.data, state)
        : notFound();
    case 'RemoveResource':
      if (state.status === 'absent' || state.workspaceId !== command.data.workspaceId) return notFound();
      return state.status === 'removed' ? [] : [{ type: 'ResourceRemoved', data: command.data }];
  }
};

const notFound = (): Rejection<'ResourceNotFound'> =>
  reject('ResourceNotFound', 'There is no such resource in this workspace.');

const create = (data: CreatedData, state: Resource): Outcome => {
  if (state.status === 'absent') return [{ type: 'ResourceCreated', data }];
  return state.workspaceId === data.workspaceId && state.name === data.name && state.kind === data.kind
    ? []
    : reject('ResourceExists', 'A resource exists under this id with another name.', { field: 'name' });
};

const describe = (
  { workspaceId, name = '', ...given }: Extract<ResourceCommand, { type: 'DescribeResource' }>['data'],
  state: KnownResource,
): readonly ResourceEvent[] => {
  const described = {
    description: given.description ?? state.description,
    provider: given.provider ?? state.provider,
    notes: given.notes ?? state.notes,
  };
  const isSame =
    described.description === state.description &&
    described.provider === state.provider &&
    sameNotes(described.notes, state.notes);
  const events: ResourceEvent[] = [];
  if (name !== '' && name !== state.name) events.push({ type: 'ResourceRenamed', data: { workspaceId, name } });
  if (!isSame) events.push({ type: 'ResourceDescribed', data: { workspaceId, ...described } });
  return events;
};

const sameNotes = (left: ResourceNotes, right: ResourceNotes): boolean => {
  const names = Object.keys(left);
  return names.length === Object.keys(right).length && names.every((name) => left[name] === right[name]);
};

const tag = ({ workspaceId, incarnation, tags }: Tagging, state: Resource): Outcome => {
  if (state.status === 'removed') return notFound();
  const before = tagsOf(state, incarnation);
  const added = [...new Set(tags)].filter((each) => !before.includes(each)).sort();
  if (added.length === 0) return [];
  const all = [...before, ...added].sort();
  if (all.length > maxTags) {
    return reject('ResourceTagsExhausted', `A resource has ${maxTags} tags at most. Remove some first.`, {
      field: 'tags',
      details: { maxTags },
    });
  }
  return [{ type: 'ResourceTagged', data: { workspaceId, incarnation, tags: all, added } }];
};

const untag = ({ workspaceId, incarnation, tags }: Tagging, state: Resource): Outcome => {
  if (state.status === 'removed') return notFound();
  const before = tagsOf(state, incarnation);
  const removed = before.filter((each) => tags.includes(each));
  if (removed.length === 0) return [];
  const left = before.filter((each) => !tags.includes(each));
  return [{ type: 'ResourceUntagged', data: { workspaceId, incarnation, tags: left, removed } }];
};
