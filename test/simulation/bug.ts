import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import type { EdgeProvider, NodeProvider } from '../../src/platform/edge/port.ts';
import type { DeploymentDeps } from '../../src/sagas/carryOutDeployment.ts';
import type { DueWork } from '../../src/sagas/runner.ts';

export type EdgeWorkerDecider = typeof edgeWorker;

/** A fault put into the program from outside, one at a time, to see that the invariants notice. */
export type Bug = {
  readonly name: string;
  /** What the program would do wrong. */
  readonly about: string;
  readonly decider?: (decider: EdgeWorkerDecider) => EdgeWorkerDecider;
  /** In the adapter itself. */
  readonly adapter?: <Provider extends EdgeProvider>(provider: Provider) => Provider;
  /** In how the program takes what the adapter answers. */
  readonly provider?: (provider: EdgeProvider) => EdgeProvider;
  readonly node?: (provider: NodeProvider) => NodeProvider;
  readonly deps?: (deps: DeploymentDeps) => DeploymentDeps;
  readonly takeover?: (work: DueWork, node: string) => boolean;
  readonly clients?: (aggregates: Aggregates) => Aggregates;
};
