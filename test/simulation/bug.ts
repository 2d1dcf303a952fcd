import type { Aggregates } from '../../src/commands/aggregates.ts';
import type { edgeWorker } from '../../src/domain/edgeWorker/index.ts';
import type { EdgeProvider, NodeProvider } from '../../src/platform/edge/port.ts';
import type { DeploymentDeps } from '../../src/sagas/carryOutDeployment.ts';
import type { Hand } from '../../src/sagas/hand.ts';
import type { JobDeps } from '../../src/sagas/jobs/deps.ts';
import type { Cloud } from './cloud.ts';

export type EdgeWorkerDecider = typeof edgeWorker;

/** A fault put into the program from outside, one at a time, to see that the invariants notice. */
export type Bug = {
  readonly name: string;
  /** What the program would do wrong. */
  readonly about: string;
  readonly decider?: (decider: EdgeWorkerDecider) => EdgeWorkerDecider;
  /** In the adapter itself. */
  readonly adapter?: (provider: EdgeProvider, cloud: Cloud) => EdgeProvider;
  /** How long the adapter waits for what may be under way to show, instead of long enough. */
  readonly windowMs?: number;
  /** In how the program takes what the adapter answers. */
  readonly provider?: (provider: EdgeProvider) => EdgeProvider;
  readonly node?: (provider: NodeProvider) => NodeProvider;
  readonly deps?: (deps: DeploymentDeps) => DeploymentDeps;
  /** In what jobs are carried out with. */
  readonly jobs?: (deps: JobDeps) => JobDeps;
  readonly hand?: (hand: Hand) => Hand;
  /** In what reactors and jobs decide on. */
  readonly reactions?: (aggregates: Aggregates) => Aggregates;
  /** In how requests of callers are taken. */
  readonly clients?: (aggregates: Aggregates) => Aggregates;
};
