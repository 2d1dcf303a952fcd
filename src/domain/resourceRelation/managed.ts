type Managed = {
  readonly source: string;
  readonly relation: string;
  readonly target: string;
  /** What makes it. */
  readonly by: string;
};

/** Relations that follow from what features do: nobody makes or removes them by hand. A feature that makes one adds its line. */
const managed: readonly Managed[] = [
  { source: 'edgeWorker', relation: 'belongs_to', target: 'department', by: 'the first submission to a department' },
  { source: 'edgeSecret', relation: 'belongs_to', target: 'department', by: 'the storing of a secret' },
  { source: 'edgeDomain', relation: 'resolves_to', target: 'edgeWorker', by: 'the attachment of a host name' },
  {
    source: 'custom',
    relation: 'belongs_to',
    target: 'department',
    by: 'the department that a resource was created in',
  },
];

/** What makes this relation, where a feature does; undefined where people may. */
export const managedRelation = (source: string, relation: string, target: string): string | undefined =>
  managed.find((each) => each.source === source && each.relation === relation && each.target === target)?.by;
