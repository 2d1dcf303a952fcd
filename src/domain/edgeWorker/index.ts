import type { Decider } from '../kernel.ts';
import type { EdgeWorkerCommand, EdgeWorkerRejection } from './commands.ts';
import { decide } from './decide.ts';
import type { EdgeWorkerEvent } from './events.ts';
import { type EdgeWorker, evolve, initial, isEdgeWorker } from './state.ts';

export const edgeWorker: Decider<EdgeWorkerCommand, EdgeWorkerEvent, EdgeWorker, EdgeWorkerRejection> = {
  category: 'edgeWorker',
  events: {
    EdgeWorkerCreated: true,
    RevisionSubmitted: true,
    DeploymentAdmitted: true,
    DeploymentLeased: true,
    DeploymentLeaseRenewed: true,
    DeploymentStepRecorded: true,
    DeploymentRetryScheduled: true,
    DeploymentBecameUncertain: true,
    DeploymentCompleted: true,
    DeploymentFailed: true,
    DeploymentCancelRequested: true,
    DeploymentCancelled: true,
    EdgeWorkerPaused: true,
    EdgeWorkerResumed: true,
    EdgeWorkerRetired: true,
    EdgeWorkerScriptRemoved: true,
    EdgeWorkerDeleted: true,
    EdgeWorkerDriftFound: true,
    EdgeWorkerDriftSettled: true,
    RevisionArtifactsReleased: true,
  },
  initial,
  decide,
  evolve,
  snapshot: { version: 4, every: 200, isState: isEdgeWorker },
};
export type { EdgeWorkerCommand, EdgeWorkerRejection } from './commands.ts';
export type {
  DeploymentKind,
  EdgeWorkerEvent,
  Language,
  PinnedSecret,
  Placement,
  RevisionFacts,
  Schedule,
} from './events.ts';
export { type EdgeWorker, isAlive, type LiveWorker, liveRevision, type Revision, type Ticket } from './state.ts';
