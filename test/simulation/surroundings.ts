import type { EdgeWorkerEvent } from '../../src/domain/edgeWorker/index.ts';
import type { Recorded } from '../../src/domain/kernel.ts';
import type { Model, TicketModel } from './model.ts';

export type Violate = (invariant: string, detail: string) => void;

/** What the rules need to know of the world beside the log. */
export type Surroundings = {
  readonly model: Model;
  now(): number;
  isAlive(process: string): boolean;
  /** No reason is known why this process should not have kept its lease. */
  isHealthy(process: string): boolean;
  /** What a client asked for under this key. */
  wanted(key: string): { readonly kind: string; readonly revision: number } | undefined;
  /** What the provider answered to this step of this attempt last; undefined when it never did. */
  answered(
    ticketId: string,
    attempt: number,
    step: string,
  ): { outcome: string; afterMs: number; at: number } | undefined;
  /** This deployment is on the air: in the cloud, or on this process's machine. */
  isShown(process: string, ticket: TicketModel): boolean;
  readonly violate: Violate;
};

export type Facts = Recorded<EdgeWorkerEvent>;
