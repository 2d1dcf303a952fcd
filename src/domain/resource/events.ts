import type { Message } from '../kernel.ts';

/** Anything that a person may want to note of a thing, by name. Masked before it is a fact. */
export type ResourceNotes = Readonly<Record<string, string>>;

type Tagging = {
  workspaceId: string;
  /** Which life of the resource it is: one that went and came back under its id begins without tags. */
  incarnation: string;
  /** All tags from now on, in order. */
  tags: readonly string[];
};

/**
 * Things that Opslog knows of but does not manage, made by hand; and the tags of any resource, in a stream under the
 * resource's own id.
 */
export type ResourceEvent =
  | Message<
      'ResourceCreated',
      {
        workspaceId: string;
        /** '' for one of the whole workspace. */
        departmentId: string;
        kind: string;
        name: string;
        description: string;
        provider: string;
        notes: ResourceNotes;
      }
    >
  | Message<'ResourceRenamed', { workspaceId: string; name: string }>
  | Message<'ResourceDescribed', { workspaceId: string; description: string; provider: string; notes: ResourceNotes }>
  | Message<'ResourceTagged', Tagging & { added: readonly string[] }>
  | Message<'ResourceUntagged', Tagging & { removed: readonly string[] }>
  /** For good: its tags and relations go with it. */
  | Message<'ResourceRemoved', { workspaceId: string }>;
