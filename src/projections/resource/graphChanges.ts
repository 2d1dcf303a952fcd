import type { Category, catalog, OpslogEvent } from '../../domain/catalog.ts';
import type { Recorded } from '../../domain/kernel.ts';
import { credentialResources } from './features/credential.ts';
import { departmentResources } from './features/department.ts';
import { edgeDomainResources } from './features/edgeDomain.ts';
import { edgeSecretResources } from './features/edgeSecret.ts';
import { edgeWorkerResources } from './features/edgeWorker.ts';
import { customResources } from './features/resource.ts';
import { handMadeRelations } from './features/resourceRelation.ts';
import { webhookResources } from './features/webhook.ts';
import type { FeatureMapping, GraphChange } from './graphChange.ts';

type EventOf<Name extends Category> = Extract<OpslogEvent, { readonly type: keyof (typeof catalog)[Name]['events'] }>;

/**
 * What every feature is in the graph. A new feature does not compile before it has its line: its mapping, or that nothing
 * of it is a resource.
 */
const mappings: { readonly [Name in Category]: FeatureMapping<EventOf<Name>> | 'noResource' } = {
  department: departmentResources,
  edgeWorker: edgeWorkerResources,
  edgeSecret: edgeSecretResources,
  edgeDomain: edgeDomainResources,
  credential: credentialResources,
  webhook: webhookResources,
  resource: customResources,
  resourceRelation: handMadeRelations,
  user: 'noResource',
  session: 'noResource',
  // The frame of the graph, not a node of it: its rows take everything along when it is deleted.
  workspace: 'noResource',
  apiToken: 'noResource',
  invitation: 'noResource',
  reservation: 'noResource',
  edgeMaintenance: 'noResource',
  artifactCleanup: 'noResource',
  controlAudit: 'noResource',
  credentialUse: 'noResource',
  job: 'noResource',
};

// A method, so that a mapping of one event can be kept among mappings of the whole union.
type Mapper = { map(event: Recorded<OpslogEvent>): readonly GraphChange[] }['map'];

const byType = new Map<string, Mapper>();
for (const mapping of Object.values(mappings)) {
  if (mapping === 'noResource') continue;
  const entries: readonly (readonly [string, Mapper | 'ignored'])[] = Object.entries(mapping);
  for (const [type, map] of entries) if (map !== 'ignored') byType.set(type, map);
}

/** Categories and types of the events that mean something for the graph. */
export const graphCategories = Object.entries(mappings).flatMap(([name, mapping]) =>
  mapping === 'noResource' ? [] : [name],
);
export const graphTypes: ReadonlySet<string> = new Set(byType.keys());

// Every table of the graph asks about the same event, one after the other.
let last: Recorded<OpslogEvent> | undefined;
let lastChanges: readonly GraphChange[] = [];

/** What an event means for the graph: nothing for most. */
export const graphChangesOf = (event: Recorded<OpslogEvent>): readonly GraphChange[] => {
  if (event === last) return lastChanges;
  lastChanges = byType.get(event.type)?.(event) ?? [];
  last = event;
  return lastChanges;
};
