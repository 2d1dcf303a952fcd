type Managed = {
  readonly source: string;
  readonly relation: string;
  readonly target: string;
  /** What makes it. */
  readonly by: string;
};

/** Relations that follow from what features do: nobody makes or removes them by hand. A feature that makes one adds its line. */
const managed: readonly Managed[] = [
  { source: 'edgeWorker', relation: 'belongs_to', target: 'department', by: 'the first submission of the department' },
  { source: 'edgeSecret', relation: 'belongs_to', target: 'department', by: 'the storing of the secret' },
  { source: 'edgeDomain', relation: 'resolves_to', target: 'edgeWorker', by: 'the attachment of the host name' },
  { source: 'credential', relation: 'belongs_to', target: 'department', by: 'the creation of the credential' },
  { source: 'custom', relation: 'belongs_to', target: 'department', by: 'the creation of the resource' },
];

/** What makes this relation, where a feature does; undefined where people may. */
export const managedRelation = (source: string, relation: string, target: string): string | undefined =>
  managed.find((each) => each.source === source && each.relation === relation && each.target === target)?.by;
