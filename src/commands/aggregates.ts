import { catalog } from '../domain/catalog.ts';
import { type AggregateOptions, createAggregate } from './send.ts';

/** Every aggregate, ready to take commands: `aggregates.edgeWorker.send(id, command, envelope)`. */
export const createAggregates = (options: Omit<AggregateOptions, 'cacheSize'>) => ({
  user: createAggregate(catalog.user, options),
  session: createAggregate(catalog.session, options),
  workspace: createAggregate(catalog.workspace, options),
  department: createAggregate(catalog.department, options),
  apiToken: createAggregate(catalog.apiToken, options),
  invitation: createAggregate(catalog.invitation, options),
  reservation: createAggregate(catalog.reservation, options),
  edgeWorker: createAggregate(catalog.edgeWorker, options),
  edgeSecret: createAggregate(catalog.edgeSecret, options),
  edgeDomain: createAggregate(catalog.edgeDomain, options),
  edgeMaintenance: createAggregate(catalog.edgeMaintenance, options),
  artifactCleanup: createAggregate(catalog.artifactCleanup, options),
  controlAudit: createAggregate(catalog.controlAudit, options),
  credential: createAggregate(catalog.credential, options),
  credentialUse: createAggregate(catalog.credentialUse, options),
  resource: createAggregate(catalog.resource, options),
  resourceRelation: createAggregate(catalog.resourceRelation, options),
  job: createAggregate(catalog.job, options),
  webhook: createAggregate(catalog.webhook, options),
});

export type Aggregates = ReturnType<typeof createAggregates>;
