import type { ResourceEvent, ResourceNotes } from './events.ts';

type Tags = { readonly incarnation: string; readonly tags: readonly string[] };

export type KnownResource = Tags & {
  readonly status: 'active' | 'removed';
  readonly workspaceId: string;
  readonly departmentId: string;
  readonly kind: string;
  readonly name: string;
  readonly description: string;
  readonly provider: string;
  readonly notes: ResourceNotes;
};

/** `absent`: nothing was made by hand under this id, but a feature's resource may have tags here. */
export type Resource = ({ readonly status: 'absent' } & Tags) | KnownResource;

export const initial: Resource = { status: 'absent', incarnation: '', tags: [] };

export const evolve = (state: Resource, event: ResourceEvent): Resource => {
  switch (event.type) {
    case 'ResourceCreated':
      return { status: 'active', incarnation: '', tags: [], ...event.data };
    case 'ResourceTagged':
    case 'ResourceUntagged':
      return { ...state, incarnation: event.data.incarnation, tags: event.data.tags };
    case 'ResourceRenamed':
    case 'ResourceDescribed':
      return state.status === 'absent' ? state : { ...state, ...event.data };
    case 'ResourceRemoved':
      return state.status === 'absent' ? state : { ...state, status: 'removed', tags: [] };
    default:
      event satisfies never;
      return state;
  }
};

/** The tags of this life of the resource. */
export const tagsOf = (state: Resource, incarnation: string): readonly string[] =>
  state.incarnation === incarnation ? state.tags : [];
