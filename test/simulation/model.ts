import type { DeploymentKind } from '../../src/domain/edgeWorker/index.ts';

/** What the checker knows of a deployment, from the facts alone and by rules of its own. */
export type TicketModel = {
  readonly ticketId: string;
  readonly workerId: string;
  readonly sequence: number;
  readonly versionId: string;
  readonly revision: number;
  readonly kind: DeploymentKind;
  readonly provider: string;
  readonly steps: readonly string[];
  readonly maxAttempts: number;
  status: 'pending' | 'leased' | 'uncertain' | 'completed' | 'failed' | 'cancelled';
  reasonCode: string;
  superseded: boolean;
  holder: string;
  leaseId: string;
  leasedUntil: number;
  attempt: number;
  uncertainStep: string;
  done: Set<string>;
  /** Requests of this attempt of which nobody could know what came of them. */
  unclear: number;
  /** Steps that this attempt has looked at. */
  probed: Set<string>;
  /** The world has seen it. */
  public: boolean;
};

export type WorkerModel = {
  readonly workerId: string;
  readonly scriptName: string;
  status: 'draft' | 'active' | 'paused';
  retired: boolean;
  deleted: boolean;
  /** Version ids; the first is revision 1. */
  readonly versions: string[];
  readonly history: number[];
  newest: TicketModel | undefined;
  drift: string | undefined;
  readonly departmentId: string;
  liveTicketId: string;
  /** The provider refused to show the last pause or resume that was asked of it. */
  presenceRefused: boolean;
  settledAt: number;
};

export type Model = {
  /** Ids of jobs that show a pause or a resume outside, and their workers. */
  readonly presenceJobs: Map<string, string>;
  readonly workers: Map<string, WorkerModel>;
  readonly tickets: Map<string, TicketModel>;
};

export const createModel = (): Model => ({ presenceJobs: new Map(), workers: new Map(), tickets: new Map() });

export const isLive = (ticket: TicketModel | undefined): ticket is TicketModel =>
  ticket !== undefined && (ticket.status === 'pending' || ticket.status === 'leased' || ticket.status === 'uncertain');

export const hasEnded = ({ status }: TicketModel): boolean =>
  status === 'completed' || status === 'failed' || status === 'cancelled';

/** It ended while somebody may still have been at work on it, because its worker went or a person gave it up. */
export const wasWithdrawn = ({ status, reasonCode }: TicketModel): boolean =>
  status === 'failed' && ['worker_retired', 'worker_deleted', 'given_up'].includes(reasonCode);

export const workerOfScript = ({ workers }: Model, script: string): WorkerModel | undefined =>
  [...workers.values()].find(({ scriptName }) => scriptName === script);
