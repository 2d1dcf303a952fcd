import type { OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';

/** Where a resource belongs; who may see it follows from its type. */
export type ResourceHome = {
  readonly workspaceId: string;
  /** '' for one of the whole workspace. */
  readonly departmentId: string;
};

/** What features say of a resource. Texts are cut to their columns; metadata is masked. */
export type ResourceFacts = {
  readonly name: string;
  readonly provider: string;
  readonly status: string;
  /** A line that says more than the status, '' for none. */
  readonly detail: string;
  readonly metadata: Readonly<Record<string, string | number | boolean>>;
};

export type NewResource = ResourceHome &
  Pick<ResourceFacts, 'name' | 'status'> &
  Partial<ResourceFacts> & {
    readonly id: string;
    readonly type: string;
    /** What a thing that was made by hand is, in its maker's word. */
    readonly kind?: string | undefined;
  };

export type Relation = {
  readonly workspaceId: string;
  readonly sourceId: string;
  readonly type: string;
  readonly targetId: string;
  readonly madeBy: 'feature' | 'hand';
  readonly sourceDepartmentId: string;
  readonly targetDepartmentId: string;
};

/**
 * What an event means for the graph. Resources of features have the id of their aggregate. Removing a resource, or one
 * that is not there, takes its tags and relations along; a relation whose ends are not both there does not come to be.
 */
export type GraphChange =
  | { readonly change: 'resourceAdded'; readonly resource: NewResource }
  /** Added where it is not there; else `facts` change, and its tags and relations stay. */
  | { readonly change: 'resourcePut'; readonly resource: NewResource; readonly facts: Partial<ResourceFacts> }
  | { readonly change: 'resourceRevised'; readonly id: string; readonly facts: Partial<ResourceFacts> }
  | {
      readonly change: 'resourceTagged';
      readonly id: string;
      readonly workspaceId: string;
      readonly tags: readonly string[];
      readonly added: readonly string[];
      readonly removed: readonly string[];
    }
  | { readonly change: 'resourceRemoved'; readonly id: string }
  /** With everything in it. */
  | { readonly change: 'departmentRemoved'; readonly departmentId: string }
  | { readonly change: 'relationPut'; readonly relation: Relation }
  | { readonly change: 'relationRemoved'; readonly id: string };

type Change = readonly GraphChange[];

/** The facts of a feature, each with what it means for the graph, or that it means nothing. */
export type FeatureMapping<Event extends OpslogEvent> = {
  readonly [Type in Event['type']]:
    | { map(event: Recorded<Extract<Event, { readonly type: Type }>>): Change }['map']
    | 'ignored';
};

/** Makes sure that what is written for a feature's facts is total over them. */
export const featureMapping = <Event extends OpslogEvent>(mapping: FeatureMapping<Event>): FeatureMapping<Event> =>
  mapping;
